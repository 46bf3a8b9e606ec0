"""Moving whole rows and columns of a table with merged cells."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from ..table import Cell, Table

if TYPE_CHECKING:
    import numpy as np

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
    turned = {
        (r, c): Cell(
            table.grid[r][c].text, table.grid[r][c].colspan, table.grid[r][c].rowspan, table.grid[r][c].value
        )
        for r, line in enumerate(table.origins)
        for c, origin in enumerate(line)
        if origin == (r, c)
    }
    rows = _first_places(list(zip(*table.origins, strict=True)))
    return table.replace(
        rows=tuple(tuple(turned[origin] for origin in line) for line in rows),
        header_rows=table.header_columns,
        header_columns=table.header_rows,
    )


def _listed(places: Iterable[Iterable[Interval]], table: Table) -> tuple[tuple[Cell, ...], ...]:
    return tuple(tuple(table.grid[r][c] for r, c in line) for line in _first_places(places))


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


def shuffled(start: int, stop: int, ties: Iterable[Interval], rng: np.random.Generator) -> list[int]:
    """A random order of ``start..stop`` in which what a merged cell ties together stays together.

    A tie over the whole range binds nothing; any other makes a block. Blocks change places, then, in each,
    what its own inner ties make of it: a merged header's columns move with it and are shuffled under it. What
    is tied to something before ``start`` (to the header) stays where it is.
    """
    clipped = [(max(a, start), min(b, stop), a < start) for a, b in ties]
    inner = [(a, b, pinned) for a, b, pinned in clipped if a < b and (a, b) != (start, stop)]
    blocks = _blocks(start, stop, [(a, b) for a, b, _ in inner])
    if len(blocks) == 1:
        return list(range(start, stop))
    pinned = any(held for _, _, held in inner)
    free = blocks[1:] if pinned else blocks
    order = list(range(*blocks[0])) if pinned else []
    remaining = [(a, b) for a, b, _ in inner]
    for index in rng.permutation(len(free)).tolist():
        a, b = free[index]
        order += [a] if b - a == 1 else shuffled(a, b, [tie for tie in remaining if a <= tie[0] < b], rng)
    return order


def _blocks(start: int, stop: int, ties: Iterable[Interval]) -> list[Interval]:
    """The finest cut of the range that no tie crosses."""
    reach = list(range(start + 1, stop + 1))
    for a, b in ties:
        reach[a - start] = max(reach[a - start], b)
    blocks, begin, end = [], start, start
    for position in range(start, stop):
        end = max(end, reach[position - start])
        if end == position + 1:
            blocks.append((begin, end))
            begin = end
    return blocks
