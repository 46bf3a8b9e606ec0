"""A sheet as people see it: texts, kinds and styles of its cells, hidden rows and columns left out."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

from openpyxl.utils import get_column_letter, range_boundaries
from openpyxl.utils.cell import column_index_from_string, coordinate_from_string

from ..table import TEXT, Cell, CellStyle, Scalar
from .kinds import Kind, kind_of
from .styles import style_of
from .values import shown

Place: TypeAlias = "tuple[int, int]"
"""A row and a column, from 1, of those that show."""

INDENT = "  "  # of one level
_WIDE = " \u3000"


@dataclass(frozen=True, slots=True)
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

    @property
    def rows(self) -> range:
        """Its rows."""
        return range(self.top, self.bottom + 1)

    @property
    def columns(self) -> range:
        """Its columns."""
        return range(self.left, self.right + 1)

    def covers(self, other: SheetRange) -> bool:
        """Whether all of another is in it."""
        return (
            self.top <= other.top
            and self.left <= other.left
            and other.bottom <= self.bottom
            and other.right <= self.right
        )

    def meets(self, other: SheetRange) -> bool:
        """Whether they have a cell in common."""
        return (
            self.top <= other.bottom
            and other.top <= self.bottom
            and self.left <= other.right
            and other.left <= self.right
        )

    def around(self, other: SheetRange) -> SheetRange:
        """The smallest rectangle with both."""
        return SheetRange(
            min(self.top, other.top),
            min(self.left, other.left),
            max(self.bottom, other.bottom),
            max(self.right, other.right),
        )


@dataclass(frozen=True, slots=True)
class SheetCell:
    """A cell that holds something: its text, the number if it is one, its kind, indentation and style."""

    text: str
    value: float | None
    kind: Kind
    indent: int
    style: CellStyle | None

    def as_cell(self, *, indented: bool, widened: bool) -> Cell:
        """The cell of a table, its indentation as leading spaces where ``indented``.

        Where ``widened``, an ideographic space in front counts as the two spaces that are as wide.
        """
        text = self.text
        if indented and text.strip():
            inner = text.lstrip(_WIDE)
            spaces = text[: len(text) - len(inner)] if widened else ""
            text = INDENT * self.indent + spaces.replace("\u3000", INDENT) + text[len(spaces) :]
        value: Scalar | Any = TEXT if self.value is None or text != self.text else self.value
        return Cell(text, value=value, style=self.style)


@dataclass(frozen=True)
class VisibleAxis:
    """Rows or columns without the hidden ones, which are those ``hidden``, in order."""

    hidden: tuple[int, ...] = ()

    def shown(self, number: int) -> int | None:
        """The number of a row or column among those that show; None if it is hidden."""
        before = bisect_left(self.hidden, number)
        is_hidden = before < len(self.hidden) and self.hidden[before] == number
        return None if is_hidden else number - before

    def first_from(self, number: int) -> int:
        """The same of the first that shows from there on."""
        return number - bisect_left(self.hidden, number)

    def on_sheet(self, number: int) -> int:
        """The inverse of :meth:`shown`."""
        places = range(len(self.hidden))
        return number + bisect_right(places, number, key=lambda i: self.hidden[i] - i)


@dataclass(frozen=True)
class SheetGrid:
    """What a sheet shows.

    Attributes:
        name: of the sheet.
        cells: those with a text.
        styled: the styles of cells without one.
        merged: the merged cells, of more than one place each.
        frozen: how many rows and columns stay in view; 0 and 0 without.
        filters: the ranges that an automatic filter covers, headers first.
        listed: the ranges of tables that the workbook declares, with their numbers of header rows.
        rows: which rows show; ``columns`` likewise.
    """

    name: str
    cells: Mapping[Place, SheetCell]
    styled: Mapping[Place, CellStyle]
    merged: tuple[SheetRange, ...]
    frozen: tuple[int, int]
    filters: tuple[SheetRange, ...]
    listed: tuple[tuple[SheetRange, int], ...]
    rows: VisibleAxis
    columns: VisibleAxis

    @cached_property
    def spans(self) -> Mapping[Place, SheetRange]:
        """The merged cells by their first places."""
        return {(area.top, area.left): area for area in self.merged}

    def kind(self, row: int, column: int) -> Kind:
        """The kind of what is in a place."""
        cell = self.cells.get((row, column))
        return cell.kind if cell else Kind.BLANK

    def address(self, area: SheetRange) -> str:
        """The name of a range on the sheet: ``A1:D9``."""
        first, last = self._address(area.top, area.left), self._address(area.bottom, area.right)
        return first if first == last else f"{first}:{last}"

    def _address(self, row: int, column: int) -> str:
        return f"{get_column_letter(self.columns.on_sheet(column))}{self.rows.on_sheet(row)}"

    def area(self, bounds: tuple[int, int, int, int]) -> SheetRange | None:
        """What shows of a range of the sheet (left, top, right, bottom); None if nothing does."""
        left, top, right, bottom = bounds
        shown = SheetRange(
            self.rows.first_from(top),
            self.columns.first_from(left),
            self.rows.first_from(bottom + 1) - 1,
            self.columns.first_from(right + 1) - 1,
        )
        return shown if shown.top <= shown.bottom and shown.left <= shown.right else None


def read_sheet(
    sheet: Any, theme: tuple[str, ...], formulas: Mapping[str, str], *, hidden: bool = False
) -> SheetGrid:
    """What openpyxl's sheet shows.

    Args:
        sheet: a sheet of cells.
        theme: the colours of the workbook's theme.
        formulas: texts of formulas by their cells' names, shown where there is no value.
        hidden: whether hidden rows and columns are taken for such as show.
    """
    rows = VisibleAxis(() if hidden else _hidden_rows(sheet))
    columns = VisibleAxis(() if hidden else _hidden_columns(sheet))
    cells: dict[Place, SheetCell] = {}
    styled: dict[Place, CellStyle] = {}
    grid = SheetGrid(sheet.title, cells, styled, (), (0, 0), (), (), rows, columns)
    for (r, c), place in sheet._cells.items():  # looking cells up through openpyxl would create missing ones
        row, column = rows.shown(r), columns.shown(c)
        if row is None or column is None:
            continue
        found = _cell(place, theme, formulas.get(place.coordinate, "") if formulas else "")
        if isinstance(found, SheetCell):
            cells[row, column] = found
        elif found:
            styled[row, column] = found
    merged = _merged(sheet, grid, theme, formulas)
    return SheetGrid(
        sheet.title, cells, styled, merged, _frozen(sheet, grid), _filters(sheet, grid), _listed(sheet, grid),
        rows, columns,
    )  # fmt: skip


def _cell(place: Any, theme: tuple[str, ...], formula: str) -> SheetCell | CellStyle | None:
    value = place.value
    style = style_of(place, theme)
    if value is None and formula:
        value = formula
    if value is None or value == "":
        return style
    is_number = type(value) in (int, float)
    text = shown(value, "" if isinstance(value, str) else place.number_format)
    is_moment = not is_number and not isinstance(value, str | bool)
    kind = Kind.PERIOD if is_moment else kind_of(text, is_number=is_number)
    return SheetCell(text, value if is_number else None, kind, _indent(place), style)


def _indent(place: Any) -> int:
    """The levels of indentation from the left."""
    if not place.has_style or place.alignment.horizontal == "right":
        return 0
    return int(place.alignment.indent or 0)


def _hidden_rows(sheet: Any) -> tuple[int, ...]:
    return tuple(sorted(r for r, row in sheet.row_dimensions.items() if row.hidden or row.height == 0))


def _hidden_columns(sheet: Any) -> tuple[int, ...]:
    found = [each for each in sheet.column_dimensions.values() if each.hidden or each.width == 0]
    return tuple(sorted({c for each in found for c in range(each.min or 0, (each.max or -1) + 1)}))


def _merged(
    sheet: Any, grid: SheetGrid, theme: tuple[str, ...], formulas: Mapping[str, str]
) -> tuple[SheetRange, ...]:
    """The merged cells; one whose first place is hidden keeps its text, as on the screen."""
    found = []
    for each in sheet.merged_cells.ranges:
        area = grid.area(each.bounds)
        if area is None:
            continue
        first = sheet._cells.get((each.min_row, each.min_col))
        cell = first and _cell(first, theme, formulas.get(first.coordinate, ""))
        if isinstance(cell, SheetCell):
            grid.cells[area.top, area.left] = cell  # type: ignore[index]
        if area.places > 1:
            found.append(area)
    return tuple(sorted(found, key=lambda area: (area.top, area.left)))


def _frozen(sheet: Any, grid: SheetGrid) -> tuple[int, int]:
    if not sheet.freeze_panes:
        return 0, 0
    letters, row = coordinate_from_string(sheet.freeze_panes)
    return grid.rows.first_from(row) - 1, grid.columns.first_from(column_index_from_string(letters)) - 1


def _filters(sheet: Any, grid: SheetGrid) -> tuple[SheetRange, ...]:
    return _areas(grid, [sheet.auto_filter.ref] if sheet.auto_filter.ref else [])


def _listed(sheet: Any, grid: SheetGrid) -> tuple[tuple[SheetRange, int], ...]:
    found = []
    for table in sheet.tables.values():
        rows = 1 if table.headerRowCount is None else int(table.headerRowCount)
        found += [(area, rows) for area in _areas(grid, [table.ref])]
    return tuple(found)


def _areas(grid: SheetGrid, references: Iterable[str]) -> tuple[SheetRange, ...]:
    return tuple(area for each in references if (area := grid.area(range_boundaries(each))))
