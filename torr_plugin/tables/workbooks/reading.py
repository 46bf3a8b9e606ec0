"""Read the table of an XLSX workbook, ours or any other."""

from __future__ import annotations

import io
import re
import warnings
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import openpyxl
from openpyxl.utils import range_boundaries
from openpyxl.utils.cell import column_index_from_string, coordinate_from_string

from ...core.errors import TableError
from ..serializers.structure import Area, Structure, assemble
from ..table import Cell, Table
from ._archive import MOST_PLACES, check
from .values import shown

_EMPTY = Cell("")


def read_xlsx(
    source: str | Path | bytes,
    sheet: str | None = None,
    *,
    header_rows: int | None = None,
    header_columns: int | None = None,
) -> Table:
    """Read the table on a sheet of a workbook, with merged cells.

    Our own workbooks mark their parts with names (see the package). In any other the table is all that has
    text. Its header is the frozen panes; without these it is the first row and as many more
    as its merged cells reach, or one below a cell merged across, of which the same holds.

    Args:
        source: a path, or the workbook's bytes.
        sheet: the sheet's name; by default the one with our names, or the first.
        header_rows: the number of header rows, instead of what the workbook shows.
        header_columns: the number of header columns, likewise.

    Raises:
        TableError: no such file, no workbook, no such sheet, an empty one, a formula without its value, one
            that would take too much memory, or a table that cannot be.
    """
    where = "xlsx" if isinstance(source, bytes) else str(source)
    book = _opened(_content(source, where), where)
    found = parts(book, _chosen(book, sheet, where), where)
    bounds = found.cells
    if bounds.places > MOST_PLACES:
        raise TableError(f"{where}: the table covers {bounds.places} places; expected at most {MOST_PLACES}")
    places = found.sheet._cells  # looking cells up through openpyxl would create missing ones
    grid = [
        [_cell(places.get((r, c))) for c in range(bounds.left, bounds.right + 1)]
        for r in range(bounds.top, bounds.bottom + 1)
    ]
    structure = found.structure
    structure.merged = _merged(found)
    if header_rows is not None:
        structure.header_rows = header_rows
    if header_columns is not None:
        structure.header_columns = header_columns
    return assemble(grid, structure, where)


def sheet_names(source: str | Path | bytes) -> list[str]:
    """The names of a workbook's sheets of cells, in order.

    Raises:
        TableError: no such file, or no workbook.
    """
    where = "xlsx" if isinstance(source, bytes) else str(source)
    return [sheet.title for sheet in _opened(_content(source, where), where).worksheets]


def _content(source: str | Path | bytes, where: str) -> bytes:
    if isinstance(source, bytes):
        data = source
    elif isinstance(source, str | Path):
        try:
            data = Path(source).read_bytes()
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise TableError(f"{where}: the workbook cannot be read: {reason}") from None
    else:
        raise TableError(f"xlsx: the workbook is {type(source).__name__}; expected a path or bytes")
    check(data, where)
    return data


def _opened(data: bytes, where: str) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about features that we do not need (styles, validation)
        try:
            book = openpyxl.load_workbook(io.BytesIO(data), data_only=True)
            if any(b"<f" in part for part in _sheets(data)):
                _check_formulas(openpyxl.load_workbook(io.BytesIO(data)), book, where)
        except TableError:
            raise
        except Exception as error:  # a damaged part can be anything to openpyxl
            reason = (str(error).splitlines() or [type(error).__name__])[0][:100]
            raise TableError(f"{where}: it is not an XLSX workbook ({reason})") from None
    return book


