"""Shuffle rows and columns, or whole groups of them, without breaking merged cells and groups."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, ClassVar

from ..table import Table
from .base import Perturbation
from .hierarchy import Hierarchy, Interval, of_columns, of_rows, rearranged, rearranged_columns

if TYPE_CHECKING:
    import numpy as np


class _Shuffle(Perturbation):
    """Lines of the body change places: rows or columns, whole groups or also the lines within."""

    by_rows: ClassVar[bool]
    within: ClassVar[bool] = True

    def perturb(self, table: Table, rng: np.random.Generator) -> Table:
        depth, count = table.header_columns, table.n_columns
        held, arranged = of_columns, rearranged_columns
        if self.by_rows:
            depth, count = table.header_rows, table.n_rows
            held, arranged = of_rows, rearranged
        return arranged(table, [*range(depth), *shuffled(depth, count, held(table), rng, within=self.within)])


class ShuffleRows(_Shuffle):
    """Header rows stay; the rows of a group move as one, and are shuffled within.

    A group is what a merged cell ties together, or what the header tree puts under one parent: the rows below
    a label that spans the table, indented rows, rows behind an empty header cell. The line with the parent's
    label stays the first of its group.
    """

    name = "shuffle_rows"
    by_rows = True


class ShuffleRowGroups(_Shuffle):
    """Whole row groups change places; the rows of each keep their order.

    A row without a parent is a group of its own. Under a label that spans all rows the groups are those
    beside it.
    """

    name = "shuffle_row_groups"
    by_rows = True
    within = False


class ShuffleCols(_Shuffle):
    """Header columns stay; columns under one merged header move as a block, and are shuffled under it."""

    name = "shuffle_cols"
    by_rows = False


class ShuffleColumnGroups(_Shuffle):
    """Whole header groups change places; the columns of each keep their order.

    A column without a parent is a group of its own. Under a header that spans all columns the groups are
    those below it.
    """

    name = "shuffle_column_groups"
    by_rows = False
    within = False


def groups(start: int, stop: int, held: Hierarchy) -> list[Interval]:
    """The outermost groups of the lines ``start..stop``: the finest cut that no tie crosses.

    A tie over the whole range is none of them.
    """
    clipped = [(max(a, start), min(b, stop)) for a, b in held.ties]
    return _blocks(start, stop, [tie for tie in clipped if tie[0] < tie[1] and tie != (start, stop)])


def shuffled(
    start: int, stop: int, held: Hierarchy, rng: np.random.Generator, *, within: bool = True
) -> list[int]:
    """A random order of the lines ``start..stop`` that keeps ties together.

    Every tie, except one over the whole range, makes a block. Blocks are shuffled, and with ``within``
    recursively the lines inside each: a merged header's columns move with it and are shuffled under it. See
    :func:`free_blocks` for what stays.
    """
    pinned, blocks = free_blocks(start, stop, held)
    if blocks == [(start, stop)]:
        return list(range(start, stop))
    order: list[int] = []
    if pinned:
        order += _inside(pinned, held, rng, within=within and (start, stop) in held.headed)
    for _, run in groupby(blocks, key=lambda block: held.rank.get(block[0])):
        for block in _permuted(list(run), rng):
            order += _inside(block, held, rng, within=within)
    return order


def free_blocks(start: int, stop: int, held: Hierarchy) -> tuple[Interval | None, list[Interval]]:
    """The part that must stay first, if there is one, and the others, which may change places.

    Lines that are tied to something before ``start`` (to the header) stay, and so does a group's first line
    if only it has the group's label.
    """
    blocks = groups(start, stop, held)
    if len(blocks) > 1 and ((start, stop) in held.headed or _reaches_from_before(start, stop, held.ties)):
        return blocks[0], blocks[1:]
    return None, blocks


def _reaches_from_before(start: int, stop: int, ties: Iterable[Interval]) -> bool:
    return any(a < start < b and (start, min(b, stop)) != (start, stop) for a, b in ties)


def _inside(block: Interval, held: Hierarchy, rng: np.random.Generator, *, within: bool) -> list[int]:
    a, b = block
    if b - a == 1 or not within:
        return list(range(a, b))
    ties = tuple([tie for tie in held.ties if a <= tie[0] < b])
    return shuffled(a, b, Hierarchy(ties, held.headed, held.rank), rng)


def _permuted(blocks: Sequence[Interval], rng: np.random.Generator) -> list[Interval]:
    return [blocks[index] for index in rng.permutation(len(blocks)).tolist()]


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
