"""All generators by name, and the splits they make."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import count
from random import Random

from ..seeds import seed as seed_of
from ..tables import Registry, Table
from .aggregation import aggregation
from .cell_lookup import cell_lookup
from .fifteen_types import hctqa
from .rows import Generator, Row
from .statements import fact_verification

generators: Registry[Generator] = Registry("generator")
for _name, _generator in {
    "aggregation": aggregation,
    "cell_lookup": cell_lookup,
    "fact_verification": fact_verification,
    "hctqa": hctqa,
}.items():
    generators.register(_name, _generator)


def generate(name: str, *, seed: int, sizes: Mapping[str, int]) -> Mapping[str, Sequence[Row]]:
    """The splits of a generated data set.

    A smaller split is the beginning of a larger one of that name and seed, and no table occurs twice, within
    a split or in two.

    Args:
        name: a generator.
        seed: another seed, other tables.
        sizes: examples by split.

    Returns:
        Rows by split, each with ``id`` (``test-0017``), ``table_id``, ``table``, ``answer``, ``kind`` and
        what is asked (``question`` or ``statement``); those of ``hctqa`` also have ``template`` (1-15),
        ``family``, ``sql``, ``table_properties`` and ``question_properties`` (JSON).

    Raises:
        UnknownNameError: no such generator.
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
    for attempt in count():
        if len(rows) >= size:
            break
        # Random's own draws are the same in every version of Python since 3.2, and need no numpy
        made = list(generators.get(name)(Random(seed_of(seed, name, split, str(attempt))), number))  # noqa: S311
        table = made[0]["table"] if made else None  # a table that cannot be asked about so
        if not isinstance(table, Table) or table in seen:
            continue
        seen.add(table)
        labels = {"table_id": f"{split}-{number:04d}"}
        first = len(rows)
        rows.extend({"id": f"{split}-{at:04d}", **labels, **row} for at, row in enumerate(made, first))
        number += 1
    return tuple(rows[:size])
