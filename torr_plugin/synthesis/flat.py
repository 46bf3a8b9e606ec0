"""Flat tables for statements and questions: one row a thing, its name, its kind and some of its figures."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from random import Random

from ..tables import Table
from .topics import TOPICS, Measure, Topic


@dataclass(frozen=True)
class FlatTable:
    """A generated flat table with what it was made of.

    Attributes:
        topic: what it is about.
        measures: its columns of numbers, in the table's order.
        names: the rows' names.
        kinds: the rows' kinds; empty where the table does not show them.
        kind_at: the column of the kinds.
        values: shape (rows, measures).
    """

    topic: Topic
    measures: tuple[Measure, ...]
    names: tuple[str, ...]
    kinds: tuple[str, ...]
    kind_at: int
    values: tuple[tuple[int, ...], ...]

    def column(self, measure: Measure) -> tuple[int, ...]:
        """The values of one measure, by row."""
        at = self.measures.index(measure)
        return tuple(row[at] for row in self.values)

    @cached_property
    def table(self) -> Table:
        """The table as an example shows it: the names, the measures and, among these, the kinds."""
        header = [self.topic.label, *(measure.header for measure in self.measures)]
        rows = [[name, *map(str, row)] for name, row in zip(self.names, self.values, strict=True)]
        if self.kinds:
            header.insert(self.kind_at, self.topic.kind)
            for row, kind in zip(rows, self.kinds, strict=True):
                row.insert(self.kind_at, kind)
        return Table.flat(header, rows, title=self.topic.title)


def flat_table(random: Random) -> FlatTable:
    """A table of 4 to 10 rows and 3 to 7 columns.

    No name is twice, no value is twice in a column (so that every highest and lowest is one row), and the sum
    of each measure that adds up is a multiple of the number of rows (so that its mean is a whole number).
    """
    topic = random.choice(TOPICS)
    count = random.randint(4, 10)
    measures = tuple(random.sample(topic.measures, random.randint(2, 5)))
    if not any(measure.adds for measure in measures):
        measures = (next(measure for measure in topic.measures if measure.adds), *measures[1:])
    columns = [_column(random, measure, count) for measure in measures]
    names = tuple(random.sample(topic.names, count))
    kinds = tuple(random.choice(topic.kinds) for _ in names) if random.random() < 0.8 else ()
    kind_at = random.randint(1, 1 + len(measures))
    return FlatTable(topic, measures, names, kinds, kind_at, tuple(zip(*columns, strict=True)))


def _column(random: Random, measure: Measure, count: int) -> list[int]:
    """Different values within the measure's range, with a whole mean where the measure adds up."""
    drawn = random.sample(range(measure.low, measure.high + 1), count)
    while measure.adds and sum(drawn) % count:
        drawn[random.randrange(count)] = random.randint(measure.low, measure.high)
        if len(set(drawn)) < count:
            drawn = random.sample(range(measure.low, measure.high + 1), count)
    return drawn
