"""The registry of generators, and the splits that they make."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import count
from random import Random
from typing import TypeAlias

from ..core.errors import DataError, blamed
from ..core.seeds import seed as seed_of
from ..tables import Registry, Table
from ..tables.documents import Document
from .human_centric import aggregation, cell_lookup, hctqa
from .statements import fact_verification
from .structure import structure_comprehending
from .suc import GENERATORS as SUC

generators: Registry[Generator] = Registry(
    "generator", package=__package__, lazy={"filings": ".filings:filing_rows"}
)
for _name, _generator in {
    "aggregation": aggregation,
    "cell_lookup": cell_lookup,
    "fact_verification": fact_verification,
    "hctqa": hctqa,
    "structure_comprehending": structure_comprehending,
    **SUC,
}.items():
    generators.register(_name, _generator)


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
        ``filings`` have a ``document``, see :func:`.filing_rows`.

    Raises:
        UnknownNameError: no such generator.
        DataError: the generator makes no more tables.
        PluginError: a plugin's generator failed.
    """
    generators.get(name)
    return _splits(name, seed, tuple(sizes.items()))


@lru_cache(maxsize=16)
def _splits(name: str, seed: int, sizes: tuple[tuple[str, int], ...]) -> Mapping[str, Sequence[Row]]:
    seen: set[Table] = set()
    return {split: _split(name, seed, split, size, seen) for split, size in sizes}


def _split(name: str, seed: int, split: str, size: int, seen: set[Table]) -> tuple[Row, ...]:
    rows: list[Row] = []
    number = 0
    tried = 0
    for attempt in count():
        if len(rows) >= size:
            break
        made = _rows_of_table(name, seed_of(seed, name, split, str(attempt)), number)
        table = made[0]["table"] if made else None  # None: the table does not allow questions
        tried += 1
        if tried > MOST_TRIES:
            raise DataError(
                f"generator {name!r}: split {split!r}: {MOST_TRIES} tries gave no table beyond the "
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


def _rows_of_table(name: str, seed: int, number: int) -> list[Row]:
    """The rows of one table; empty if it does not allow questions."""
    with blamed("generator", name, generators.origin(name)):
        # Random's own draws are the same in every version of Python since 3.2, and need no numpy
        made = list(generators.get(name)(Random(seed), number))  # noqa: S311
        if made and "table" not in made[0]:
            raise KeyError("table")
        return made


Row: TypeAlias = (
    "Mapping[str, str | Table | Document | Callable[[Table], str | tuple[Mapping[str, str], Table] | None]]"
)
"""``table``, ``question`` or ``statement``, ``answer``, ``kind``; ``generate`` adds ``id``, ``table_id``."""

Generator: TypeAlias = "Callable[[Random, int], Iterator[Row]]"
"""The examples of one table, from a seeded random generator and the table's number within its split."""
