"""Properties of tables that are measured rather than stated by the data set: complexity and length."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from ..core.errors import SerializationError
from ..core.names import LENGTH
from ..core.registry import Registry
from ..core.texts import estimate_tokens
from . import serializers

if TYPE_CHECKING:
    from .table import Table

_CLASS = 10_000


def length(table: Table) -> str:
    """The class of a table by the tokens of its LaTeX, a token being four characters.

    A table that is too large for LaTeX is in the longest.
    """
    try:
        tokens = estimate_tokens(serializers.get("latex").serialize(table))
    except SerializationError:
        return LENGTH[-1]
    return LENGTH[min(tokens // _CLASS, len(LENGTH) - 1)]


measures: Registry[Callable[[Table], str]] = Registry(
    "measured property", "measured properties", hook="torr_measures"
)
"""What can be measured of a table, as the class that it is in."""

measures.register("length", length)


class MeasuredProperties(Mapping[str, str]):
    """Some measured properties of one table, each computed when it is first read.

    Args:
        table: what to measure.
        names: among :data:`measures`.
    """

    def __init__(self, table: Table, names: Sequence[str]) -> None:
        self._table = table
        self._values: dict[str, str | None] = dict.fromkeys(names)

    def __getitem__(self, name: str) -> str:
        value = self._values[name]
        if value is None:
            value = self._values[name] = measures.get(name)(self._table)
        return value

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)
