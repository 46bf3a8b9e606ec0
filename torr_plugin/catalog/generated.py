"""What rooms and plugins generate: tables with questions, questions about any table, whole data sets."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from itertools import count
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, TypeAlias

from ..core.errors import DataError
from ..core.registry import Registry
from ..core.seeds import seed as seed_of
from ..tables import Table
from ..tables.documents import Document

if TYPE_CHECKING:
    from .schema import StructuralLoader

Row: TypeAlias = (
    "Mapping[str, str | Table | Document | Callable[[Table], str | tuple[Mapping[str, str], Table] | None]]"
)
"""``table``, ``question`` or ``statement``, ``answer``, ``kind``; ``generate`` adds ``id``, ``table_id``."""

Generator: TypeAlias = "Callable[[Random, int], Iterator[Row]]"
"""The examples of one table, from a seeded random generator and the table's number within its split."""

generators: Registry[Generator] = Registry("generator", hook="torr_generators")

TableMaker: TypeAlias = "Callable[[Random, int], Mapping[str, Any]]"
"""Makes a ``table``, and what goes with it, for generators that ask questions of their own about it."""

table_makers: Registry[TableMaker] = Registry("maker of tables", "makers of tables", hook="torr_table_makers")


TableQuestions: TypeAlias = "Callable[[StructuralLoader, str, str, Path | None], Iterator[Mapping[str, Any]]]"
"""The rows of a split, a question about each table of other cards: of a loader, the split, the card and
a mirror to read from instead of the one that ``TORR_DATA`` names."""

table_questions: Registry[TableQuestions] = Registry("task", hook="torr_table_questions")

DataSetMaker: TypeAlias = "Callable[[Mapping[str, Any], Path, Callable[[int, int], None]], dict[str, Any]]"
"""Makes a data set in a new folder, from options; tells the third how many are made and of how many."""

data_set_makers: Registry[DataSetMaker] = Registry("data set", hook="torr_data_sets")

MOST_TRIES = 1000
"""Consecutive attempts without a new table before a generator counts as exhausted."""


def generate(name: str, *, seed: int, sizes: Mapping[str, int]) -> Mapping[str, Sequence[Row]]:
    """Generate the splits of a data set.

    A smaller split is a prefix of a larger one with the same name and seed. No table occurs twice, neither
    within a split nor in two.

    Args:
        name: a generator.
        seed: the seed.
        sizes: the number of examples by split.

    Returns:
        Rows by split, each with ``id`` (``test-0017``), ``table_id``, ``table``, ``answer``, ``kind`` and
        ``question`` or ``statement``; those of ``hctqa`` also have ``template`` (1-15),
        ``family``, ``sql``, ``table_properties`` and ``question_properties`` (JSON); those of
        ``structure_comprehending`` have ``recompute``, see :class:`torr_plugin.catalog.Example`; those of SUC
        have ``ask_again``, which gives the columns that ask about part of the table, and that part; those of
        ``filings`` have a ``document``, see :class:`torr_plugin.tables.documents.Document`.

    Raises:
        UnknownNameError: no such generator.
        DataError: the generator makes no more tables.
        PluginError: a plugin's generator failed.
    """
    return _splits(name, generators.get(name), seed, tuple(sizes.items()))


@lru_cache(maxsize=16)
def _splits(
    name: str, generator: Generator, seed: int, sizes: tuple[tuple[str, int], ...]
) -> Mapping[str, Sequence[Row]]:
    """The splits; by the generator too, as another can be registered under its name."""
    seen: set[Table] = set()

    def make(split: str, attempt: int, number: int) -> list[Row]:
        # Random's own draws are the same in every version of Python since 3.2, and need no numpy
        random = Random(seed_of(seed, name, split, str(attempt)))  # noqa: S311
        with generators.blamed(name):
            made = list(generator(random, number))
            if made and "table" not in made[0]:
                raise KeyError("table")
            return made

    return {
        split: _split(f"generator {name!r}: split {split!r}", partial(make, split), split, size, seen)
        for split, size in sizes
    }


def _split(
    where: str, make: Callable[[int, int], list[Row]], split: str, size: int, seen: set[Table]
) -> tuple[Row, ...]:
    rows: list[Row] = []
    number = 0
    tried = 0
    for attempt in count():
        if len(rows) >= size:
            break
        made = make(attempt, number)  # empty where the table does not allow questions
        table = made[0]["table"] if made else None
        tried += 1
        if tried > MOST_TRIES:
            raise DataError(
                f"{where}: {MOST_TRIES} tries gave no table beyond the "
                f"first {number}; expected another one, as 'table' of each row"
            )
        if not isinstance(table, Table) or table in seen:
            continue
        tried = 0
        seen.add(table)
        table_id = f"{split}-{number:04d}"
        rows.extend(
            {"id": f"{split}-{at:04d}", "table_id": table_id, **row} for at, row in enumerate(made, len(rows))
        )
        number += 1
    return tuple(rows[:size])
