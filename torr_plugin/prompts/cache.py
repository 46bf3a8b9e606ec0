"""A memory of bounded weight that forgets what was used least recently."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class BoundedCache(Generic[K, V]):
    """Values by key, at most ``most`` in weight; the least recently used go first.

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
        """The value of ``key``, made now if it is not remembered."""
        value = self.find(key)
        return self.keep(key, make()) if value is None else value

    def find(self, key: K) -> V | None:
        """The value of ``key`` if it is remembered, which then counts as used."""
        value = self._values.get(key)
        if value is not None:
            self._values.move_to_end(key)
        return value

    def keep(self, key: K, value: V) -> V:
        """Remember a value, which is not None, for a key that is not remembered; gives it back."""
        self._values[key] = value
        self.weight += self._weigh(value)
        while self.weight > self._most and len(self._values) > 1:
            self.weight -= self._weigh(self._values.popitem(last=False)[1])
        return value
