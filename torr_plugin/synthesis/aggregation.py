"""Aggregation: totals, averages, least and largest values over cells of a human-centric table."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from random import Random

from .hctqa.output.sft import written_answer
from .human_centric import drawn_table
from .rows import Row

QUESTIONS = 4
KINDS = {4: "over columns", 5: "in the table", 7: "over rows"}
"""Types of questions: over columns of one row, not shown or shown in the table; over rows of one column."""


def aggregation(random: Random, number: int) -> Iterator[Row]:
    """Up to four questions about one table, each for one expression or two."""
    drawn = drawn_table(random, number)
    for question in islice(drawn.questions(KINDS), QUESTIONS):
        yield {
            "table": drawn.table,
            "question": question.question,
            "answer": written_answer(question.answer),
            "kind": KINDS[question.template],
        }
