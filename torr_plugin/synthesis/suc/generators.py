"""A generator a task: one question about each table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from random import Random
from typing import TYPE_CHECKING

from . import surroundings
from .drawing import flat_table, table_with_merged_cells
from .tasks import TASKS, can_be_asked, merged_cells

if TYPE_CHECKING:
    from ..rows import Generator, Row


def _flat(task: str, random: Random, number: int) -> Iterator[Row]:
    table, _ = flat_table(random, number)
    asked = TASKS[task](table, random) if can_be_asked(table) else None
    if asked is not None:
        yield {"table": table, "question": asked.question, "answer": asked.answer, "kind": task}


def _partition(random: Random, number: int) -> Iterator[Row]:
    table, drawn = flat_table(random, number)
    asked = TASKS["table_partition"](table, random)
    if asked is None or not can_be_asked(table):
        return
    yield {
        # the title is told in the text around the table
        "table": table.replace(title=""),
        "before": surroundings.before(table, drawn, random),
        "after": surroundings.after(drawn, random),
        "question": asked.question,
        "answer": asked.answer,
        "kind": "table_partition",
    }


def _merged(random: Random, number: int) -> Iterator[Row]:
    table = table_with_merged_cells(random, number)
    asked = merged_cells(table, random)
    yield {
        "table": table,
        "question": asked.question,
        "answer": asked.answer,
        "merged": asked.merged_text,
        "kind": "merged_cell_detection",
    }


_OWN: Mapping[str, Generator] = {"table_partition": _partition, "merged_cell_detection": _merged}

GENERATORS: Mapping[str, Generator] = {
    f"suc_{task}": _OWN.get(task) or partial(_flat, task) for task in TASKS
}
"""By the names that cards use, ``suc_cell_lookup``."""
