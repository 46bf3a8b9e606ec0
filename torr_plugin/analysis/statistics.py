"""Statistics of a score cube: performance, robustness and its ends (ToRR, section 2.2)."""

from __future__ import annotations

import numpy as np

from ..core.statistics import Floats, ratio_or_nan


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
