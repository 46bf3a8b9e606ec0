"""Intervals of means of scores in [0, 1] that hold near the edges, on each data set and overall."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.special import ndtri, stdtrit

from .clusters import ClusteredMeans
from .statistics import Floats, ratio_or_nan


def score_bounds(parts: Sequence[ClusteredMeans], level: float) -> tuple[Floats, Floats]:
    """The interval of the unweighted mean over data sets of means over examples, each in [0, 1].

    That of one data set is Wilson's score interval (Wilson 1927) with the effective number of examples.
    Several are combined by the distances of their bounds from their means (MOVER: Zou and Donner,
    "Construction of confidence limits about effect measures", Statistics in Medicine 2008). The quantile is
    of t, with the degrees of freedom of Welch (1947) and Satterthwaite (1946).

    Args:
        parts: of each data set; a row without a mean on one is the mean over the others.
        level: e.g. 0.95.

    Returns:
        Lower and upper bounds, of the shape of the means; NaN where no data set has one.
    """
    z = np.full(parts[0].mean.shape, ndtri((1 + level) / 2))
    half_widths = np.stack([np.ptp(_wilson(part, z), axis=0) for part in parts])
    t = stdtrit(_welch_freedom(half_widths**2, np.stack([part.freedom for part in parts])), (1 + level) / 2)
    bounds = [_wilson(part, np.where(np.isnan(t), z, t)) for part in parts]
    return _combined(np.stack([part.mean for part in parts]), np.stack(bounds))


def effective_examples(part: ClusteredMeans) -> Floats:
    """How many examples of one right-or-wrong answer each would say as much about the mean.

    n max(1, m (1 - m) / ((n - 1) v)), v the squared standard error of the mean: scores between 0 and 1, or
    averaged over configurations, vary less than answers that are right or wrong. With clusters v is theirs,
    and the number may be smaller than n; where no score differs from another it is that of the clusters.
    """
    binary = ratio_or_nan(part.mean * (1 - part.mean), part.count - 1)
    varies = part.variance > _LEAST_VARIANCE
    ratio = np.divide(binary, part.variance, out=np.ones(binary.shape), where=varies)
    return np.where(varies, part.count * ratio, part.freedom + 1)


_LEAST_VARIANCE = 1e-20
"""What lies below is rounding error of equal scores."""


def _wilson(part: ClusteredMeans, z: Floats) -> Floats:
    """Lower and upper bounds, (2 x ...); 0 and 1 of a single cluster, whose variance nobody knows."""
    n, mean = effective_examples(part), part.mean
    with np.errstate(divide="ignore", invalid="ignore"):
        centre = (mean + z**2 / (2 * n)) / (1 + z**2 / n)
        half = z / (1 + z**2 / n) * np.sqrt(mean * (1 - mean) / n + z**2 / (4 * n**2))
    low, high = np.clip(centre - half, 0.0, mean), np.clip(centre + half, mean, 1.0)
    single = part.freedom == 0
    return np.stack([np.where(single, 0.0, low), np.where(single, 1.0, high)])


def _welch_freedom(variances: Floats, freedom: Floats) -> Floats:
    """Degrees of freedom of a mean over data sets, (data sets x ...) -> (...); NaN without any.

    A data set of a single cluster has none, and its interval is all of [0, 1] anyhow.
    """
    known = freedom > 0
    total = np.where(known, variances, 0.0).sum(axis=0)
    squares = np.where(known, variances**2 / np.maximum(freedom, 1.0), 0.0).sum(axis=0)
    return ratio_or_nan(total**2, squares)


def _combined(means: Floats, bounds: Floats) -> tuple[Floats, Floats]:
    """The mean over data sets that have one; means are (data sets x ...), bounds (data sets x 2 x ...)."""
    known = ~np.isnan(means)
    count = known.sum(axis=0)
    average = ratio_or_nan(np.where(known, means, 0.0).sum(axis=0), count)
    squares = np.where(known[:, None], (bounds - means[:, None]) ** 2, 0.0).sum(axis=0)
    below, above = ratio_or_nan(np.sqrt(squares), np.stack([count, count]))
    return average - below, average + above
