"""Body rows in random order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..table import Table
from ._grid import rearranged
from .base import Perturbation

if TYPE_CHECKING:
    import numpy as np


class ShuffleRows(Perturbation):
    """Header rows stay; the rows of a group move as one, and are shuffled within.

    A group is what a merged cell ties together, or what the header tree puts under one parent: the rows below
    a label that spans the table, indented rows, rows behind an empty header cell. The line with the parent's
    label stays the first of its group.
    """

    name = "shuffle_rows"

    def perturb(self, table: Table, rng: np.random.Generator) -> Table:  # noqa: D102
        depth, count = table.header_rows, table.n_rows
        if not table.is_flat:
            from ._hierarchy import of_rows
            from ._orders import shuffled

            return rearranged(table, [*range(depth), *shuffled(depth, count, of_rows(table), rng)])
        order = rng.permutation(count - depth).tolist()
        if (texts := table.texts) is not None:
            return table.with_texts([*texts[:depth], *[texts[depth + index] for index in order]])
        body = table.rows[depth:]
        return table.replace(rows=(*table.rows[:depth], *[body[index] for index in order]))


class ShuffleRowGroups(Perturbation):
    """Whole row groups change places; the rows of each keep their order.

    A row without a parent is a group of its own. Under a label that spans all rows the groups are those
    beside it.
    """

    name = "shuffle_row_groups"

    def perturb(self, table: Table, rng: np.random.Generator) -> Table:  # noqa: D102
        from ._hierarchy import of_rows
        from ._orders import shuffled_groups

        depth, count = table.header_rows, table.n_rows
        order = shuffled_groups(depth, count, of_rows(table), rng)
        return rearranged(table, [*range(depth), *order])
