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
        self.clear()

    def clear(self) -> None:
        """Forget everything."""
        self._values: OrderedDict[K, V] = OrderedDict()
        self.weight = 0

    def get(self, key: K, make: Callable[[], V]) -> V:
        """The value of ``key``, made now if it is not in the cache."""
        if key in self._values:
            self._values.move_to_end(key)
            return self._values[key]
        value = self._values[key] = make()
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
        # the value keeps its source alive, so that no id() is reused
        return self.get((id(source), name), lambda: (source, make()))[1]
