"""Body columns in random order, each with its header."""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING

from ..table import Table
from ._grid import rearranged_columns
from .base import Perturbation

if TYPE_CHECKING:
    import numpy as np


class ShuffleCols(Perturbation):
    """Header columns stay; columns under one merged header move as a block, and are shuffled under it."""

    name = "shuffle_cols"

    def perturb(self, table: Table, rng: np.random.Generator) -> Table:  # noqa: D102
        depth, count = table.header_columns, table.n_columns
        if not table.is_flat:
            from ._hierarchy import of_columns
            from ._orders import shuffled

            return rearranged_columns(table, [*range(depth), *shuffled(depth, count, of_columns(table), rng)])
        order = rng.permutation(count).tolist()
        if (texts := table.texts) is not None:
            return table.with_texts(map(itemgetter(*order), texts) if len(order) > 1 else texts)
        return table.replace(rows=tuple([tuple([row[index] for index in order]) for row in table.rows]))


class ShuffleColumnGroups(Perturbation):
    """Whole header groups change places; the columns of each keep their order.

    A column without a parent is a group of its own. Under a header that spans all columns the groups are
    those below it.
    """

    name = "shuffle_column_groups"

    def perturb(self, table: Table, rng: np.random.Generator) -> Table:  # noqa: D102
        from ._hierarchy import of_columns
        from ._orders import shuffled_groups

        depth, count = table.header_columns, table.n_columns
        order = shuffled_groups(depth, count, of_columns(table), rng)
        return rearranged_columns(table, [*range(depth), *order])
