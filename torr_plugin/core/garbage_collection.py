"""Searching for cyclic garbage less often, where there is little of it."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

ALLOCATIONS = 50_000


@contextmanager
def infrequent_garbage_collection() -> Iterator[None]:
    """Collect cyclic garbage less often, and leave out what exists already (examples, libraries).

    Making prompts, or pages, creates hardly any cycles, but so many values that up to a fifth of the time
    would go into searching for them.
    """
    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(max(before[0], ALLOCATIONS) if before[0] else 0, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()
