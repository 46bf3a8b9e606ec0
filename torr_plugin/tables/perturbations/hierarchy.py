"""Reorder rows and columns without separating what merged cells and header trees tie together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..header_tree import HeaderNode, HeaderTree, indentation, label_rows
from ..table import Cell, Table

if TYPE_CHECKING:
    from collections.abc import Mapping


Interval = tuple[int, int]
"""Start and end (not included) of what a merged cell covers along one axis."""


def rearranged(table: Table, order: Sequence[int]) -> Table:
    """The table with row ``order[i]`` in place i; rows under one merged cell must stay together."""
    if not table.has_spans:
        return table.replace(rows=tuple([table.rows[r] for r in order]))
    return table.replace(rows=_listed([table.origins[r] for r in order], table))


def rearranged_columns(table: Table, order: Sequence[int]) -> Table:
    """The table with column ``order[i]`` in place i; see :func:`rearranged`."""
    if not table.has_spans:
        return table.replace(rows=tuple([tuple([row[c] for c in order]) for row in table.rows]))
    return table.replace(rows=_listed([[line[c] for c in order] for line in table.origins], table))


def transposed(table: Table) -> Table:
    """Exchange rows and columns, with spans and header depths."""
    rows = tuple(zip(*table.grid, strict=True))
    if table.has_spans:
        lines = _listed(list(zip(*table.origins, strict=True)), table)
        rows = tuple([tuple([_turned(cell) for cell in line]) for line in lines])
    return table.replace(
        rows=rows,
        header_rows=table.header_columns,
        header_columns=table.header_rows,
    )


def _turned(cell: Cell) -> Cell:
    return cell._replace(rowspan=cell.colspan, colspan=cell.rowspan)


def _listed(places: Iterable[Iterable[Interval]], table: Table) -> tuple[tuple[Cell, ...], ...]:
    grid = table.grid
    return tuple([tuple([grid[r][c] for r, c in line]) for line in first_places(places)])


def first_places(places: Iterable[Iterable[Interval]]) -> list[list[Interval]]:
    """For each line of places, each held by the cell that began at one, the cells that begin there.

    So HTML lists merged cells.
    """
    seen: set[Interval] = set()
    rows: list[list[Interval]] = []
    for line in places:
        rows.append([origin for origin in dict.fromkeys(line) if origin not in seen])
        seen.update(line)
    return rows


def row_ties(table: Table) -> list[Interval]:
    """The rows that each merged cell ties together."""
    return [(r, r + cell.rowspan) for r, row in enumerate(table.rows) for cell in row if cell.rowspan > 1]


def column_ties(table: Table) -> list[Interval]:
    """The columns that each merged cell ties together."""
    return [(c, c + cell.colspan) for row in table.placed_rows for c, cell in row if cell.colspan > 1]


@dataclass(frozen=True)
class Hierarchy:
    """What must stay together along one axis, and what must stay first.

    ``ties`` are intervals that nothing may move into or out of: merged cells and header nodes. ``headed`` are
    those with their label in the first line only, which must stay first. Lines of different ``rank`` do not
    pass each other, so that a row under no label does not move below one.
    """

    ties: tuple[Interval, ...] = ()
    headed: frozenset[Interval] = frozenset()
    rank: Mapping[int, tuple[int, bool]] = field(default_factory=dict)


def of_rows(table: Table) -> Hierarchy:
    """What ties the rows of a table's body; nothing in a flat table."""
    if table.is_flat:
        return Hierarchy()
    tree = table.row_tree
    ties, headed = _of_tree(tree, table, by_row=True)
    labels = set(label_rows(table))
    kept = _unnamed(tree, table, labels)
    is_labelled = table.header_columns > 0
    rank = {
        r: (indentation(table.grid[r][0].text) if is_labelled else 0, r not in labels)
        for r in range(table.header_rows, table.n_rows)
    }
    return Hierarchy((*row_ties(table), *ties, *kept), headed.union(kept), rank)


def of_columns(table: Table) -> Hierarchy:
    """What ties the columns of a table beside its header columns; nothing in a flat table."""
    if table.is_flat:
        return Hierarchy()
    ties, headed = _of_tree(table.column_tree, table, by_row=False)
    return Hierarchy((*column_ties(table), *ties), headed)


def _of_tree(tree: HeaderTree, table: Table, *, by_row: bool) -> tuple[list[Interval], frozenset[Interval]]:
    nodes = [node for node in tree.nodes if node.stop - node.start > 1]
    headed = {(n.start, n.stop) for n in nodes if n.children and not _is_spanning(table, n, by_row)}
    return [(node.start, node.stop) for node in nodes], frozenset(headed)


def _unnamed(tree: HeaderTree, table: Table, labels: set[int]) -> list[Interval]:
    """Rows with an empty header cell and no label, each with the row above it.

    They stay below that row: below another, its label would seem to be theirs. Rows without text, and all
    rows of a table without row labels, are free.
    """
    found: list[Interval] = []
    start = table.header_rows - 1
    lines = {node.start: [cell.text.strip() for cell in table.grid[node.start]] for node in tree.roots}
    is_labelled = table.header_columns > 0 and any(line[0] for line in lines.values())
    for node in tree.roots:
        first, *others = lines[node.start]
        known = others if is_labelled else others[: max(0, table.header_columns - 1)]
        if not first and any(known) and node.start not in labels:
            if found and found[-1][0] == start:
                del found[-1]
            found.append((start, node.stop))
        elif first or not is_labelled:
            start = node.start
    return found


def _is_spanning(table: Table, node: HeaderNode, by_row: bool) -> bool:
    """Whether one merged header cell covers all of a node, so that any of its lines may be first."""
    levels = range(table.header_columns if by_row else table.header_rows)
    places = [(node.start, level) if by_row else (level, node.start) for level in levels]
    size = node.stop - node.start
    return any(
        table.grid[r][c].text.strip() == node.label
        and (table.grid[r][c].rowspan if by_row else table.grid[r][c].colspan) >= size
        for r, c in places
    )
