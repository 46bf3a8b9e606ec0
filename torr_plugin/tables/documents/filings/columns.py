"""Join what filers split over cells, and drop the columns and rows that only make space.

A number is often three cells: ``$``, ``(41``, ``)``; and columns stand apart by empty columns. Signs are
joined to their numbers first. A column is then dropped if all it shows is shown by a neighbour, so that a
header over ``$``, number and ``)`` covers one column afterwards, and one over two years and the space between
them two.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from .grids import GridCell
from .values import joins_after, joins_before

Column = dict[int, int]
"""The rows in which a column shows something -> the number of the cell that it shows there."""


@dataclass(frozen=True, slots=True)
class CondensedGrid:
    """A grid without space: ``rows[r][c]`` is the cell that covers the place, None where it is empty."""

    rows: list[list[GridCell | None]]

    @property
    def width(self) -> int:
        """Columns."""
        return len(self.rows[0]) if self.rows else 0

    def own(self, row: int) -> list[GridCell]:
        """The cells that begin in a row."""
        line = self.rows[row]
        above = self.rows[row - 1] if row else [None] * len(line)
        return [
            cell
            for c, cell in enumerate(line)
            if cell is not None and cell is not above[c] and (c == 0 or cell is not line[c - 1])
        ]


def condensed(rows: Sequence[Sequence[GridCell]]) -> CondensedGrid:
    """The grid of the cells with text."""
    joined = [_joined(row) for row in rows]
    cells = [cell for row in joined for cell in row]
    kept = sorted({cell.row for cell in cells})
    columns = _kept(_columns(cells))
    return CondensedGrid([[cells[column[r]] if r in column else None for column in columns] for r in kept])


def without_shifted_headers(grid: CondensedGrid, header_rows: int) -> CondensedGrid:
    """The grid with a column that has texts in the header alone put over its neighbour without one."""
    columns = [[line[c] for line in grid.rows] for c in range(grid.width)]
    c = 0
    while c + 1 < len(columns):
        left, right = columns[c], columns[c + 1]
        if _is_shifted(left, right, header_rows) or _is_shifted(right, left, header_rows):
            columns[c : c + 2] = [[a or b for a, b in zip(left, right, strict=True)]]
        else:
            c += 1
    if len(columns) == grid.width:
        return grid
    return CondensedGrid([list(line) for line in zip(*columns, strict=True)])


def _is_shifted(head: Sequence[GridCell | None], body: Sequence[GridCell | None], header_rows: int) -> bool:
    """Whether one column has nothing below the header, and the other nothing of its own beside its texts."""
    if any(head[header_rows:]) or not any(body[header_rows:]) or not any(head):
        return False
    return all(a is None or b is None or a is b for a, b in zip(head, body, strict=True)) and not any(
        b is not None and b is not a for a, b in zip(head[:header_rows], body[:header_rows], strict=True)
    )


def _joined(row: Sequence[GridCell]) -> list[GridCell]:
    """The row with signs joined to the numbers beside them."""
    joined: list[GridCell] = []
    for cell in row:
        before = joined[-1] if joined else None
        if before is not None and (
            joins_after(before.text, cell.text) or joins_before(cell.text, before.text)
        ):
            joined[-1] = replace(before, text=before.text + cell.text, width=cell.end - before.column)
        else:
            joined.append(cell)
    return joined


def _columns(cells: Sequence[GridCell]) -> list[Column]:
    columns: list[Column] = [{} for _ in range(max((cell.end for cell in cells), default=0))]
    for number, cell in enumerate(cells):
        if cell.height == 1 == cell.width:
            columns[cell.column][cell.row] = number
            continue
        for r in range(cell.row, cell.row + cell.height):
            for c in range(cell.column, cell.end):
                columns[c][r] = number
    return columns


def _kept(columns: Sequence[Column]) -> list[Column]:
    """The columns that show what no neighbour shows; each is compared once for every one that is dropped."""
    kept: list[Column] = []
    for column in columns:
        while kept and kept[-1].items() <= column.items():
            kept.pop()
        if not kept or not column.items() <= kept[-1].items():
            kept.append(column)
    return kept
