"""Body rows in random order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..table import Table
from ._grid import rearranged, row_ties, shuffled
from .base import Perturbation

if TYPE_CHECKING:
    import numpy as np


class ShuffleRows(Perturbation):
    """Header rows stay; body rows that a merged cell ties together move as one, and are shuffled within."""

    name = "shuffle_rows"

    def perturb(self, table: Table, rng: np.random.Generator) -> Table:  # noqa: D102
        depth, count = table.header_rows, table.n_rows
        if table.has_spans:
            return rearranged(table, [*range(depth), *shuffled(depth, count, row_ties(table), rng)])
        order = rng.permutation(count - depth).tolist()
        if (texts := table.texts) is not None:
            return table.with_texts([*texts[:depth], *[texts[depth + index] for index in order]])
        body = table.rows[depth:]
        return table.replace(rows=(*table.rows[:depth], *[body[index] for index in order]))
