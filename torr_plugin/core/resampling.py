"""Resampling with replacement, as vectors of how often each thing is drawn."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

_DRAWN_AT_ONCE = 4_000_000  # resampled things held in memory


def resample_counts(rng: np.random.Generator, size: int, resamples: int) -> Iterator[NDArray[np.float64]]:
    """How often each of ``size`` things is drawn, (some resamples x size), until all resamples are made."""
    step = max(1, _DRAWN_AT_ONCE // size)
    for start in range(0, resamples, step):
        here = min(step, resamples - start)
        drawn = rng.integers(size, size=(here, size)) + np.arange(here)[:, None] * size
        yield np.bincount(drawn.ravel(), minlength=here * size).reshape(here, size).astype(float)
