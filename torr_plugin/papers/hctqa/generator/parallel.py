"""Make many things in one process or several, always in the same order and with bounded memory."""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from functools import partial
from typing import TypeVar

_AHEAD = 4

A = TypeVar("A")
B = TypeVar("B")


def in_order(
    make: Callable[[A], B], items: Iterable[A], *, workers: int = 1, chunk: int = 16
) -> Iterator[tuple[A, B]]:
    """Each item with what is made of it, in the items' order.

    Args:
        make: a function that can be pickled, if there are several workers.
        items: what it is called with, taken as needed.
        workers: the number of processes; 1 works in this one.
        chunk: how many items are sent to a worker at a time. No more than four chunks a worker wait.
    """
    if workers <= 1:
        for item in items:
            yield item, make(item)
        return
    rest, work = iter(items), partial(_all, make)
    with ProcessPoolExecutor(workers) as pool:
        waiting: deque[tuple[list[A], Future[list[B]]]] = deque()
        while some := list(itertools.islice(rest, chunk)):
            waiting.append((some, pool.submit(work, some)))
            if len(waiting) >= _AHEAD * workers:
                oldest, future = waiting.popleft()
                yield from zip(oldest, future.result(), strict=True)
        for some, future in waiting:
            yield from zip(some, future.result(), strict=True)


def _all(make: Callable[[A], B], items: Iterable[A]) -> list[B]:
    return [make(item) for item in items]
