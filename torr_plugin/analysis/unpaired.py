"""Differences of models of which only mean scores are known: nothing says on which examples they differ.

The variance of a difference of two means is v1 + v2 - 2 c; without the examples the covariance c is taken to
be 0. Models that find the same examples hard have one above 0, so that the interval is wider than it need be;
where answers correlate negatively it is too narrow.
"""

from __future__ import annotations

import numpy as np

from ..core.statistics import ClusteredMeans, Floats, Integers, effective_examples, ratio_or_nan
from .compare import Moments

_MANY = 1e9
"""Stands for an unknown number of examples where the standard error is known."""


def known_means(mean: Floats, count: Floats, error: Floats, *, bounded: bool) -> ClusteredMeans:
    """Mean scores as they were published, (models,) each.

    Args:
        mean: NaN of a model without one.
        count: of examples; NaN where unknown.
        error: the standard error; NaN where unknown.
        bounded: all scores are from 0 to 1.

    Returns:
        Without an error, or with one of 0, the variance is m (1 - m) / (n - 1), as of scores that are 0 or 1,
        than which no scores between them vary more. Without n, it is the number of right-or-wrong answers
        with such an error, m (1 - m) / error**2 + 1. Of scores without bounds only the error counts. Where
        nothing is known, the variance is NaN.
    """
    binary = mean * (1 - mean) if bounded else np.full(mean.shape, np.nan)
    has_error = error > 0
    implied = np.where(has_error, _MANY, np.nan)
    if bounded:
        implied = ratio_or_nan(np.where(has_error, binary, np.nan), np.where(has_error, error**2, 0.0)) + 1
    n = np.where(np.isnan(count), implied, count)
    variance = np.where(has_error, error**2, ratio_or_nan(binary, n - 1))
    known = ~np.isnan(mean + variance) & (n >= 2)
    n, variance = (np.where(known, each, np.nan) for each in (n, variance))
    freedom = np.where(known, n - 1, 0.0)
    return ClusteredMeans(mean, variance, freedom, n, np.ones(mean.shape), np.zeros(mean.shape, dtype=bool))


def unpaired_moments(means: ClusteredMeans, first: Integers, second: Integers, *, bounded: bool) -> Moments:
    """Of the differences of pairs of models, for :func:`.compare.decide`.

    Where scores are bounded, each side is given a right and a wrong answer more (Agresti and Caffo, "Simple
    and effective confidence intervals for proportions and differences of proportions", The American
    Statistician 2000), beside its effective number of examples; the degrees of freedom are Welch's.

    Args:
        means: of the models, (models,).
        first: a model a pair, by number.
        second: its other model.
        bounded: no score can lie beyond 0 and 1.
    """
    centre, variance = means.mean, means.variance
    if bounded:
        n = effective_examples(means)
        centre = (centre * n + 1) / (n + 2)
        variance = centre * (1 - centre) / (n + 2)
    total = variance[first] + variance[second]
    with np.errstate(divide="ignore", invalid="ignore"):
        squares = variance**2 / means.freedom
        freedom = ratio_or_nan(total**2, squares[first] + squares[second])
    pairs = first.shape
    return Moments(
        mean=means.mean[first] - means.mean[second],
        centre=centre[first] - centre[second],
        variance=total,
        tables=np.where(np.isnan(total), 0.0, freedom + 1),
        differing=np.zeros(pairs),
        examples=np.minimum(means.count[first], means.count[second]),
        right_or_wrong=np.ones(pairs, dtype=bool),
    )
