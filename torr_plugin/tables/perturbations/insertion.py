"""Empty rows at random places of the body, or between row groups."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from ..table import Cell, Table
from .base import Perturbation
from .hierarchy import of_rows, row_ties
from .shuffling import groups

if TYPE_CHECKING:
    import numpy as np

    from .hierarchy import Interval


_ROWS = 2  # as ToRR: unitxt's insert_empty_rows[times=2]


class InsertEmptyRows(Perturbation):
    """Insert two rows of empty cells at random places that cut no merged cell.

    A row with an empty first header cell also stays below the row above, which may be its group's label.
    """

    name = "insert_empty_rows"

    def perturb(self, table: Table, rng: np.random.Generator) -> Table:  # noqa: D102
        rows = list(table.rows)
        for place in self._places(table, rng):
            rows.insert(place, (Cell(""),) * table.n_columns)
        return table.replace(rows=tuple(rows))

    def _places(self, table: Table, rng: np.random.Generator) -> list[int]:
        """The place of each new row, after inserting those before it."""
        cut = {r for a, b in row_ties(table) for r in range(a + 1, b)} if table.has_spans else set()
        if table.header_columns:
            cut |= {r for r in range(table.header_rows, table.n_rows) if not table.grid[r][0].text.strip()}
        # a new row may go above every row that is not tied to the one before, and below the last
        gaps = [r for r in range(table.header_rows, table.n_rows + 1) if r not in cut]
        places = []
        for _ in range(_ROWS):
            index = int(rng.integers(len(gaps)))
            places.append(gaps[index])
            gaps[index:] = [gaps[index], *(gap + 1 for gap in gaps[index:])]
        return places


class InsertRowsBetweenGroups(Perturbation):
    """One row of empty cells between neighbouring groups, as people set groups apart; never inside one.

    Rows without a parent form no groups, so nothing is inserted between two of them. A table without groups,
    or with all rows under one parent, stays unchanged.
    """

    name = "insert_rows_between_groups"

    def perturb(self, table: Table, rng: np.random.Generator) -> Table:  # noqa: D102
        places = _edges(table)
        empty = (Cell(""),) * table.n_columns
        rows = []
        for index, row in enumerate(table.rows):
            rows += [empty, row] if index in places else [row]
        return table.replace(rows=tuple(rows)) if places else table


def _edges(table: Table) -> set[int]:
    """The rows that begin a group, or follow one, and have another before them."""
    held = of_rows(table)
    # what begins in the header and reaches the last row leaves no room either
    if any(start <= table.header_rows and stop == table.n_rows for start, stop in held.ties):
        return set()
    found = groups(table.header_rows, table.n_rows, held)
    return {second[0] for first, second in pairwise(found) if _is_group(first) or _is_group(second)}


def _is_group(block: Interval) -> bool:
    return block[1] - block[0] > 1
