"""What formats share: cells on their way into a text, and a preamble for what a plain grid has no place for.

The preamble has a line each, in the format's own comment syntax, and only where a table is not flat::

    # title: Visitors by year
    # header rows: 2
    # header columns: 1
    # merged: A1:A2, B1:C1
    # note: preliminary

Ranges are a spreadsheet's: columns are letters, and row 1 is the first line of the table, header included.
The text of a merged cell is in its first place.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from ...core.errors import ParseError, SerializationError, TableError
from ..table import Cell, Scalar, Table

_RANGE = re.compile(r"([A-Z]{1,6})([1-9][0-9]{0,8}):([A-Z]{1,6})([1-9][0-9]{0,8})")
_ESCAPE = str.maketrans({"\\": "\\\\", "\n": "\\n", "\r": "\\r", ">": "\\>"})
_UNESCAPE = re.compile(r"\\(.)", re.DOTALL)
_NAMED = {"n": "\n", "r": "\r", "t": "\t"}
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


def describe(table: Table) -> list[str]:
    """The preamble's lines without their comment signs; empty for a flat table."""
    lines = [f"title: {escape(table.title)}"] if table.title else []
    if table.header_rows != 1:
        lines.append(f"header rows: {table.header_rows}")
    if table.header_columns:
        lines.append(f"header columns: {table.header_columns}")
    if table.has_spans:
        lines.append("merged: " + ", ".join(merged_ranges(table)))
    lines += [f"note: {escape(note)}" for note in table.notes]
    return lines


def understand(lines: Iterable[str], name: str) -> Structure:
    """The inverse of :func:`describe`.

    Raises:
        ParseError: a line that is none of the five kinds, or a value that cannot be.
    """
    found = Structure()
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


def _count(value: str, line: str, name: str) -> int:
    if value.isascii() and value.isdigit() and len(value) <= 9:
        return int(value)
    raise ParseError(f"{name}: the preamble has {line[:60]!r}; expected a number such as 'header rows: 2'")


def comments(lines: Iterable[str], sign: str = "#") -> str:
    """The lines as comments, each ended by a newline."""
    return "".join(f"{sign} {line}\n" for line in lines)


def leading_comments(text: str) -> tuple[list[str], int]:
    """The comments that a text begins with, and where the rest of it begins."""
    lines, start = [], 0
    while text.startswith("#", start):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        lines.append(text[start + 1 : end].removeprefix(" ").removesuffix("\r"))
        start = end + 1
    return lines, start


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


def most_places(cells: int) -> int:
    """How many places so many cells may cover: large tables pass, small ones with huge spans do not."""
    return _MOST_PLACES + cells


def check_places(table: Table, name: str) -> None:
    """Refuse a table whose few cells cover very many places, in formats that write a mark for each.

    Raises:
        SerializationError: it does.
    """
    places = table.n_rows * table.n_columns
    most = most_places(sum(map(len, table.rows))) if table.has_spans else places
    if places > most:
        raise SerializationError(f"{name}: the table covers more than {most} places; use another format")


def laid_out(table: Table) -> Sequence[Sequence[Cell]]:
    """The rectangle of cells, with an empty one in every place that another cell covers."""
    if not table.has_spans:
        return table.rows
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
        lines[r][c] = anchor._replace(rowspan=height, colspan=width)
    return tuple(tuple(cell for cell in line if cell is not None) for line in lines)


def _is_merged(cell: Cell) -> bool:
    return (cell.rowspan, cell.colspan) != (1, 1)


def checked(text: str, table: Table, name: str, *, nul: bool = True) -> str:
    """``text``, if it can be stored at all: no lone surrogate (no encoding has them), no NUL unless ``nul``.

    Raises:
        SerializationError: format, place and character.
    """
    if not nul and "\0" in text:
        raise _refusal(table, name, lambda char: char == "\0", "the character NUL, which this format forbids")
    if not text.isascii():
        try:
            text.encode("utf-8")
        except UnicodeEncodeError as error:
            found = f"the lone surrogate U+{ord(text[error.start]):04X}, which is no character"
            raise _refusal(table, name, lambda char: "\ud800" <= char <= "\udfff", found) from None
    return text


def _refusal(table: Table, name: str, is_bad: Callable[[str], bool], found: str) -> SerializationError:
    place = next(where for where, text in _places(table) if any(map(is_bad, text)))
    return SerializationError(f"{name}: {place} has {found}; remove it or use another format")


def _places(table: Table) -> Iterator[tuple[str, str]]:
    for r, row in enumerate(table.placed_rows):
        for c, cell in row:
            yield f"the cell in row {r}, column {c}", cell.text
    yield "the title", table.title
    for index, note in enumerate(table.notes):
        yield f"note {index}", note


def bare(cell: Cell) -> Scalar:
    """What to write for a cell: its number, boolean or ``None``, if reading that back gives the same text."""
    value = cell.raw
    if type(value) is str:
        return value
    if value is None:
        return value if cell.text == "" else cell.text
    plain = type(value) in (int, bool) or (type(value) is float and math.isfinite(value))
    return value if plain and len(cell.text) < 4000 and str(value) == cell.text else cell.text


def column_names(table: Table) -> list[str]:
    """A name for each column, all different, for formats that say a cell with its column's name.

    The labels above a column are joined by a slash (``2019 / Male``); a column without any is ``column 3``,
    and a second ``Year`` is ``Year (2)``.
    """
    paths = [" / ".join([label for label in path if label.strip()]) for path in table.column_paths]
    return distinct([path or f"column {number}" for number, path in enumerate(paths, start=1)], " ({})")


def distinct(names: Sequence[str], numbered: str) -> list[str]:
    """The names, with a number behind those that an earlier one equals, also where only case differs."""
    known: set[str] = set()
    found: list[str] = []
    for name in names:
        own, count = name, 1
        while own.casefold() in known:
            count += 1
            own = name + numbered.format(count)
        known.add(own.casefold())
        found.append(own)
    return found
