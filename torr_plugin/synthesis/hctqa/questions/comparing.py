"""Draws the comparison of types 14 and 15: a column, a side, a threshold; never one that finds nothing."""

from __future__ import annotations

import random as random_module
from collections.abc import Sequence
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Literal

from ..instance import HctInstance
from .parts import Header
from .plan import Comparison

MOST_FOUND = 20
"""Most rows that a comparison may find."""
_COLUMNS_TRIED = 6
_UNIT = Decimal("0.01")
Operator = Literal["<", ">"]


def compared(instance: HctInstance, columns: Header, random: random_module.Random) -> Comparison:
    """A column with the mean of all the table's values, as in the benchmark, that parts its rows in two.

    Where the mean parts no column, or finds more than :data:`MOST_FOUND` rows, the threshold lies between two
    values of the column.
    """
    threshold = _mean(instance)
    leaves = instance.columns.leaves
    tried = random.sample(range(len(leaves)), min(len(leaves), _COLUMNS_TRIED))
    for index in tried:
        column = [row[index] for row in instance.values]
        operators = _parting(column, threshold)
        if operators:
            return Comparison(columns.part([leaves[index]]), random.choice(operators), threshold)
    column = [row[tried[0]] for row in instance.values]
    return Comparison(columns.part([leaves[tried[0]]]), *_between(column, random))


def _mean(instance: HctInstance) -> Decimal:
    values = [value for row in instance.values for value in row]
    return _trimmed((sum(values, Decimal(0)) / len(values)).quantize(_UNIT, ROUND_HALF_EVEN))


def _parting(column: Sequence[Decimal], threshold: Decimal) -> list[Operator]:
    above = sum(value > threshold for value in column)
    below = sum(value < threshold for value in column)
    counts: tuple[tuple[Operator, int], ...] = (("<", below), (">", above))
    return [side for side, found in counts if 0 < found < len(column) and found <= MOST_FOUND]


def _between(column: Sequence[Decimal], random: random_module.Random) -> tuple[Operator, Decimal]:
    """``lower than`` half way between two neighbours, or than just above the only value."""
    ordered = sorted(column)
    if len(ordered) == 1:
        return "<", _trimmed(ordered[0] + 1)
    found = random.randint(1, min(len(ordered) - 1, MOST_FOUND))
    return "<", _trimmed((ordered[found - 1] + ordered[found]) / 2)


def _trimmed(number: Decimal) -> Decimal:
    written = f"{number + 0:f}"  # adding 0 takes the sign of a zero away
    return Decimal(written.rstrip("0").rstrip(".") if "." in written else written)
