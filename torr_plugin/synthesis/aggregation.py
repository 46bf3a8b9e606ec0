"""Aggregation: questions over a column of a flat table, each with its exact answer by construction."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from typing import TypeAlias

from .flat import FlatTable, flat_table
from .rows import Row
from .topics import Measure

_Asked: TypeAlias = "tuple[str, str]"  # question and answer


def aggregation(random: Random, number: int) -> Iterator[Row]:
    """Four questions about one table: a sum or a mean, a highest or lowest, two counts."""
    made = flat_table(random)
    kinds = [
        "sum" if number % 2 else "mean",
        "highest" if number // 2 % 2 else "lowest",
        "count",
        "count_kind" if made.kinds else "sum_above",
    ]
    random.shuffle(kinds)
    for kind in kinds:
        question, answer = _KINDS[kind](random, made)
        yield {"table": made.table, "question": question, "answer": answer, "kind": kind}


def _additive(random: Random, made: FlatTable) -> Measure:
    return random.choice([measure for measure in made.measures if measure.adds])


def _sum(random: Random, made: FlatTable) -> _Asked:
    measure = _additive(random, made)
    return f"What is the sum of the {measure.phrase} over all {made.topic.plural}?", str(
        sum(made.column(measure))
    )


def _mean(random: Random, made: FlatTable) -> _Asked:
    measure = _additive(random, made)
    values = made.column(measure)
    return f"What is the mean {measure.phrase} of all {made.topic.plural}?", str(sum(values) // len(values))


def _highest(random: Random, made: FlatTable) -> _Asked:
    measure = random.choice(made.measures)
    values = made.column(measure)
    return f"Which {made.topic.noun} has the highest {measure.phrase}?", made.names[values.index(max(values))]


def _lowest(random: Random, made: FlatTable) -> _Asked:
    measure = random.choice(made.measures)
    values = made.column(measure)
    return f"Which {made.topic.noun} has the lowest {measure.phrase}?", made.names[values.index(min(values))]


def _count(random: Random, made: FlatTable) -> _Asked:
    measure = random.choice(made.measures)
    values = made.column(measure)
    threshold = random.choice(values)
    side = random.choice(("above", "below"))
    count = sum(value > threshold if side == "above" else value < threshold for value in values)
    return f"For how many {made.topic.plural} is the {measure.phrase} {side} {threshold}?", str(count)


def _count_kind(random: Random, made: FlatTable) -> _Asked:
    kind = random.choice(made.kinds)
    return f"How many {made.topic.plural} {made.topic.kind_phrase.format(kind)}?", str(made.kinds.count(kind))


def _sum_above(random: Random, made: FlatTable) -> _Asked:
    measure = _additive(random, made)
    values = made.column(measure)
    threshold = sorted(values)[-random.randint(2, 3) - 1]
    total = sum(value for value in values if value > threshold)
    question = (
        f"What is the sum of the {measure.phrase} over the {made.topic.plural} where it is above {threshold}?"
    )
    return question, str(total)


_KINDS: dict[str, Callable[[Random, FlatTable], _Asked]] = {
    "sum": _sum,
    "mean": _mean,
    "highest": _highest,
    "lowest": _lowest,
    "count": _count,
    "count_kind": _count_kind,
    "sum_above": _sum_above,
}
