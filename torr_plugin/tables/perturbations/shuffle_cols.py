"""Body columns in random order, each with its header."""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING

from ..table import Table
from ._grid import column_ties, rearranged_columns, shuffled
from .base import Perturbation

if TYPE_CHECKING:
    import numpy as np


class ShuffleCols(Perturbation):
    """Header columns stay; columns under one merged header move as a block, and are shuffled under it."""

    name = "shuffle_cols"

    def perturb(self, table: Table, rng: np.random.Generator) -> Table:  # noqa: D102
        depth, count = table.header_columns, table.n_columns
        if table.has_spans:
            return rearranged_columns(
                table, [*range(depth), *shuffled(depth, count, column_ties(table), rng)]
            )
        order = [*range(depth), *(depth + rng.permutation(count - depth)).tolist()]
        if (texts := table.texts) is not None:
            return table.with_texts(map(itemgetter(*order), texts) if len(order) > 1 else texts)
        return table.replace(rows=tuple([tuple([row[index] for index in order]) for row in table.rows]))
