"""Cells with a sign between them: CSV, tabs, bars."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ...core.errors import ParseError
from ..readers.flat import csv_records
from ..table import Cell, Table
from .base import Serializer
from .structure import (
    assemble,
    checked,
    comments,
    describe,
    laid_out,
    leading_comments,
    understand,
    unescape,
)


class Csv(Serializer):
    """RFC 4180; leading ``#`` lines hold structure beyond one header row (see ``structure``).

    A first field that starts with ``#`` is quoted, so that it is not taken for such a line.
    """

    name = "csv"
    lossless = True
    explanation = (
        "Each line is a row of the table, with commas between its cells; the header comes first. A "
        "cell that holds a comma or a quotation mark stands in quotation marks. A comment above the "
        "table says what lines cannot show, such as merged cells."
    )

    def serialize(self, table: Table) -> str:  # noqa: D102
        lines = [[field(cell.text) for cell in row] for row in laid_out(table)]
        if lines[0][0].startswith("#"):
            lines[0][0] = quoted(lines[0][0])
        return checked(comments(describe(table)) + records(lines), table, self.name)

    def parse(self, text: str) -> Table:  # noqa: D102
        preamble, start = leading_comments(text)
        grid = [list(map(Cell, record)) for record in csv_records(text, self.name, start)]
        return assemble(grid, understand(preamble, self.name), self.name)


def records(lines: Sequence[Sequence[str]]) -> str:
    """Lines of fields that are quoted where they must be; an empty line would be no record."""
    return "\n".join([",".join(line) or '""' for line in lines])


def field(text: str) -> str:
    """A field, quoted where it must be."""
    special = "," in text or '"' in text or "\n" in text or "\r" in text
    return quoted(text) if special else text


def quoted(text: str) -> str:
    """A field in quotation marks."""
    return '"' + text.replace('"', '""') + '"'


class Escaped(Serializer):
    r"""A line a row, a sign between cells, and a backslash before it, and before ``n`` for a line break.

    Leading ``#`` lines hold structure beyond one header row (see ``structure``); a first cell that starts
    with ``#`` is written ``\#``, so that it is not read as such a line.

    Args:
        name: the format's name.
        sign: the sign between cells.
        written: how it is written in a cell.
        room: what stands on both sides of it.
        explanation: of the format.
    """

    lossless = True

    def __init__(self, name: str, sign: str, written: str, *, room: str, explanation: str) -> None:
        self.name, self.sign, self.room, self.explanation = name, sign, room, explanation
        self._escapes = str.maketrans({"\\": "\\\\", sign: written, "\n": "\\n", "\r": "\\r"})
        # written without choices inside a repetition, so that no text takes more than linear time
        self._cell = re.compile(rf"((?:[^\\{sign}]|\\.)*)({re.escape(sign)}|\Z)")

    def serialize(self, table: Table) -> str:  # noqa: D102
        between = f"{self.room}{self.sign}{self.room}"
        lines = [
            between.join([cell.text.translate(self._escapes) for cell in row]) for row in laid_out(table)
        ]
        text = "\n".join(lines)
        text = "\\" + text if text.startswith("#") else text
        return checked(comments(describe(table)) + text, table, self.name)

    def parse(self, text: str) -> Table:  # noqa: D102
        preamble, start = leading_comments(text)
        grid = [self._cells(line) for line in text[start:].split("\n")]
        return assemble(grid, understand(preamble, self.name), self.name)

    def _cells(self, line: str) -> list[Cell]:
        cells, at, is_last = [], 0, False
        while not is_last:
            match = self._cell.match(line, at)
            if match is None:
                raise ParseError(
                    f"{self.name}: found {line[:60]!r}; expected cells with {self.sign!r} between them, "
                    "a backslash before signs"
                )
            is_last = match[2] != self.sign
            text = match[1] if at == 0 else match[1].removeprefix(self.room)
            cells.append(Cell(unescape(text if is_last else text.removesuffix(self.room))))
            at = match.end()
        return cells


NL_SEP = Escaped(
    "nl_sep",
    "|",
    "\\|",
    room=" ",
    explanation="Each line is a row of the table, with bars between its cells; the header comes first. Lines "
    "that begin with # say what rows cannot show, such as a title or merged cells.",
)
TSV = Escaped(
    "tsv",
    "\t",
    "\\t",
    room="",
    explanation="Each line is a row of the table, with tabs between its cells; the header comes first. Lines "
    "that begin with # say what rows cannot show, such as a title or merged cells.",
)
