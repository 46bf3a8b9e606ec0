"""Intervals of means of scores in [0, 1] that hold near the edges, on each data set and overall."""

from __future__ import annotations

import numpy as np
from scipy import stats

from .statistics import Floats


def effective_examples(means: Floats, variances: Floats, counts: Floats) -> Floats:
    """How many examples of one right-or-wrong answer each would say as much as these.

    n max(1, m (1 - m) / ((n - 1) v)), v the squared standard error of the mean: scores between 0 and 1, or
    averaged over configurations, vary less than answers that are right or wrong. With clusters v is theirs,
    and the number may be smaller than n.

    Args:
        means: of examples' scores.
        variances: squared standard errors of the means.
        counts: examples, at least 2.
    """
    binary = means * (1 - means) / np.maximum(counts - 1, 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(variances > 0, binary / variances, 1.0)
    found: Floats = counts * ratio
    return found


def score_interval(
    means: Floats, variances: Floats, counts: Floats, freedom: Floats, level: float
) -> tuple[Floats, Floats]:
    """Wilson's score interval (Wilson 1927) with the effective number of examples and quantiles of t.

    Args:
        means: in [0, 1].
        variances: squared standard errors of the means.
        counts: examples.
        freedom: degrees of freedom of the variances: examples, or tables where they are clusters, less 1.
        level: e.g. 0.95.

    Returns:
        Lower and upper bounds; NaN without freedom.
    """
    n = effective_examples(means, variances, counts)
    with np.errstate(invalid="ignore"):
        z = stats.t.ppf((1 + level) / 2, np.where(freedom > 0, freedom, np.nan))
    centre = (means + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z / (1 + z**2 / n) * np.sqrt(means * (1 - means) / n + z**2 / (4 * n**2))
    return np.clip(centre - half, 0.0, means), np.clip(centre + half, means, 1.0)


def overall_interval(means: Floats, low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """The interval of the unweighted mean over data sets from theirs (MOVER; Zou and Donner 2008).

    Args:
        means: (data sets x ...).
        low: their lower bounds.
        high: their upper bounds.
    """
    average = means.mean(axis=0)
    below, above = (np.sqrt(((means - bound) ** 2).sum(axis=0)) / len(means) for bound in (low, high))
    return average - below, average + above
