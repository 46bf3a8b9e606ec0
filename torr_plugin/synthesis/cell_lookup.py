"""Cell lookup: human-centric tables, and questions that each ask for one cell by its headers."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from random import Random

from .human_centric import drawn_table, single_value
from .rows import Row

QUESTIONS = 4
_ONE_CELL = (1,)


def cell_lookup(random: Random, number: int) -> Iterator[Row]:
    """Up to four questions of type 1 (one row, one column) about one table."""
    drawn = drawn_table(random, number)
    for question in islice(drawn.questions(_ONE_CELL), QUESTIONS):
        answer = single_value(question)
        if answer is not None:
            yield {"table": drawn.table, "question": question.question, "answer": answer, "kind": "lookup"}
