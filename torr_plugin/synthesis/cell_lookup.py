"""Cell lookup: tables with nested, merged headers on both axes, and questions that each ask for one cell."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from ..tables import Cell, Table
from .nested_topics import NESTED_TOPICS, NestedTopic
from .rows import Row

QUESTIONS = 4
MOST_ROWS = 10


def cell_lookup(random: Random, number: int) -> Iterator[Row]:
    """Four questions about different cells of one table; it has 4 to 10 rows and 4 to 6 columns of values."""
    del number  # every table is drawn alike
    topic = random.choice(NESTED_TOPICS)
    rows = _drawn_rows(random, topic)
    outer = _in_order(random, topic.outer, random.randint(2, 3))
    inner = _in_order(random, topic.inner, 2 if len(outer) == 3 else random.randint(2, 3))
    columns = [(above, below) for above in outer for below in inner]
    values = [[random.randint(topic.low, topic.high) for _ in columns] for _ in rows]
    table = _table(topic, rows, outer, inner, values)
    for place in random.sample(range(len(rows) * len(columns)), QUESTIONS):
        r, c = divmod(place, len(columns))
        (group, row), (above, below) = rows[r], columns[c]
        question = topic.question.format(group=group, row=row, outer=above, inner=below)
        yield {"table": table, "question": question, "answer": str(values[r][c]), "kind": "lookup"}


def _drawn_rows(random: Random, topic: NestedTopic) -> list[tuple[str, str]]:
    """(group, row) labels: 2 or 3 groups of 2 to 4 rows, at most 10 in all."""
    groups = random.sample(sorted(topic.rows), random.randint(2, 3))
    sizes = [MOST_ROWS]
    while sum(sizes) > MOST_ROWS or len(sizes) != len(groups):
        sizes = [random.randint(2, len(topic.rows[group])) for group in groups]
    return [
        (group, row)
        for group, size in zip(groups, sizes, strict=True)
        for row in random.sample(topic.rows[group], size)
    ]


def _in_order(random: Random, labels: tuple[str, ...], count: int) -> tuple[str, ...]:
    """Some of the labels, in their own order: years and weekdays do not jump about in a printed table."""
    chosen = set(random.sample(range(len(labels)), count))
    return tuple(label for at, label in enumerate(labels) if at in chosen)


def _table(
    topic: NestedTopic,
    rows: list[tuple[str, str]],
    outer: tuple[str, ...],
    inner: tuple[str, ...],
    values: list[list[int]],
) -> Table:
    corner = [Cell(topic.group, rowspan=2), Cell(topic.row, rowspan=2)]
    head = [
        (*corner, *(Cell(label, colspan=len(inner)) for label in outer)),
        tuple(Cell(label) for _ in outer for label in inner),
    ]
    sizes = {group: sum(other == group for other, _ in rows) for group, _ in rows}
    body = []
    for at, ((group, row), line) in enumerate(zip(rows, values, strict=True)):
        first = at == 0 or rows[at - 1][0] != group
        labels = [Cell(group, rowspan=sizes[group])] if first else []
        body.append((*labels, Cell(row), *(Cell(str(value)) for value in line)))
    return Table((*head, *body), header_rows=2, header_columns=2, title=topic.title)
