"""Where on which sheet the table and its title and notes stand."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from ...core.errors import TableError
from ._texts import shown

_PLACE = re.compile(
    r"(?:'((?:[^']|'')+)'|([^'!]+))!(\$?[A-Z]{1,3}\$?[0-9]{1,7}(?::\$?[A-Z]{1,3}\$?[0-9]{1,7})?)"
)


@dataclass(frozen=True)
class Bounds:
    """A rectangle of a sheet; rows and columns count from 1, the last ones included."""

    top: int
    left: int
    bottom: int
    right: int

    @property
    def places(self) -> int:
        """How many cells it covers."""
        return (self.bottom - self.top + 1) * (self.right - self.left + 1)


@dataclass(frozen=True)
class Parts:
    """What a sheet holds."""

    sheet: Any
    cells: Bounds
    header_rows: int
    header_columns: int
    title: str = ""
    notes: tuple[str, ...] = ()


def parts(book: Any, sheet: Any, where: str) -> Parts:
    """The parts that the workbook's names tell, or, without these, all that has text on the sheet.

    Raises:
        TableError: the sheet is empty.
    """
    named = {name: place for name in book.defined_names if (place := _named(book, name))}
    cells = named.get("TableCells")
    if cells and (sheet is None or cells[0] is sheet):
        return _told({name: bounds for name, (on, bounds) in named.items() if on is cells[0]}, cells[0])
    chosen = sheet if sheet is not None else book.worksheets[0]
    return _inferred(chosen, where)


def _named(book: Any, name: str) -> tuple[Any, Bounds] | None:
    from openpyxl.utils import range_boundaries

    match = _PLACE.fullmatch(book.defined_names[name].attr_text or "")
    title = match and (match[1].replace("''", "'") if match[1] else match[2])
    if not match or title not in [sheet.title for sheet in book.worksheets]:
        return None
    left, top, right, bottom = range_boundaries(match[3].replace("$", ""))
    return book[title], Bounds(top, left, bottom, right)


def _told(named: dict[str, Bounds], sheet: Any) -> Parts:
    header, labels = named.get("TableHeader"), named.get("TableRowLabels")
    title, notes = named.get("TableTitle"), named.get("TableNotes")
    return Parts(
        sheet,
        named["TableCells"],
        header_rows=header.bottom - header.top + 1 if header else 0,
        header_columns=labels.right - labels.left + 1 if labels else 0,
        title=_text(sheet, title.top, title.left) if title else "",
        notes=tuple(_text(sheet, row, notes.left) for row in _lines(notes, sheet)) if notes else (),
    )


def _lines(notes: Bounds, sheet: Any) -> range:
    """The rows of the notes, of which a damaged name could claim a million."""
    return range(notes.top, min(notes.bottom, sheet.max_row + 1000) + 1)


def _text(sheet: Any, row: int, column: int) -> str:
    return shown(sheet.cell(row, column).value, "")


def _inferred(sheet: Any, where: str) -> Parts:
    cells = _used(sheet, where)
    frozen = _frozen(sheet, cells)
    rows, columns = frozen or (_depth(sheet, cells), 0)
    return Parts(
        sheet,
        cells,
        header_rows=min(rows, cells.bottom - cells.top),
        header_columns=min(columns, cells.right - cells.left),
    )


def _used(sheet: Any, where: str) -> Bounds:
    """The smallest rectangle with all cells that have a value, and the merged ones that touch it."""
    filled = [(row, column) for (row, column), cell in sheet._cells.items() if cell.value not in (None, "")]
    if not filled:
        raise TableError(f"{where}: sheet {sheet.title!r} is empty; expected a table")
    rows, columns = zip(*filled, strict=True)
    top, left, bottom, right = min(rows), min(columns), max(rows), max(columns)
    for each in sheet.merged_cells.ranges:
        if top <= each.min_row <= bottom and left <= each.min_col <= right:
            bottom, right = max(bottom, each.max_row), max(right, each.max_col)
    return Bounds(top, left, bottom, right)


def _frozen(sheet: Any, cells: Bounds) -> tuple[int, int] | None:
    from openpyxl.utils.cell import column_index_from_string, coordinate_from_string

    if not sheet.freeze_panes:
        return None
    letters, row = coordinate_from_string(sheet.freeze_panes)
    rows, columns = row - cells.top, column_index_from_string(letters) - cells.left
    return (max(rows, 0), max(columns, 0)) if rows > 0 or columns > 0 else None


def _depth(sheet: Any, cells: Bounds) -> int:
    """How many rows the first row's merged cells make a header."""
    depth = 1
    for each in sheet.merged_cells.ranges:
        if each.min_row == cells.top:
            is_across = each.max_col > each.min_col
            depth = max(depth, each.max_row - each.min_row + 1 + is_across)
    return depth
