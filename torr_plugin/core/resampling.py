"""Resampling with replacement, as counts of how often each item is drawn."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

_DRAWS_AT_ONCE = 4_000_000  # draws held in memory


def resample_counts(rng: np.random.Generator, size: int, resamples: int) -> Iterator[NDArray[np.float64]]:
    """Yield blocks of shape (resamples in the block, size): how often each of ``size`` items is drawn."""
    step = max(1, _DRAWS_AT_ONCE // size)
    for start in range(0, resamples, step):
        count = min(step, resamples - start)
        draws = rng.integers(size, size=(count, size)) + np.arange(count)[:, None] * size
        yield np.bincount(draws.ravel(), minlength=count * size).reshape(count, size).astype(float)
