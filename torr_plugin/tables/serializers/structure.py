"""What a plain format has no place for (header depth, merged cells, title, notes), as a short preamble.

One line each, in the format's own comment syntax, and only where it differs from a flat table::

    # title: Visitors by year
    # header rows: 2
    # header columns: 1
    # merged: A1:A2, B1:C1
    # note: preliminary

Ranges are a spreadsheet's: columns are letters, and row 1 is the first line of the table, header included.
The text of a merged cell is in its first place.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from ...core.errors import ParseError, TableError
from ..table import Cell, Table

_RANGE = re.compile(r"([A-Z]{1,6})([1-9][0-9]{0,8}):([A-Z]{1,6})([1-9][0-9]{0,8})")
_ESCAPE = str.maketrans({"\\": "\\\\", "\n": "\\n", "\r": "\\r", ">": "\\>"})
_UNESCAPE = re.compile(r"\\(.)", re.DOTALL)
_NAMED = {"n": "\n", "r": "\r"}
_MOST_PLACES = 4_000_000

Area = tuple[int, int, int, int]
"""First row, first column, rows, columns."""


@dataclass
class Structure:
    """A preamble, read."""

    header_rows: int = 1
    header_columns: int = 0
    merged: tuple[Area, ...] = ()
    title: str = ""
    notes: tuple[str, ...] = ()


def describe(table: Table, *, shown_header_rows: int = 1) -> list[str]:
    """The preamble's lines without their comment signs; empty for a flat table.

    ``shown_header_rows`` is the header depth that the format itself shows.
    """
    lines = [f"title: {escape(table.title)}"] if table.title else []
    if table.header_rows != shown_header_rows:
        lines.append(f"header rows: {table.header_rows}")
    if table.header_columns:
        lines.append(f"header columns: {table.header_columns}")
    if table.has_spans:
        lines.append("merged: " + ", ".join(merged_ranges(table)))
    lines += [f"note: {escape(note)}" for note in table.notes]
    return lines


def understand(lines: Iterable[str], name: str, *, shown_header_rows: int = 1) -> Structure:
    """The inverse of :func:`describe`.

    Raises:
        ParseError: a line that is none of the five kinds, or a value that cannot be.
    """
    found = Structure(header_rows=shown_header_rows)
    for line in lines:
        key, colon, value = line.partition(": ")
        if key == "title" and colon:
            found.title = unescape(value)
        elif key == "note" and colon:
            found.notes += (unescape(value),)
        elif key == "header rows":
            found.header_rows = _count(value, line, name)
        elif key == "header columns":
            found.header_columns = _count(value, line, name)
        elif key == "merged":
            found.merged = tuple(read_range(text, name) for text in value.split(", "))
        else:
            raise ParseError(
                f"{name}: the preamble has {line[:60]!r}; "
                "expected title, header rows, header columns, merged or note"
            )
    return found


def escape(text: str) -> str:
    r"""One line, without ``>`` unescaped (so that no comment ends in it): ``\n``, ``\r``, ``\>``, ``\\``."""
    return text.translate(_ESCAPE)


def unescape(text: str) -> str:
    """The inverse of :func:`escape`."""
    return _UNESCAPE.sub(lambda match: _NAMED.get(match[1], match[1]), text) if "\\" in text else text


def merged_ranges(table: Table) -> list[str]:
    """The areas of the cells that cover more than one place, e.g. ``["A1:B1", "A2:A3"]``."""
    return [
        f"{_letters(c)}{r + 1}:{_letters(c + cell.colspan - 1)}{r + cell.rowspan}"
        for r, row in enumerate(table.placed_rows)
        for c, cell in row
        if _is_merged(cell)
    ]


def read_range(text: str, name: str) -> Area:
    """``"A2:B3"`` -> (1, 0, 2, 2)."""
    match = _RANGE.fullmatch(text)
    if match:
        left, top, right, bottom = _column(match[1]), int(match[2]) - 1, _column(match[3]), int(match[4]) - 1
        if left <= right and top <= bottom:
            return top, left, bottom - top + 1, right - left + 1
    raise ParseError(f"{name}: {text[:40]!r} is no range of cells; expected one such as A1:B2")


def most_places(cells: int) -> int:
    """How many places so many cells may cover: large tables pass, small ones with huge spans do not."""
    return _MOST_PLACES + cells


def laid_out(table: Table, *, repeat: bool = False) -> Sequence[Sequence[Cell]]:
    """The rectangle of cells, covered places empty, or filled with their cell's text where ``repeat``."""
    if not table.has_spans:
        return table.rows
    if repeat:
        return table.grid
    empty = Cell("")
    return [
        [cell if table.origins[r][c] == (r, c) else empty for c, cell in enumerate(line)]
        for r, line in enumerate(table.grid)
    ]


def assemble(grid: Sequence[Sequence[Cell]], structure: Structure, name: str) -> Table:
    """The table of a rectangle of cells and a structure.

    Raises:
        ParseError: rows of different lengths, ranges outside the table, a header that leaves no body.
    """
    try:
        return Table(
            _merge(grid, structure.merged) if structure.merged else tuple(map(tuple, grid)),
            header_rows=structure.header_rows,
            header_columns=structure.header_columns,
            title=structure.title,
            notes=structure.notes,
        )
    except TableError as error:
        raise ParseError(f"{name}: {error}") from None


def _merge(grid: Sequence[Sequence[Cell]], areas: Iterable[Area]) -> tuple[tuple[Cell, ...], ...]:
    lines: list[list[Cell | None]] = [list(line) for line in grid]
    for r, c, height, width in areas:
        if r + height > len(lines) or any(c + width > len(line) for line in lines[r : r + height]):
            raise TableError(
                f"the merged range {_letters(c)}{r + 1} of {height} x {width} cells ends outside the table"
            )
        anchor = lines[r][c]
        taken = any(
            cell is None or _is_merged(cell) for line in lines[r : r + height] for cell in line[c : c + width]
        )
        if anchor is None or taken:
            raise TableError(f"the merged range at {_letters(c)}{r + 1} overlaps another")
        for line in lines[r : r + height]:
            line[c : c + width] = [None] * width
        lines[r][c] = replace(anchor, rowspan=height, colspan=width)
    return tuple(tuple(cell for cell in line if cell is not None) for line in lines)


def _is_merged(cell: Cell) -> bool:
    return (cell.rowspan, cell.colspan) != (1, 1)


def _count(value: str, line: str, name: str) -> int:
    if value.isascii() and value.isdigit() and len(value) <= 9:
        return int(value)
    raise ParseError(f"{name}: the preamble has {line[:60]!r}; expected a number such as 'header rows: 2'")


def _letters(column: int) -> str:
    """0 -> A, 25 -> Z, 26 -> AA."""
    letters = ""
    column += 1
    while column:
        column, last = divmod(column - 1, 26)
        letters = chr(ord("A") + last) + letters
    return letters


def _column(letters: str) -> int:
    """A -> 0, AA -> 26."""
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - ord("A") + 1
    return number - 1


def comments(lines: Iterable[str]) -> str:
    """The lines as comments, each ended by a newline."""
    return "".join(f"# {line}\n" for line in lines)


def leading_comments(text: str) -> tuple[list[str], int]:
    """The comments that a text begins with, and where the rest of it begins."""
    lines, start = [], 0
    while text.startswith("#", start):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        lines.append(text[start + 1 : end].removeprefix(" ").removesuffix("\r"))
        start = end + 1
    return lines, start
