"""The order in which requests are asked: those that begin alike follow each other.

An engine with a prefix cache reads what two prompts have in common once, as long as it still holds it when
the second one comes. In the order of their texts neighbours have as much in common as in no other order (the
total of the common beginnings of neighbours is the weight of a heaviest spanning tree of the texts).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")

MOST_ITEMS = 8192
MOST_CHARACTERS = 64_000_000


def in_prefix_order(
    items: Iterable[T],
    text: Callable[[T], str],
    *,
    most: int = MOST_ITEMS,
    most_characters: int = MOST_CHARACTERS,
) -> Iterator[T]:
    """The items of a stream, sorted by their texts within windows; equal texts keep their order.

    Only one window is in memory: it is full with ``most`` items, or with the item that brings its texts to
    ``most_characters``.

    Args:
        items: what to order; read a window at a time.
        text: what an item begins with, asked once an item.
        most: items a window, at least 1.
        most_characters: characters a window, at least 1.
    """
    window: list[tuple[str, int, T]] = []
    characters = 0
    for item in items:
        said = text(item)
        window.append((said, len(window), item))
        characters += len(said)
        if len(window) >= most or characters >= most_characters:
            yield from _sorted(window)
            window, characters = [], 0
    yield from _sorted(window)


def _sorted(window: list[tuple[str, int, T]]) -> Iterator[T]:
    window.sort(key=_place)
    return (item for _, _, item in window)


def _place(entry: tuple[str, int, T]) -> tuple[str, int]:
    return entry[0], entry[1]
