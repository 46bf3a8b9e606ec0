"""Fact verification: statements about a flat table that it entails or refutes, each by construction."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random

from .flat import FlatTable, flat_table
from .rows import Row

LABELS = ("refuted", "entailed")


def fact_verification(random: Random, number: int) -> Iterator[Row]:
    """Four statements about one table, one of each kind, two of them true.

    Tables with an odd number have the labels of the table before turned round, so that every kind is as often
    true as false.
    """
    made = flat_table(random)
    truths = _TRUTHS[number // 2 % len(_TRUTHS)]
    for (kind, state), truth in zip(_KINDS.items(), truths, strict=True):
        holds = truth != bool(number % 2)
        yield {
            "table": made.table,
            "statement": state(random, made, holds),
            "answer": LABELS[holds],
            "kind": kind,
        }


def _lookup(random: Random, made: FlatTable, holds: bool) -> str:
    measure, row = random.choice(made.measures), random.randrange(len(made.names))
    value = made.column(measure)[row]
    while not holds and value == made.column(measure)[row]:
        value = random.choice((*made.column(measure), random.randint(measure.low, measure.high)))
    return f"The {measure.phrase} of {made.names[row]} is {value}."


def _comparison(random: Random, made: FlatTable, holds: bool) -> str:
    measure, (one, other) = random.choice(made.measures), random.sample(range(len(made.names)), 2)
    values, word = made.column(measure), random.choice(("higher", "lower"))
    if ((values[one] > values[other]) == (word == "higher")) != holds:
        one, other = other, one
    return f"{made.names[one]} has a {word} {measure.phrase} than {made.names[other]}."


def _count(random: Random, made: FlatTable, holds: bool) -> str:
    measure, side = random.choice(made.measures), random.choice(("above", "below"))
    values = made.column(measure)
    threshold = sorted(values)[random.randrange(1, len(values) - 1)]
    count = sum(value > threshold if side == "above" else value < threshold for value in values)
    if not holds:
        count = random.choice([other for other in range(1, len(values) + 1) if 0 < abs(other - count) <= 2])
    who = made.topic.noun if count == 1 else made.topic.plural
    return f"The {measure.phrase} is {side} {threshold} for exactly {count} {who}."


def _superlative(random: Random, made: FlatTable, holds: bool) -> str:
    measure, (word, best) = random.choice(made.measures), random.choice((("highest", max), ("lowest", min)))
    values = made.column(measure)
    right = values.index(best(values))
    row = right if holds else random.choice([row for row in range(len(values)) if row != right])
    return f"{made.names[row]} has the {word} {measure.phrase} of all the {made.topic.plural}."


_KINDS: dict[str, Callable[[Random, FlatTable, bool], str]] = {
    "lookup": _lookup,
    "comparison": _comparison,
    "count": _count,
    "superlative": _superlative,
}

# every way in which two of four can be true
_TRUTHS = ((1, 1, 0, 0), (0, 1, 1, 0), (1, 0, 1, 0))
