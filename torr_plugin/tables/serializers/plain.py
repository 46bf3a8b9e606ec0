"""Plain text with signs between cells: ``indexed_row_major``, ``nl_sep`` and ``concat``."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ...core.errors import ParseError
from ..table import Cell, Table
from .base import Serializer
from .structure import (
    Structure,
    assemble,
    comments,
    describe,
    laid_out,
    leading_comments,
    understand,
    unescape,
)
from .texts import checked, plain_row, unitxt_texts

_any_special = re.compile(r"[\\|\n\r:]").search
_special = re.compile(r"[\\|\n\r]|(?:col|row [0-9]+) :").search
_ESCAPES = re.compile(r"[\\|\n\r]|(?<=col ):|(?<=[0-9] ):")
_AS = {"\n": "\\n", "\r": "\\r"}
_NL_ESCAPE = str.maketrans({"\\": "\\\\", "|": "\\|", "\n": "\\n", "\r": "\\r"})
_NL_CELL = re.compile(r"((?:[^\\|]|\\.)*)(\||\Z)")


class Concat(Serializer):
    """Title, cells (a merged one once) and notes, in reading order, e.g. ``name age Alex 26 Diana 34``."""

    name = "concat"
    explanation = "All cells stand one after another, row by row, the header first."

    def serialize(self, table: Table) -> str:  # noqa: D102
        parts = [cell.text for row in table.rows for cell in row]
        if table.title or table.notes:
            parts = [table.title, *parts, *table.notes] if table.title else [*parts, *table.notes]
        return checked(" ".join(parts), table, self.name)


class TorrConcat(Concat):
    """As unitxt's ``SerializeTableAsConcatenation``."""

    name = "torr.concat"

    def serialize(self, table: Table) -> str:  # noqa: D102
        header, rows = unitxt_texts(table, self.name)
        return " ".join([" ".join(header), *map(" ".join, rows)]).strip()


class IndexedRowMajor(Serializer):
    r"""Header rows as ``col : ...``, body rows as ``row 1 : ...``; pipes and newlines are escaped by ``\``.

    A cell that says ``row 1 :`` itself is written ``row 1 \:``; leading ``#`` lines hold other structure.
    """

    name = "indexed_row_major"
    lossless = True
    explanation = (
        "The header comes first, after the word col; then the rows, each after its number, which "
        "begins at 1, and with bars between its cells."
    )

    def serialize(self, table: Table) -> str:  # noqa: D102
        depth = table.header_rows
        lines = [_line(row) for row in laid_out(table)]
        parts = [f"col : {line}" for line in lines[:depth]]
        parts += [f"row {number} : {line}" for number, line in enumerate(lines[depth:], start=1)]
        preamble = comments(describe(table, shown_header_rows=depth))
        return checked(preamble + " ".join(parts), table, self.name)

    def parse(self, text: str) -> Table:  # noqa: D102
        preamble, start = leading_comments(text)
        heads, body = _segments(text[start:], self.name)
        structure = understand(preamble, self.name, shown_header_rows=len(heads))
        grid = [[Cell(unescape(cell)) for cell in line.split(" | ")] for line in (*heads, *body)]
        return assemble(grid, structure, self.name)


class TorrIndexedRowMajor(IndexedRowMajor):
    """As unitxt's ``SerializeTableAsIndexedRowMajor``: nothing is escaped."""

    name = "torr.indexed_row_major"
    lossless = False

    def serialize(self, table: Table) -> str:  # noqa: D102
        header, rows = unitxt_texts(table, self.name)
        lines = [f"row {number} : {' | '.join(row)}" for number, row in enumerate(rows, start=1)]
        return " ".join([f"col : {' | '.join(header)}", *lines]).strip()

    def parse(self, text: str) -> Table:
        """Read the texts between the marks; a pipe inside a cell begins another cell."""
        # the writer strips the whole, which takes the separator's space from a last cell that is empty
        heads, body = _segments(text + " " if text.endswith((" |", " :")) else text, self.name)
        grid = [list(map(Cell, line.split(" | "))) for line in (*heads, *body)]
        return assemble(grid, Structure(header_rows=len(heads)), self.name)


def _segments(text: str, name: str) -> tuple[list[str], list[str]]:
    """The texts after each ``col :``, and after ``row 1 :``, ``row 2 :``, ..."""
    heads: list[str] = []
    rest = " " + text
    if not rest.startswith((" col : ", " row 1 : ")):
        raise ParseError(f"{name}: the text starts with {text[:40]!r}; expected 'col : ' or 'row 1 : '")
    head, mark, rest = rest.partition(" row 1 : ")
    if head:
        heads = head.split(" col : ")[1:]
    if not mark:
        raise ParseError(f"{name}: the text has no 'row 1 : '; expected at least one body row")
    body: list[str] = []
    while mark:
        line, mark, rest = rest.partition(f" row {len(body) + 2} : ")
        body.append(line)
    return heads, body


def _line(row: Sequence[Cell]) -> str:
    plain = plain_row(row, _any_special, " | ")
    return " | ".join([_escape(cell.text) for cell in row]) if plain is None else plain


def _escape(text: str) -> str:
    return _ESCAPES.sub(lambda match: _AS.get(match[0]) or "\\" + match[0], text) if _special(text) else text


class NlSep(Serializer):
    r"""``Name | Age``, a line a row, the header first; ``\|`` is a bar, ``\n`` a line break in a cell.

    Leading ``#`` lines hold structure beyond one header row (see ``structure``); a first cell that starts
    with ``#`` is written ``\#``, so that it is not read as such a line.
    """

    name = "nl_sep"
    lossless = True
    explanation = (
        "Each line is a row of the table, with bars between its cells; the header comes first. Lines "
        "that begin with # say what rows cannot show, such as a title or merged cells."
    )

    def serialize(self, table: Table) -> str:  # noqa: D102
        texts = table.texts or [[cell.text for cell in row] for row in laid_out(table)]
        text = "\n".join([" | ".join([each.translate(_NL_ESCAPE) for each in row]) for row in texts])
        text = "\\" + text if text.startswith("#") else text
        return checked(comments(describe(table)) + text, table, self.name)

    def parse(self, text: str) -> Table:  # noqa: D102
        preamble, start = leading_comments(text)
        lines = text[start:].split("\n")
        return assemble(
            [_nl_cells(line, self.name) for line in lines], understand(preamble, self.name), self.name
        )


def _nl_cells(line: str, name: str) -> list[Cell]:
    """The cells of a line; one space belongs to each side of a bar."""
    cells, at, first = [], 0, True
    while True:
        match = _NL_CELL.match(line, at)
        if match is None:
            raise ParseError(
                f"{name}: found {line[:60]!r}; expected cells with | between them, \\ before signs"
            )
        last = match[2] != "|"
        text = match[1] if first else match[1].removeprefix(" ")
        cells.append(Cell(unescape(text if last else text.removesuffix(" "))))
        if last:
            return cells
        at, first = match.end(), False
