"""Robustness rarefied to a number of configurations, so that studies of 5 and of 35 can be compared."""

from __future__ import annotations

from functools import lru_cache
from math import comb

import numpy as np

from ..core.statistics import Floats

HEADLINE = 5
"""Configurations to which robustness is rarefied in ``robustness_5``."""


def example_rarefied_robustness(scores: Floats, k: int = HEADLINE) -> Floats:
    """One minus the expected range of an example's score over ``k`` of its configurations.

    The k are drawn without replacement. With the example's scores in ascending order, s(1) to s(C), the j-th
    is the largest in C(j - 1, k - 1) of all C(C, k) draws and the smallest in C(C - j, k - 1), as in the
    rarefaction of species (Hurlbert, "The nonconcept of species diversity", Ecology 1971). Unbiased for every
    C >= k.

    Args:
        scores: (models x configurations x examples), in [0, 1]; NaN is a hole.
        k: at least 2.

    Returns:
        (models x examples); NaN where an example has fewer than ``k`` scores.
    """
    ordered = np.sort(scores, axis=1)  # NaN last
    width = scores.shape[1]
    counts = (~np.isnan(ordered)).sum(axis=1)
    if (counts == width).all():
        ranges = np.einsum("mce,c->me", ordered, _weights(width, width, k))
    else:
        weights = np.stack([_weights(count, width, k) for count in range(width + 1)])
        ranges = np.einsum("mce,mec->me", np.nan_to_num(ordered), weights[counts])
    return np.where(counts >= k, 1.0 - np.clip(ranges, 0.0, 1.0), np.nan)


@lru_cache(maxsize=1024)
def _weights(count: int, width: int, k: int) -> Floats:
    """Of each of ``count`` ascending scores, in the expected range; 0 in the places of holes."""
    found = np.zeros(width)
    for j in range(1, count + 1 if count >= k else 1):
        found[j - 1] = (comb(j - 1, k - 1) - comb(count - j, k - 1)) / comb(count, k)
    return found
