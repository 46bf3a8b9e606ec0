"""Cells with a sign between them: CSV, tabs, bars, unitxt's row-major texts and plain concatenation."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence

from ...core.errors import ParseError
from ..readers.flat import csv_records
from ..table import Cell, Table
from .base import UNITXT_LOSES, Serializer
from .structure import (
    assemble,
    checked,
    comments,
    describe,
    laid_out,
    leading_comments,
    understand,
    unescape,
    unitxt_texts,
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
        lines = [[_field(cell.text) for cell in row] for row in laid_out(table)]
        if lines[0][0].startswith("#"):
            lines[0][0] = quoted(lines[0][0])
        return checked(comments(describe(table)) + _records(lines), table, self.name)

    def parse(self, text: str) -> Table:  # noqa: D102
        preamble, start = leading_comments(text)
        grid = [[Cell(field) for field in record] for record in csv_records(text, self.name, start)]
        return assemble(grid, understand(preamble, self.name), self.name)


class TorrCsv(Serializer):
    """As unitxt's ``TableSerializer``: Python's csv writer, the whole stripped of surrounding white space."""

    name = "torr.csv"
    loses = UNITXT_LOSES
    explanation = "Each line is a row of the table, with commas between its cells; the header comes first."

    def serialize(self, table: Table) -> str:  # noqa: D102
        # the writer turns None into nothing and numbers into their text, as the cells have done
        header, rows = unitxt_texts(table, self.name, absent="")
        lines = [header, *rows]
        if any("\r" in text for line in lines for text in line):
            return _by_python(lines).strip()
        return _records([list(map(_field, line)) for line in lines]).strip()


def _records(lines: Sequence[Sequence[str]]) -> str:
    """Lines of fields that are quoted where they must be; an empty line would be no record."""
    return "\n".join([",".join(line) or '""' for line in lines])


def _by_python(lines: Sequence[Sequence[str]]) -> str:
    """The records by Python's csv writer, whose versions differ in whether a carriage return is quoted."""
    # Python 3.10 cannot write a NUL: replace it by a character that the text lacks, and back
    everything = {character for line in lines for text in line for character in text}
    stand_in = next(chr(code) for code in range(0xE000, 0x110000) if chr(code) not in everything)
    output = io.StringIO()
    writer = csv.writer(output, lineterminator="\n")
    writer.writerows([[text.replace("\0", stand_in) for text in line] for line in lines])
    return output.getvalue().replace(stand_in, "\0")


def _field(text: str) -> str:
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


class TorrIndexedRowMajor(Serializer):
    """As unitxt's ``SerializeTableAsIndexedRowMajor``: ``col : a | b row 1 : 1 | 2``, nothing escaped."""

    name = "torr.indexed_row_major"
    loses = UNITXT_LOSES
    explanation = (
        "The header comes first, after the word col; then the rows, each after its number, which "
        "begins at 1, and with bars between its cells."
    )

    def serialize(self, table: Table) -> str:  # noqa: D102
        header, rows = unitxt_texts(table, self.name)
        lines = [f"row {number} : {' | '.join(row)}" for number, row in enumerate(rows, start=1)]
        return " ".join([f"col : {' | '.join(header)}", *lines]).strip()


class TorrConcat(Serializer):
    """As unitxt's ``SerializeTableAsConcatenation``: ``name age Alex 26 Diana 34``."""

    name = "torr.concat"
    loses = "where a cell ends, title, notes and merged cells"
    explanation = "All cells stand one after another, row by row, the header first."

    def serialize(self, table: Table) -> str:  # noqa: D102
        header, rows = unitxt_texts(table, self.name)
        return " ".join([" ".join(header), *map(" ".join, rows)]).strip()
