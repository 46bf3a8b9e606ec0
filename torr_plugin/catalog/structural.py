"""The columns that a structural question adds to a row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random

from ..core.seeds import seed as seed_of
from ..synthesis.structural_questions import PARTITION, ask, text_around
from ..tables import Table


def structural_columns(
    task: str, seed: int, table: Table, name: str, around: Mapping[str, Sequence[str]]
) -> tuple[Mapping[str, str], Table] | None:
    """A question about a table as columns, and the table to show; None where the table allows none.

    The question depends on seed, task, name and table alone, not on other rows.

    Args:
        task: one of :data:`torr_plugin.synthesis.structural_questions.TASKS`.
        seed: of the card.
        table: the table.
        name: the table's name, unique within the data.
        around: texts around the table for ``table_partition``, by what they are; the table's own title and
            notes are left out then.
    """
    random = Random(seed_of(seed, task, name))  # noqa: S311
    made = ask(task, table, random)
    if made is None:
        return None
    columns = made.columns
    if task != PARTITION:
        return columns, table
    before, after = text_around(around, random)
    if not before and not after:
        return None
    return {**columns, "before": before, "after": after}, table.replace(title="", notes=())
