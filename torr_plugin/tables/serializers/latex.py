"""LaTeX tables (booktabs, multirow, makecell)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ...core.errors import SerializationError
from ..table import Cell, Table
from .base import Serializer
from .latex_reading import read_table
from .latex_text import escape_lines
from .structure import most_places
from .texts import checked

_is_number = re.compile(r"[-+(]?[$€£]?[0-9][0-9., ]*%?\)?").fullmatch
_NEWLINE = "\\newline{}"


class Latex(Serializer):
    r"""A ``tabular`` between booktabs' rules, header rows above ``\midrule``; merged cells by multirow.

    A title is the caption and notes are ``tablenotes`` (threeparttable) of a ``table`` around it; a newline
    in a cell makes it a ``\makecell``. A leading comment has the number of header columns. Typesetting needs
    these packages, and a Unicode engine or the T1 encoding.
    """

    name = "latex"
    lossless = True
    explanation = (
        "The table is a LaTeX tabular: & stands between the cells of a row, and two backslashes end "
        "it; multicolumn and multirow make merged cells."
    )

    def serialize(self, table: Table) -> str:  # noqa: D102
        # empty rows are written, so only spans can cover more places than there are cells
        most = most_places(sum(map(len, table.rows)) if table.has_spans else table.n_rows * table.n_columns)
        if table.n_rows * table.n_columns > most:
            raise SerializationError(f"latex: the table covers more than {most} places; use another format")
        declared = [f"% header columns: {table.header_columns}"] if table.header_columns else []
        return checked("\n".join([*declared, *_float(table)]), table, self.name)

    def parse(self, text: str) -> Table:
        """Read the first table of any LaTeX text, real-world ones included (see ``latex_reading``)."""
        return read_table(text, self.name)


def _float(table: Table) -> list[str]:
    """The tabular, in a ``table`` where there is a title or a note."""
    lines = _tabular(table)
    if not table.title and not table.notes:
        return lines
    title = [f"\\caption{{{escape_lines(table.title, _NEWLINE)}}}"] if table.title else []
    lines = [*title, *lines]
    if table.notes:
        notes = [f"\\item {escape_lines(note, _NEWLINE)}" for note in table.notes]
        lines += ["\\begin{tablenotes}", *notes, "\\end{tablenotes}"]
        lines = ["\\begin{threeparttable}", *lines, "\\end{threeparttable}"]
    return ["\\begin{table}", "\\centering", *lines, "\\end{table}"]


def _tabular(table: Table) -> list[str]:
    rows = list(_rows(table))
    if table.header_rows:
        rows.insert(table.header_rows, "\\midrule")
    return [f"\\begin{{tabular}}{{{_columns(table)}}}", "\\toprule", *rows, "\\bottomrule", "\\end{tabular}"]


def _columns(table: Table) -> str:
    """The column specification: numbers are aligned right, other columns left."""
    lines = table.texts or [[cell.text for cell in row] for row in table.grid]
    body = zip(*lines[table.header_rows :], strict=True)
    numbers = ["r" if all(map(_is_number, column)) else "l" for column in body]
    return "l" * table.header_columns + "".join(numbers[table.header_columns :])


def _rows(table: Table) -> Iterator[str]:
    if not table.has_spans:
        for texts in table.texts or [[cell.text for cell in row] for row in table.rows]:
            yield " & ".join(map(_text, texts)) + " \\\\"
        return
    for r, line in enumerate(table.grid):
        yield " & ".join(_spanned(line, table.origins[r], r)) + " \\\\"


def _spanned(line: Sequence[Cell], origins: Sequence[tuple[int, int]], r: int) -> Iterator[str]:
    for c, cell in enumerate(line):
        if origins[c][1] != c:
            continue
        text = _text(cell.text) if origins[c][0] == r else ""
        if cell.rowspan > 1 and origins[c][0] == r:
            text = f"\\multirow{{{cell.rowspan}}}{{*}}{{{text}}}"
        yield f"\\multicolumn{{{cell.colspan}}}{{c}}{{{text}}}" if cell.colspan > 1 else text


def _text(text: str) -> str:
    lines = escape_lines(text, "\\\\")
    return f"\\makecell{{{lines}}}" if "\n" in text else lines
