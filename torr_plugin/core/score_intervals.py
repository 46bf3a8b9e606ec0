"""Intervals of means of scores in [0, 1] that hold near the edges, on each data set and overall."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.special import ndtri, stdtrit

from .clusters import ClusteredMeans
from .numbers import Floats, ratio_or_nan


def score_bounds(
    parts: Sequence[ClusteredMeans], level: float, weights: Floats | None = None
) -> tuple[Floats, Floats]:
    """The interval of the mean over data sets of means over examples, each in [0, 1].

    That of one data set is Wilson's score interval (Wilson 1927) with the effective number of examples, and a
    quantile of t. Of several it is, at either end, the wider of two: Wilson's of the overall mean with its
    own effective number; and the mean of the data sets' own, at the smaller quantile that gives their mean
    the level (Yan and Su, "Stratified Wilson and Newcombe confidence intervals for multiple binomial
    proportions", Statistics in Biopharmaceutical Research 2010). The first holds where few answers are wrong
    anywhere, the second where a data set without a wrong answer says little. Distances combined by their
    squares (MOVER: Zou and Donner 2008) cover 87 to 93 % of ten data sets of 20 examples at .95 to .99.

    Args:
        parts: of each data set; a row without a mean on one is the mean over the others.
        level: e.g. 0.95.
        weights: of the data sets, of the shape of the means each; by default all equal.

    Returns:
        Lower and upper bounds, of the shape of the means; NaN where no data set has one.
    """
    means, freedom = np.stack([part.mean for part in parts]), np.stack([part.freedom for part in parts])
    n = np.stack([effective_examples(part) for part in parts])
    weights = np.where(np.isnan(means), 0.0, np.ones(means.shape) if weights is None else weights)
    quantile = (1 + level) / 2
    widths = weights * np.ptp(_wilson(means, n, ndtri(quantile)), axis=0)
    t = stdtrit(_welch_freedom(widths**2, freedom), quantile)
    t = np.where(np.isnan(t), ndtri(quantile), t)
    average = _mean(means, weights)
    together = _wilson(average, _joint_number(average, means, n, weights), t)
    share = ratio_or_nan(t * np.sqrt(np.nansum(widths**2, axis=0)), np.nansum(widths, axis=0))
    own = _wilson(means, n, share)
    own[0][freedom == 0], own[1][freedom == 0] = 0.0, 1.0  # of a single cluster nobody knows the variance
    return np.minimum(together[0], _mean(own[0], weights)), np.maximum(together[1], _mean(own[1], weights))


def student_bounds(parts: Sequence[ClusteredMeans], level: float) -> tuple[Floats, Floats]:
    """Student's interval of the unweighted mean over data sets of means over examples, of any numbers.

    Args:
        parts: of each data set.
        level: e.g. 0.95.

    Returns:
        Lower and upper bounds, of the shape of the means; NaN where a data set has a single cluster.
    """
    means, variances, freedom = (
        np.stack([getattr(part, name) for part in parts]) for name in ("mean", "variance", "freedom")
    )
    t = stdtrit(_welch_freedom(variances, freedom), (1 + level) / 2)
    error = np.sqrt(variances.sum(axis=0)) / len(parts)
    half = np.where(error > 0, t * error, error)
    average = means.mean(axis=0)
    return average - half, average + half


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


def _wilson(mean: Floats, n: Floats, z: Floats) -> tuple[Floats, Floats]:
    """Lower and upper bounds."""
    with np.errstate(divide="ignore", invalid="ignore"):
        centre = (mean + z**2 / (2 * n)) / (1 + z**2 / n)
        half = z / (1 + z**2 / n) * np.sqrt(mean * (1 - mean) / n + z**2 / (4 * n**2))
    return np.clip(centre - half, 0.0, mean), np.clip(centre + half, mean, 1.0)


def _joint_number(average: Floats, means: Floats, n: Floats, weights: Floats) -> Floats:
    """The effective number of examples of the mean over data sets, from theirs, (data sets x ...)."""
    known = ~np.isnan(means)
    squares, total = weights**2, weights.sum(axis=0)
    spread = np.where(known, squares * ratio_or_nan(means * (1 - means), n), 0.0).sum(axis=0)
    variance = spread / np.where(total > 0, total, 1.0) ** 2
    certain = ratio_or_nan(
        total**2, np.where(known, squares * ratio_or_nan(np.ones(n.shape), n), 0.0).sum(axis=0)
    )
    varies = variance > _LEAST_VARIANCE
    found: Floats = np.divide(average * (1 - average), variance, out=certain, where=varies)
    return found


def _welch_freedom(variances: Floats, freedom: Floats) -> Floats:
    """Degrees of freedom of a mean over data sets, (data sets x ...) -> (...); NaN without any.

    A data set of a single cluster has none, and its interval is all of [0, 1] anyhow.
    """
    known = freedom > 0
    total = np.where(known, variances, 0.0).sum(axis=0)
    squares = np.where(known, variances**2 / np.maximum(freedom, 1.0), 0.0).sum(axis=0)
    return ratio_or_nan(total**2, squares)


def _mean(values: Floats, weights: Floats) -> Floats:
    """The weighted mean over the data sets that have a value; the others weigh nothing."""
    return ratio_or_nan(np.nansum(weights * values, axis=0), weights.sum(axis=0))
