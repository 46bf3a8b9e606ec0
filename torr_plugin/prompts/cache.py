"""Bounded caches: by weight in general, and of the tables that several examples share."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import replace
from typing import TYPE_CHECKING, Generic, TypeVar

from ..catalog.unitxt_examples import UnitxtExample
from ..core.seeds import generator
from ..tables import Table
from .rendering import table_text

if TYPE_CHECKING:
    from ..catalog import Example
    from ..tables.perturbations.base import Perturbation

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class BoundedCache(Generic[K, V]):
    """A cache of at most ``most`` in total weight, which drops the least recently used values first.

    ``weigh`` gives a value's weight, e.g. the length of a text in characters.
    """

    def __init__(self, most: int, weigh: Callable[[V], int]) -> None:
        self._most, self._weigh = most, weigh
        self._values: OrderedDict[K, V] = OrderedDict()
        self.weight = 0

    def clear(self) -> None:
        """Forget everything."""
        self._values.clear()
        self.weight = 0

    def __len__(self) -> int:
        return len(self._values)

    def get(self, key: K, make: Callable[[], V]) -> V:
        """The value of ``key``, made now if it is not in the cache."""
        value = self.find(key)
        return self.keep(key, make()) if value is None else value

    def find(self, key: K) -> V | None:
        """The value of ``key`` or None; marks it as used."""
        value = self._values.get(key)
        if value is not None:
            self._values.move_to_end(key)
        return value

    def keep(self, key: K, value: V) -> V:
        """Add a value, not None, under a new key, and return it."""
        self._values[key] = value
        self.weight += self._weigh(value)
        while self.weight > self._most and len(self._values) > 1:
            self.weight -= self._weigh(self._values.popitem(last=False)[1])
        return value


class SharedTables:
    """Perturb and serialize a table once for all examples that ask about it.

    Args:
        most_cells: the size of the cache of perturbed tables, in cells.
        most_characters: the size of the cache of texts.
    """

    def __init__(self, most_cells: int, most_characters: int) -> None:
        # keyed by id(); each value keeps its table alive, so that no id() is reused
        self._tables: BoundedCache[tuple[int, str], tuple[Table, Table]] = BoundedCache(most_cells, _cells)
        self._texts: BoundedCache[tuple[int, str], tuple[Table, str]] = BoundedCache(
            most_characters, lambda kept: len(kept[1])
        )

    def perturbed(self, example: Example, perturbation: Perturbation) -> Example:
        """The example with its table perturbed, for a perturbation that :func:`is_shared`."""
        key = id(example.table), perturbation.name
        kept = self._tables.find(key)
        if kept is None:
            # the perturbation draws nothing from the generator
            changed = perturbation.perturb(example.table, generator(0, perturbation.name))
            kept = self._tables.keep(key, (example.table, changed))
        return example if kept[1] is example.table else replace(example, table=kept[1])

    def text(self, example: Example, serializer: str) -> str:
        """:func:`table_text` of an example whose perturbation :func:`is_shared`."""
        key = id(example.table), serializer
        kept = self._texts.find(key)
        if kept is None:
            kept = self._texts.keep(key, (example.table, table_text(example, serializer)))
        return kept[1]

    def clear(self) -> None:
        """Forget everything."""
        self._tables.clear()
        self._texts.clear()


def is_shared(example: Example, perturbation: Perturbation) -> bool:
    """Whether the perturbed table depends on the table alone, not on the example."""
    return not perturbation.draws and not isinstance(example, UnitxtExample)


def _cells(kept: tuple[Table, Table]) -> int:
    return kept[1].n_rows * kept[1].n_columns
