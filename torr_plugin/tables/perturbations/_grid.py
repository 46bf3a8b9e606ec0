"""Moving whole rows and columns of a table with merged cells."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from ..table import Cell, Table

if TYPE_CHECKING:
    pass

Interval = tuple[int, int]
"""Start and end (not included) of what a merged cell covers along one axis."""


def rearranged(table: Table, order: Sequence[int]) -> Table:
    """The table with row ``order[i]`` in place i; cells that lie over several rows must stay together."""
    return table.replace(rows=_listed([table.origins[r] for r in order], table))


def rearranged_columns(table: Table, order: Sequence[int]) -> Table:
    """The same along the other axis."""
    return table.replace(rows=_listed([[line[c] for c in order] for line in table.origins], table))


def transposed(table: Table) -> Table:
    """Rows as columns, with spans and header depths exchanged."""
    grid = table.grid
    turned = {
        (r, c): Cell(cell.text, cell.colspan, cell.rowspan, cell.value)
        for r, line in enumerate(table.origins)
        for c, origin in enumerate(line)
        if origin == (r, c) and (cell := grid[r][c])
    }
    rows = _first_places(list(zip(*table.origins, strict=True)))
    return table.replace(
        rows=tuple([tuple([turned[origin] for origin in line]) for line in rows]),
        header_rows=table.header_columns,
        header_columns=table.header_rows,
    )


def _listed(places: Iterable[Iterable[Interval]], table: Table) -> tuple[tuple[Cell, ...], ...]:
    grid = table.grid
    return tuple([tuple([grid[r][c] for r, c in line]) for line in _first_places(places)])


def _first_places(places: Iterable[Iterable[Interval]]) -> list[list[Interval]]:
    """Per row the cells that are met there first, reading on: HTML's way to list merged cells."""
    seen: set[Interval] = set()
    rows: list[list[Interval]] = []
    for line in places:
        rows.append([origin for origin in dict.fromkeys(line) if origin not in seen])
        seen.update(line)
    return rows


def row_ties(table: Table) -> list[Interval]:
    """What rows each merged cell ties together."""
    return [(r, r + cell.rowspan) for r, row in enumerate(table.rows) for cell in row if cell.rowspan > 1]


def column_ties(table: Table) -> list[Interval]:
    """What columns each merged cell ties together."""
    return [
        (c, c + table.grid[r][c].colspan)
        for r, line in enumerate(table.origins)
        for c, origin in enumerate(line)
        if origin == (r, c) and table.grid[r][c].colspan > 1
    ]
