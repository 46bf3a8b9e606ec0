"""Python's search for cyclic garbage, held back while millions of small values come and go."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

ALLOCATIONS = 50_000


@contextmanager
def seldom_collected() -> Iterator[None]:
    """Within it what is there already (examples, libraries) is not searched again and again.

    Making prompts leaves no cycles behind, but makes so many values that a fifth of its time would go into
    looking for some. Garbage is still found, after ``ALLOCATIONS`` new values rather than 700.
    """
    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(max(before[0], ALLOCATIONS) if before[0] else 0, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()
