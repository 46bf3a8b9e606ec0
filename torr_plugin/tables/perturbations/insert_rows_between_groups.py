"""An empty row between row groups."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from ..table import Cell, Table
from .base import Perturbation

if TYPE_CHECKING:
    import numpy as np

    from ._grid import Interval


class InsertRowsBetweenGroups(Perturbation):
    """One row of empty cells between neighbouring groups, as people set groups apart; never inside one.

    Rows without a parent make no groups: between two of them nothing is inserted, and a table without groups
    stays as it is, and so does one whose rows are all under one parent: an empty row would part it from them.
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
    from ._hierarchy import of_rows
    from ._orders import groups

    held = of_rows(table)
    # what begins in the header and reaches the last row leaves no room either
    if any(start <= table.header_rows and stop == table.n_rows for start, stop in held.ties):
        return set()
    found = groups(table.header_rows, table.n_rows, held)
    return {second[0] for first, second in pairwise(found) if _is_group(first) or _is_group(second)}


def _is_group(block: Interval) -> bool:
    return block[1] - block[0] > 1
