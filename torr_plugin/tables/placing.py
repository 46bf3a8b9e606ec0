"""Where cells with spans come to lie."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from .cell import Cell, Row
from .errors import TableError

Position: TypeAlias = "tuple[int, int]"


def place(rows: Sequence[Row]) -> list[list[tuple[Cell, Position]]]:
    """Lay cells out as HTML does: each takes the first free place of its row.

    Raises:
        TableError: a span below 1 or beyond the last row, cells that overlap, rows of different widths.
    """
    placed: list[dict[int, tuple[Cell, Position]]] = [{} for _ in rows]
    for r, row in enumerate(rows):
        c = 0
        for cell in row:
            while c in placed[r]:
                c += 1
            _cover(placed, cell, (r, c))
            c += cell.colspan
    width = max(max(line, default=-1) + 1 for line in placed)
    for r, line in enumerate(placed):
        if len(line) != width:
            raise TableError(
                f"row {r} of the table covers {len(line)} columns, expected {width} as in the widest row"
            )
    return [[line[c] for c in range(width)] for line in placed]


def _cover(placed: list[dict[int, tuple[Cell, Position]]], cell: Cell, at: Position) -> None:
    r, c = at
    if cell.rowspan < 1 or cell.colspan < 1:
        raise TableError(
            f"cell {cell.text!r} in row {r} has a span below 1 ({cell.rowspan} x {cell.colspan})"
        )
    if r + cell.rowspan > len(placed):
        raise TableError(
            f"cell {cell.text!r} in row {r} spans {cell.rowspan} rows, but only {len(placed) - r} are left"
        )
    for i in range(r, r + cell.rowspan):
        for j in range(c, c + cell.colspan):
            if j in placed[i]:
                raise TableError(
                    f"cell {cell.text!r} in row {r} overlaps cell {placed[i][j][0].text!r} at column {j}"
                )
            placed[i][j] = (cell, at)
