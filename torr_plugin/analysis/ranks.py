"""Rank intervals: which places a model may take."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .rounding import ROUNDING

if TYPE_CHECKING:
    from .types import Floats, Integers


def rank_intervals(samples: Floats, level: float) -> Integers:
    """The places each model takes in resamples, 1 the best.

    Models that tie in a resample share its places: two that tie for the first have the lowest rank 1 and the
    highest rank 2 there.

    Args:
        samples: resampled performance, (models x resamples), without NaN.
        level: the intervals', e.g. 0.95.

    Returns:
        (models x 2): the ``(1 - level) / 2`` quantile of the lowest and the ``(1 + level) / 2`` quantile of
            the highest
        rank, both ranks that occurred.
    """
    import numpy as np

    rounded = np.round(samples, ROUNDING)
    bounds = np.empty((len(samples), 2), dtype=np.int64)
    for model, own in enumerate(rounded):
        lowest = 1 + (rounded > own).sum(axis=0)
        highest = (rounded >= own).sum(axis=0)
        bounds[model, 0] = np.quantile(lowest, (1 - level) / 2, method="lower")
        bounds[model, 1] = np.quantile(highest, (1 + level) / 2, method="higher")
    return bounds
