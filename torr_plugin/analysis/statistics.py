"""Statistics of the examples of a score cube: performance, robustness and its ends (ToRR, section 2.2)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from math import comb

import numpy as np

from ..core.statistics import ROUNDING, Floats, Integers, ratio_or_nan


def example_means(scores: Floats) -> Floats:
    """The mean over configurations, an example each.

    Args:
        scores: (models x configurations x examples), in [0, 1]; NaN is a hole.

    Returns:
        (models x examples); the mean over the configurations that are there, NaN where none is.
    """
    totals: Floats = scores.sum(axis=1)
    if not np.isnan(totals).any() and scores.shape[1]:
        means: Floats = totals / scores.shape[1]
        return means
    present = ~np.isnan(scores)
    return ratio_or_nan(np.where(present, scores, 0.0).sum(axis=1), present.sum(axis=1))


def example_worst(scores: Floats) -> Floats:
    """The least score over the configurations that are there, (models x examples); NaN where none is."""
    lowest = np.where(np.isnan(scores), np.inf, scores).min(axis=1)
    return np.where(np.isinf(lowest), np.nan, lowest)


def example_best(scores: Floats) -> Floats:
    """The best score over the configurations that are there, (models x examples); NaN where none is."""
    highest = np.where(np.isnan(scores), -np.inf, scores).max(axis=1)
    return np.where(np.isinf(highest), np.nan, highest)


def example_robustness(scores: Floats) -> Floats:
    """1 - (max over c of s - min over c of s), (models x examples)."""
    return 1.0 - (example_best(scores) - example_worst(scores))


def example_robustness_solvable(scores: Floats) -> Floats:
    """As :func:`example_robustness` on the examples with max over c of s > 0; NaN on the others."""
    return np.where(example_best(scores) > 0, example_robustness(scores), np.nan)


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


Statistic = Callable[[Floats], Floats]

STATISTICS: Mapping[str, Statistic] = {
    "performance": example_means,
    "robustness_5": example_rarefied_robustness,
    "robustness": example_robustness,
    "worst": example_worst,
    "best": example_best,
    "robustness_solvable": example_robustness_solvable,
}
"""Each figure is the mean over examples of one of these."""

OF_ALL_CONFIGURATIONS = ("robustness", "worst", "best", "robustness_solvable")
"""Those that grow or shrink with the number of an example's configurations."""


def pair_differences(
    scores: Floats, first: Integers, second: Integers, statistic: Statistic, own: Floats | None = None
) -> Floats:
    """A statistic of some models less that of others, (pairs x examples), over what both have.

    Only where one of the two lacks a score that the other has is it computed anew.

    Args:
        scores: (models x configurations x examples).
        first: a model a pair, by number.
        second: its other model.
        statistic: one of ``STATISTICS``.
        own: the statistic of all models' own scores, where it was computed before.
    """
    own, present = statistic(scores) if own is None else own, ~np.isnan(scores)
    found = own[first] - own[second]
    step = max(1, _AT_ONCE // scores[0].size)
    for start in range(0, len(first), step):
        pairs = first[start : start + step], second[start : start + step]
        unlike = (present[pairs[0]] != present[pairs[1]]).any(axis=1)
        pair, example = np.nonzero(unlike)
        each = np.stack([scores[models[pair], :, example] for models in pairs])
        ours, others = statistic(np.where(np.isnan(each).any(axis=0), np.nan, each).swapaxes(1, 2))
        found[start + pair, example] = ours - others
    return np.round(found, ROUNDING)


_AT_ONCE = 4_000_000  # differences held in memory
