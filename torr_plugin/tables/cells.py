"""Cells, and the layout of cells with spans in a rectangle."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import TypeAlias

from ..core.errors import TableError

Scalar: TypeAlias = "str | int | float | bool | None"


class _Same(Enum):
    """Marks a cell whose value is its text (an enum, so that it survives pickling)."""

    TEXT = "text"


TEXT = _Same.TEXT


_NUMBERS = (int, float, bool)


def _plain(value: object) -> Scalar:
    """The Python value of a NumPy scalar; the text of anything else."""
    item = getattr(value, "item", None)
    plain = item() if callable(item) and getattr(value, "shape", None) == () else None
    return plain if type(plain) in _NUMBERS else str(value)


@dataclass(frozen=True, slots=True)
class CellStyle:
    """How a cell looks in a workbook: ``bold``, and ``fill`` as ``#rrggbb``, empty without one."""

    bold: bool = False
    fill: str = ""


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell: its text and how many rows and columns it covers (1 and 1 unless merged).

    ``value`` keeps the original number or ``None``, for formats that write numbers bare, and ``style`` how
    the cell looks, for pictures; neither takes part in comparison, since a table read back from text has
    texts alone.
    """

    text: str
    rowspan: int = 1
    colspan: int = 1
    value: Scalar | _Same = field(default=_Same.TEXT, compare=False, repr=False)
    style: CellStyle | None = field(default=None, compare=False, repr=False)

    @classmethod
    def of(cls, value: Scalar, rowspan: int = 1, colspan: int = 1) -> Cell:
        """A cell from any scalar: text as is, ``None`` as an empty cell, numbers by ``str``.

        NumPy's numbers become Python's; anything else (a date) becomes its text.
        """
        if isinstance(value, str):
            return cls(value, rowspan, colspan)
        if value is None:
            return cls("", rowspan, colspan, value)
        if type(value) not in _NUMBERS:
            return cls.of(_plain(value), rowspan, colspan)
        return cls(str(value), rowspan, colspan, value)

    @property
    def raw(self) -> Scalar:
        """The value that the cell was made from."""
        return self.text if isinstance(self.value, _Same) else self.value


Row: TypeAlias = "tuple[Cell, ...]"


Position: TypeAlias = "tuple[int, int]"


@dataclass(frozen=True, slots=True)
class CellLayout:
    """The full rectangle: for every place the cell that covers it, and that cell's first place."""

    grid: tuple[Row, ...]
    origins: tuple[tuple[Position, ...], ...]


_Held: TypeAlias = "dict[int, tuple[Cell, Position]]"


def lay_out(rows: Sequence[Row]) -> CellLayout:
    """Lay cells out as HTML does: each takes the first free place of its row.

    Raises:
        TableError: a span below 1 or beyond the last row, cells that overlap, rows of different widths.
    """
    grid: list[Row] = []
    origins: list[tuple[Position, ...]] = []
    covered: list[tuple[int, int]] = []
    held: list[_Held] = [{} for _ in rows]  # cells that span down into each row
    for r, row in enumerate(rows):
        cells, at = _line(row, r, held)
        beyond = held[r]  # places that the row's own cells do not reach
        covered.append((len(cells) + len(beyond), max(beyond, default=len(cells) - 1) + 1))
        grid.append(tuple(cells))
        origins.append(tuple(at))
    width = max(last for _, last in covered)
    for r, (count, _) in enumerate(covered):
        if count != width:
            raise TableError(
                f"row {r} of the table covers {count} columns, expected {width} as in the widest row"
            )
    return CellLayout(tuple(grid), tuple(origins))


def _line(row: Row, r: int, held: list[_Held]) -> tuple[list[Cell], list[Position]]:
    """A row's cells, including those spanning down into it, which are removed from ``held``."""
    cells: list[Cell] = []
    at: list[Position] = []
    above = held[r]
    for cell in row:
        if above:
            _take(above, cells, at)
        origin = (r, len(cells))
        at.append(origin)
        cells.append(cell)
        if not cell.rowspan == 1 == cell.colspan:
            _reserve(cell, origin, held)
            cells += [cell] * (cell.colspan - 1)
            at += [origin] * (cell.colspan - 1)
    if above:
        _take(above, cells, at)
    return cells, at


def _take(above: _Held, cells: list[Cell], at: list[Position]) -> None:
    """Append the cells that span down into the next places of a row."""
    while len(cells) in above:
        cell, origin = above.pop(len(cells))
        cells.append(cell)
        at.append(origin)


def _reserve(cell: Cell, origin: Position, held: list[_Held]) -> None:
    """Check that a cell's places are free, and reserve those in the rows below."""
    r, c = origin
    if cell.rowspan < 1 or cell.colspan < 1:
        raise TableError(
            f"cell {cell.text!r} in row {r} has a span below 1 ({cell.rowspan} x {cell.colspan})"
        )
    if r + cell.rowspan > len(held):
        raise TableError(
            f"cell {cell.text!r} in row {r} spans {cell.rowspan} rows, but only {len(held) - r} are left"
        )
    for i in range(r, r + cell.rowspan):
        for j in range(c, c + cell.colspan):
            if j in held[i]:
                raise TableError(
                    f"cell {cell.text!r} in row {r} overlaps cell {held[i][j][0].text!r} at column {j}"
                )
            if i > r:
                held[i][j] = cell, origin
