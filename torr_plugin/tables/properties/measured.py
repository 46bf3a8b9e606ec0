"""Properties of tables that are measured rather than stated by the data set: complexity and length."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from ...core.errors import SerializationError
from ...core.names import LENGTH
from ...core.texts import estimate_tokens
from .. import serializers
from .complexity import Complexity

if TYPE_CHECKING:
    from ..table import Table

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


MEASURES: Mapping[str, Callable[[Table], str]] = {
    "complexity": lambda table: Complexity.of(table).level,
    "length": length,
    "complexity and length": lambda table: f"{Complexity.of(table).level}, {length(table)}",
}
"""What can be measured: the level of complexity, the class of length, and both."""


class MeasuredProperties(Mapping[str, str]):
    """Some measured properties of one table, each computed when it is first read.

    Args:
        table: what to measure.
        names: among :data:`MEASURES`.
    """

    def __init__(self, table: Table, names: Sequence[str]) -> None:
        self._table = table
        self._values: dict[str, str | None] = dict.fromkeys(names)

    def __getitem__(self, name: str) -> str:
        value = self._values[name]
        if value is None:
            value = self._values[name] = MEASURES[name](self._table)
        return value

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)
