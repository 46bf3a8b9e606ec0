"""Exchange two parts of a table that have the same parent: header groups, row groups, sub-tables.

RealHiTBench's structure comprehending asks about a table and about one with some parts exchanged
(section 3.3). A part moves with its labels and values, so that what the table says stays the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from ...tables.header_tree import label_rows
from ...tables.perturbations.base import Perturbation
from ...tables.perturbations.hierarchy import (
    Hierarchy,
    Interval,
    of_columns,
    of_rows,
    rearranged,
    rearranged_columns,
)
from ...tables.perturbations.shuffling import free_blocks
from ...tables.table import Table

if TYPE_CHECKING:
    import numpy as np


class ExchangeColumnGroups(Perturbation):
    """Two header groups under the same parent change places, with the columns under them.

    Two columns do where no parent has two groups; a table without two columns beside its labels stays.
    """

    name = "exchange_column_groups"
    pairs_with_original = True

    def perturb(self, table: Table, rng: np.random.Generator) -> Table:  # noqa: D102
        siblings = _siblings(table.header_columns, table.n_columns, of_columns(table))
        pair = _drawn(siblings, rng)
        return rearranged_columns(table, _exchanged(table.n_columns, pair)) if pair else table


class ExchangeRowGroups(Perturbation):
    """Two row groups under the same parent change places; two rows where no parent has two groups."""

    name = "exchange_row_groups"
    pairs_with_original = True

    def perturb(self, table: Table, rng: np.random.Generator) -> Table:  # noqa: D102
        pair = _drawn(_siblings(table.header_rows, table.n_rows, of_rows(table)), rng)
        return rearranged(table, _exchanged(table.n_rows, pair)) if pair else table


class ExchangeSubTables(Perturbation):
    """Two sub-tables change places: rows below a label in a row of its own (section 3.2, type 3).

    A table with fewer than two stays as it is.
    """

    name = "exchange_sub_tables"
    pairs_with_original = True

    def perturb(self, table: Table, rng: np.random.Generator) -> Table:  # noqa: D102
        labels = set(label_rows(table))
        below_labels = (
            [block for block in blocks if block[0] in labels and block[1] - block[0] > 1]
            for blocks in _siblings(table.header_rows, table.n_rows, of_rows(table))
        )
        pair = _drawn((blocks for blocks in below_labels if len(blocks) > 1), rng)
        return rearranged(table, _exchanged(table.n_rows, pair)) if pair else table


def _siblings(start: int, stop: int, held: Hierarchy) -> Iterator[list[Interval]]:
    """For each parent the two or more parts below it that may change places, parents before their parts.

    Without recursion: rows can be nested as deep as a table is long.
    """
    stack = [(start, stop, held)]
    while stack:
        start, stop, held = stack.pop()
        _, blocks = free_blocks(start, stop, held)
        for _, run in groupby(blocks, key=lambda block: held.rank.get(block[0])):
            alike = list(run)
            if len(alike) > 1:
                yield alike
        for a, b in reversed(blocks):
            if b - a > 1 and (a, b) != (start, stop):
                inside = tuple([tie for tie in held.ties if a <= tie[0] < b])
                stack.append((a, b, Hierarchy(inside, held.headed, held.rank)))


def _drawn(siblings: Iterator[list[Interval]], rng: np.random.Generator) -> tuple[Interval, Interval] | None:
    """Two parts of one parent, groups rather than single lines; None where there are no two."""
    found = list(siblings)
    grouped = [wide for blocks in found if len(wide := [b for b in blocks if b[1] - b[0] > 1]) > 1]
    choices = grouped or found
    if not choices:
        return None
    blocks = choices[int(rng.integers(len(choices)))]
    first, second = sorted(rng.choice(len(blocks), size=2, replace=False).tolist())
    return blocks[first], blocks[second]


def _exchanged(count: int, pair: Sequence[Interval]) -> list[int]:
    """The order of ``count`` lines with the two parts of ``pair`` exchanged."""
    (a, b), (c, d) = pair
    return [*range(a), *range(c, d), *range(b, c), *range(a, b), *range(d, count)]
