"""A row with a structural question about its table, for cards that ask how real tables are built."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from ..core.seeds import seed as seed_of
from ..synthesis.suc import TASKS, can_be_asked
from ..tables import Table
from .rows import Row

if TYPE_CHECKING:
    from .schema import StructureOf


def structural_row(row: Row, table: Table, group: str, how: StructureOf, asked: set[str]) -> Row | None:
    """The row with the columns ``question``, ``answer`` and ``merged``; None where it is left out.

    The question depends on seed, task and table alone, whichever other rows there are.

    Args:
        row: a row of the data.
        table: its table.
        group: what the table is called.
        how: task and seed.
        asked: the tables that were asked about before; the row's is added.
    """
    if group in asked:
        return None
    asked.add(group)
    if table.header_rows != 1 or not can_be_asked(table):
        return None
    found = TASKS[how.task](table, Random(seed_of(how.seed, how.task, group)))  # noqa: S311
    if found is None:
        return None
    return {**row, "question": found.question, "answer": found.answer, "merged": found.merged_text}
