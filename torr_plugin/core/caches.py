"""Caches bounded by the weight of what they hold."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class BoundedCache(Generic[K, V]):
    """A cache of at most ``most`` in total weight, which drops the least recently used values first.

    ``weigh`` gives a value's weight, e.g. the length of a text in characters. A single value may weigh more.
    """

    def __init__(self, most: int, weigh: Callable[[V], int]) -> None:
        self._most, self._weigh = most, weigh
        self._values: OrderedDict[K, V] = OrderedDict()
        self.weight = 0

    def __len__(self) -> int:
        return len(self._values)

    def clear(self) -> None:
        """Forget everything."""
        self._values.clear()
        self.weight = 0

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


class IdentityCache(BoundedCache[tuple[int, str], tuple[object, V]]):
    """A cache of what was made of objects, by an object's identity and a name."""

    def __init__(self, most: int, weigh: Callable[[V], int]) -> None:
        super().__init__(most, lambda kept: weigh(kept[1]))

    def made_of(self, source: object, name: str, make: Callable[[], V]) -> V:
        """What was made of ``source`` under ``name``, made now if it is not in the cache."""
        key = (id(source), name)
        kept = self.find(key)
        if kept is None:  # the value keeps its source alive, so that no id() is reused
            kept = self.keep(key, (source, make()))
        return kept[1]
