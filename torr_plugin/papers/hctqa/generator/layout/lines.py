"""The lines of an axis in display order, aggregates included, and the body's numbers along them."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from ..instance import Function, Path, TableAxis

Side = Literal["none", "before", "after"]


@dataclass(frozen=True, slots=True)
class AxisLine:
    """A column or a row of the body.

    Attributes:
        labels: the header's texts, one a level; empty below an aggregate's name.
        members: the leaves it shows: one, or all that it sums up.
        level: the level of an aggregate's name, 0 for that of all; None for a leaf.
        merged: which levels share the cell of the level before, because a value without values below it
            fills the levels of its hierarchy.
    """

    labels: Path
    members: tuple[int, ...]
    level: int | None = None
    merged: tuple[bool, ...] = ()


@dataclass(frozen=True, slots=True)
class Totals:
    """The places of an axis's aggregates: those of groups, and that of all."""

    name: str
    groups: Side
    overall: Side


def lines(axis: TableAxis, totals: Totals) -> list[AxisLine]:
    """All lines of an axis, aggregates at every level where ``totals`` has them."""
    return _within(axis, merged_levels(axis), range(len(axis.leaves)), (), totals)


def merged_levels(axis: TableAxis) -> list[tuple[bool, ...]]:
    """For each leaf, the levels that only repeat the value above, as in an unbalanced hierarchy."""
    below: dict[Path, set[str]] = {}
    for leaf in axis.leaves:
        for level, label in enumerate(leaf):
            below.setdefault(leaf[:level], set()).add(label)
    inner = {level for group in axis.groups for level in group[1:]}
    return [
        tuple(
            level in inner and label == leaf[level - 1] and len(below[leaf[:level]]) == 1
            for level, label in enumerate(leaf)
        )
        for leaf in axis.leaves
    ]


def _within(
    axis: TableAxis, merged: Sequence[tuple[bool, ...]], leaves: Sequence[int], prefix: Path, totals: Totals
) -> list[AxisLine]:
    level, depth = len(prefix), len(axis.attributes)
    if level == depth:
        return [AxisLine(axis.leaves[leaf], (leaf,), None, merged[leaf]) for leaf in leaves]
    inner: list[AxisLine] = []
    for label, group in itertools.groupby(leaves, key=lambda leaf: axis.leaves[leaf][level]):
        inner += _within(axis, merged, list(group), (*prefix, label), totals)
    side = totals.groups if level else totals.overall
    if side == "none" or merged[leaves[0]][level]:
        return inner
    total = AxisLine(
        (*prefix, totals.name, *[""] * (depth - level - 1)), tuple(leaves), level, (False,) * depth
    )
    return [total, *inner] if side == "before" else [*inner, total]


@dataclass(frozen=True, slots=True)
class HeaderCell:
    """A cell of the header: its text, the first of its lines, how many lines and levels it covers."""

    text: str
    start: int
    lines: int
    levels: int


def header_cells(lines_: Sequence[AxisLine], level: int) -> list[HeaderCell]:
    """The header cells that begin at a level.

    Neighbours with the same labels down to this level share a cell; an aggregate has a cell for itself.
    """
    return [
        HeaderCell(lines_[start].labels[level], start, length, _levels(lines_[start], level))
        for start, length in runs(lines_, level)
        if not lines_[start].merged[level]
    ]


def _levels(line: AxisLine, level: int) -> int:
    return 1 + sum(1 for _ in itertools.takewhile(bool, line.merged[level + 1 :]))


def runs(lines_: Sequence[AxisLine], level: int) -> list[tuple[int, int]]:
    """The neighbours with the same labels down to a level, as (first line, number of lines)."""
    starts = [
        index
        for index, line in enumerate(lines_)
        if index == 0 or _key(line, index, level) != _key(lines_[index - 1], index - 1, level)
    ]
    return [(start, stop - start) for start, stop in itertools.pairwise([*starts, len(lines_)])]


def _key(line: AxisLine, index: int, level: int) -> tuple[Path, int]:
    alone = line.level is not None and level >= line.level
    return line.labels[: level + 1], index if alone else -1


Integers = Sequence[Sequence[int]]


def body_texts(
    values: Sequence[Sequence[Decimal]],
    columns: Sequence[AxisLine],
    rows: Sequence[AxisLine],
    function: Function,
    decimals: int,
) -> list[list[str]]:
    """The texts of the body, shape (rows, columns); an aggregate is over all its cells.

    A mean is over cells, not over other means, which would differ if groups have different sizes.
    """
    scale = max(decimals, *(_exponent(value) for line in values for value in line))
    exact = [[int(value.scaleb(scale)) for value in line] for line in values]
    reduce = _REDUCE[function]
    across = [[reduce(_picked(line, column.members)) for column in columns] for line in exact]
    downward = list(zip(*across, strict=True))
    mean = function == "avg"
    return [
        [
            rounded_text(
                reduce(_picked(column, row.members)),
                len(row.members) * len(members.members) if mean else 1,
                scale,
                decimals,
            )
            for column, members in zip(downward, columns, strict=True)
        ]
        for row in rows
    ]


def rounded_text(number: int, count: int, scale: int, decimals: int) -> str:
    """``number / count / 10**scale`` with so many decimals, a tie to the even neighbour."""
    divisor = count * 10 ** (scale - decimals)
    whole, rest = divmod(number, divisor)
    if 2 * rest > divisor or (2 * rest == divisor and whole % 2):
        whole += 1
    if not decimals:
        return str(whole)
    digits = str(abs(whole)).zfill(decimals + 1)
    return f"{'-' * (whole < 0)}{digits[:-decimals]}.{digits[-decimals:]}"


def _picked(numbers: Sequence[int], members: Sequence[int]) -> list[int]:
    return [numbers[member] for member in members]


def _exponent(value: Decimal) -> int:
    exponent = value.as_tuple().exponent
    return -exponent if isinstance(exponent, int) and exponent < 0 else 0


_REDUCE: dict[Function, Callable[[Sequence[int]], int]] = {"sum": sum, "avg": sum, "min": min, "max": max}
