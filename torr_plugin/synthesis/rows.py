"""What a generator makes: one row an example."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from random import Random
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from ..tables import Table

Row: TypeAlias = "Mapping[str, str | Table]"
"""``table``, ``question`` or ``statement``, ``answer``, ``kind``; ``generate`` adds ``id``, ``table_id``."""

Generator: TypeAlias = "Callable[[Random, int], Iterator[Row]]"
"""The examples of one table, from a seeded random generator and the table's number within its split."""
