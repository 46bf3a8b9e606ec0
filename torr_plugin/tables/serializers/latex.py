r"""LaTeX tables (booktabs, multirow, makecell): written, not read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ..table import Cell, Table
from .base import Serializer
from .structure import check_places, checked

_is_number = re.compile(r"[-+(]?[$€£]?[0-9][0-9., ]*%?\)?").fullmatch
_NEWLINE = "\\newline{}"
_SPECIAL = {char: "\\" + char for char in "{}$&#_%"}
_SPECIAL |= {"\\": "\\textbackslash{}", "^": "\\textasciicircum{}", "~": "\\textasciitilde{}", "\u00a0": "~"}
# brackets and stars behind a row's end would be taken for its options, and two signs that LaTeX joins are
# kept apart
_ESCAPES = re.compile(
    r"[\\{}$&#^_~%\u00a0\x00-\x09\x0b-\x1f\x7f-\x9f]|\A[\[*]|\A +| +\Z|  +"
    r"|(?<=-)-|(?<=[`!?])`|(?<=')'|(?<=<)<|(?<=>)>|(?<=,),"
)


class Latex(Serializer):
    r"""A ``tabular`` between booktabs' rules, header rows above ``\midrule``; merged cells by multirow.

    A title is the caption and notes are ``tablenotes`` (threeparttable) of a ``table`` around it; a newline
    in a cell makes it a ``\makecell``. A leading comment has the number of header columns. Typesetting needs
    these packages, and a Unicode engine or the T1 encoding.
    """

    name = "latex"
    loses = "nothing that one sees; it is not read back"
    explanation = (
        "The table is a LaTeX tabular: & stands between the cells of a row, and two backslashes end "
        "it; multicolumn and multirow make merged cells."
    )

    def serialize(self, table: Table) -> str:  # noqa: D102
        check_places(table, self.name)
        declared = [f"% header columns: {table.header_columns}"] if table.header_columns else []
        return checked("\n".join([*declared, *_float(table, self._rows(table))]), table, self.name)

    def _rows(self, table: Table) -> list[str]:
        """The lines of the tabular between its outer rules."""
        rows = list(_rows(table))
        if table.header_rows:
            rows.insert(table.header_rows, "\\midrule")
        return rows


class LatexBooktabs(Latex):
    r"""``latex`` as papers set it: a ``\cmidrule`` under each heading of several columns, no comment."""

    name = "latex_booktabs"
    loses = "how many columns are headers; it is not read back"
    explanation = (
        "The table is a LaTeX tabular: & stands between the cells of a row, and two backslashes end it; "
        "multicolumn and multirow make merged cells, and a cmidrule stands under a heading of several "
        "columns."
    )

    def serialize(self, table: Table) -> str:  # noqa: D102
        check_places(table, self.name)
        return checked("\n".join(_float(table, self._rows(table))), table, self.name)

    def _rows(self, table: Table) -> list[str]:
        found: list[str] = []
        for r, line in enumerate(super()._rows(table)):
            found.append(line)
            if r + 1 < table.header_rows:
                rules = [
                    f"\\cmidrule(lr){{{c + 1}-{c + cell.colspan}}}"
                    for c, cell in table.placed_rows[r]
                    if cell.colspan > 1 and cell.rowspan == 1
                ]
                found += [" ".join(rules)] if rules else []
        return found


def _float(table: Table, rows: Sequence[str]) -> list[str]:
    """The tabular, in a ``table`` where there is a title or a note."""
    lines = [
        f"\\begin{{tabular}}{{{_columns(table)}}}",
        "\\toprule",
        *rows,
        "\\bottomrule",
        "\\end{tabular}",
    ]
    if not table.title and not table.notes:
        return lines
    title = [f"\\caption{{{_lines(table.title, _NEWLINE)}}}"] if table.title else []
    lines = [*title, *lines]
    if table.notes:
        notes = [f"\\item {_lines(note, _NEWLINE)}" for note in table.notes]
        lines += ["\\begin{tablenotes}", *notes, "\\end{tablenotes}"]
        lines = ["\\begin{threeparttable}", *lines, "\\end{threeparttable}"]
    return ["\\begin{table}", "\\centering", *lines, "\\end{table}"]


def _columns(table: Table) -> str:
    """The column specification: numbers are aligned right, other columns left."""
    body = zip(*table.body, strict=True)
    numbers = ["r" if all(_is_number(cell.text) for cell in column) else "l" for column in body]
    return "l" * table.header_columns + "".join(numbers[table.header_columns :])


def _rows(table: Table) -> Iterator[str]:
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
    lines = _lines(text, "\\\\")
    return f"\\makecell{{{lines}}}" if "\n" in text else lines


def _lines(text: str, between: str) -> str:
    """A text of several lines as LaTeX, with ``between`` for newlines."""
    return between.join([_ESCAPES.sub(_escaped, line) for line in text.split("\n")])


def _escaped(match: re.Match[str]) -> str:
    found = match[0]
    if found[0] == " ":
        return "\\ " * len(found)
    if found in _SPECIAL:
        return _SPECIAL[found]
    if found in "[*":
        return "{" + found + "}"
    if found < " " or "\x7f" <= found < "\xa0":
        return f'\\symbol{{"{ord(found):02X}}}'
    return "{}" + found