def _sheets(data: bytes) -> list[bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return [archive.read(name) for name in archive.namelist() if name.startswith("xl/worksheets/")]


def _check_formulas(written: Any, book: Any, where: str) -> None:
    """Refuse formulas without a stored value."""
    for sheet in written.worksheets:
        for row in sheet.iter_rows():
            for cell in row:
                if cell.data_type == "f" and book[sheet.title][cell.coordinate].value is None:
                    raise TableError(
                        f"{where}: cell {cell.coordinate} of sheet {sheet.title!r} has a formula without its "
                        "value; expected a workbook that a spreadsheet program has saved"
                    )


def _chosen(book: Any, name: str | None, where: str) -> Any:
    if name is None:
        if not book.worksheets:
            raise TableError(f"{where}: the workbook has no sheet of cells")
        return None
    if name not in [sheet.title for sheet in book.worksheets]:
        known = ", ".join(repr(sheet.title) for sheet in book.worksheets[:10])
        raise TableError(f"{where}: the workbook has no sheet {name!r}; it has {known}")
    return book[name]


def _cell(place: Any) -> Cell:
    if place is None or place.value is None:
        return _EMPTY
    value = place.value
    text = shown(value, place.number_format if isinstance(value, int | float) else "")
    return Cell(text, value=value) if type(value) in (int, float) else Cell(text)


def _merged(found: SheetLayout) -> tuple[Area, ...]:
    """The merged cells inside the table, as areas of it."""
    bounds = found.cells
    areas = sorted((each.min_row, each.min_col, each.size) for each in found.sheet.merged_cells.ranges)
    return tuple(
        (row - bounds.top, column - bounds.left, size["rows"], size["columns"])
        for row, column, size in areas
        if bounds.top <= row <= bounds.bottom and bounds.left <= column <= bounds.right
    )


_PLACE = re.compile(
    r"(?:'((?:[^']|'')+)'|([^'!]+))!(\$?[A-Z]{1,3}\$?[0-9]{1,7}(?::\$?[A-Z]{1,3}\$?[0-9]{1,7})?)"
)


@dataclass(frozen=True)
class SheetRange:
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
class SheetLayout:
    """What a sheet holds."""

    sheet: Any
    cells: SheetRange
    structure: Structure


def parts(book: Any, sheet: Any, where: str) -> SheetLayout:
    """The parts that the workbook's names mark, or without these all cells with text on the sheet.

    Raises:
        TableError: the sheet is empty.
    """
    named = {name: place for name in book.defined_names if (place := _named(book, name))}
    cells = named.get("TableCells")
    if cells and (sheet is None or cells[0] is sheet):
        return _named_layout(
            {name: bounds for name, (on, bounds) in named.items() if on is cells[0]}, cells[0]
        )
    chosen = sheet if sheet is not None else book.worksheets[0]
    return _inferred_layout(chosen, where)


def _named(book: Any, name: str) -> tuple[Any, SheetRange] | None:
    match = _PLACE.fullmatch(book.defined_names[name].attr_text or "")
    title = match and (match[1].replace("''", "'") if match[1] else match[2])
    if not match or title not in [sheet.title for sheet in book.worksheets]:
        return None
    left, top, right, bottom = range_boundaries(match[3].replace("$", ""))
    return book[title], SheetRange(top, left, bottom, right)


def _named_layout(named: dict[str, SheetRange], sheet: Any) -> SheetLayout:
    header, labels = named.get("TableHeader"), named.get("TableRowLabels")
    title, notes = named.get("TableTitle"), named.get("TableNotes")
    structure = Structure(
        header_rows=header.bottom - header.top + 1 if header else 0,
        header_columns=labels.right - labels.left + 1 if labels else 0,
        title=_text(sheet, title.top, title.left) if title else "",
        notes=tuple(_text(sheet, row, notes.left) for row in _lines(notes, sheet)) if notes else (),
    )
    return SheetLayout(sheet, named["TableCells"], structure)


def _lines(notes: SheetRange, sheet: Any) -> range:
    """The rows of the notes, bounded, since a damaged name could claim a million."""
    return range(notes.top, min(notes.bottom, sheet.max_row + 1000) + 1)


def _text(sheet: Any, row: int, column: int) -> str:
    return shown(sheet.cell(row, column).value, "")


def _inferred_layout(sheet: Any, where: str) -> SheetLayout:
    cells = _used(sheet, where)
    frozen = _frozen(sheet, cells)
    rows, columns = frozen or (_depth(sheet, cells), 0)
    structure = Structure(min(rows, cells.bottom - cells.top), min(columns, cells.right - cells.left))
    return SheetLayout(sheet, cells, structure)


def _used(sheet: Any, where: str) -> SheetRange:
    """The smallest rectangle with all cells that have a value, and the merged ones that touch it."""
    filled = [(row, column) for (row, column), cell in sheet._cells.items() if cell.value not in (None, "")]
    if not filled:
        raise TableError(f"{where}: sheet {sheet.title!r} is empty; expected a table")
    rows, columns = zip(*filled, strict=True)
    top, left, bottom, right = min(rows), min(columns), max(rows), max(columns)
    for each in sheet.merged_cells.ranges:
        if top <= each.min_row <= bottom and left <= each.min_col <= right:
            bottom, right = max(bottom, each.max_row), max(right, each.max_col)
    return SheetRange(top, left, bottom, right)


def _frozen(sheet: Any, cells: SheetRange) -> tuple[int, int] | None:
    if not sheet.freeze_panes:
        return None
    letters, row = coordinate_from_string(sheet.freeze_panes)
    rows, columns = row - cells.top, column_index_from_string(letters) - cells.left
    return (max(rows, 0), max(columns, 0)) if rows > 0 or columns > 0 else None


def _depth(sheet: Any, cells: SheetRange) -> int:
    """How many rows the merged cells of the first row make a header, with those of the rows they take in."""
    bottom = cells.top
    for each in sorted(sheet.merged_cells.ranges, key=lambda area: area.min_row):
        if cells.top <= each.min_row <= bottom:
            is_across = each.max_col > each.min_col
            bottom = max(bottom, each.max_row + is_across)
    return bottom - cells.top + 1
