"""Empty rows at random places of the body."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..table import Cell, Table
from ._grid import row_ties
from .base import Perturbation

if TYPE_CHECKING:
    import numpy as np


class InsertEmptyRows(Perturbation):
    """``times`` rows of empty cells, each at a place drawn evenly from those where no merged cell is cut.

    ToRR inserts two (``insert_empty_rows[times=2]`` of unitxt); another number is another perturbation, with
    the number in its name.
    """

    def __init__(self, times: int = 2) -> None:
        self.times = times
        self.name = "insert_empty_rows" if times == 2 else f"insert_empty_rows[times={times}]"

    def perturb(self, table: Table, rng: np.random.Generator) -> Table:  # noqa: D102
        empty = (Cell(""),) * table.n_columns
        rows = list(table.rows)
        cut = {r for a, b in row_ties(table) for r in range(a + 1, b)} if table.has_spans else set()
        # a row below which a new one may stand: every one whose next row no merged cell reaches from above
        gaps = [r for r in range(table.header_rows, len(rows) + 1) if r not in cut]
        for _ in range(self.times):
            index = int(rng.integers(len(gaps)))
            rows.insert(gaps[index], empty)
            gaps[index:] = [gaps[index], *(gap + 1 for gap in gaps[index:])]
        return table.replace(rows=tuple(rows))
