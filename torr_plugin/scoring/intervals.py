"""Means of scores with two intervals: of the percentile bootstrap, and by the normal approximation."""

from __future__ import annotations

from math import sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, TypedDict

if TYPE_CHECKING:
    import numpy as np


class Bounds(TypedDict):
    """The bounds of an interval."""

    low: float
    high: float


class Figure(TypedDict):
    """A mean, the bounds of its bootstrap interval, and the number of scores it is the mean of.

    ``normal`` are the bounds by the normal approximation, see :func:`normal_interval`.
    """

    value: float
    low: float
    high: float
    n: int
    normal: Bounds


_DRAWN_AT_ONCE = 4_000_000  # resampled examples held in memory


def figures(
    names: list[str],
    values: np.ndarray[Any, Any],
    examples: np.ndarray[Any, Any],
    *,
    resamples: int,
    level: float,
    rng: np.random.Generator,
) -> dict[str, Figure]:
    """The mean of each score with a percentile bootstrap interval over examples, and a normal one.

    An example's scores are drawn together, as often as the example is: several answers to one example (of
    several configurations, say) are no independent evidence. Bounds are the ``(1 - level) / 2`` and ``(1 +
    level) / 2`` quantiles of the resampled means (Efron and Tibshirani, "An introduction to the bootstrap",
    1993, section 13.3).

    Args:
        names: the scores' names.
        values: scores, (answers x names).
        examples: the example of each answer, (answers,).
        resamples: how many resamples.
        level: the interval's, e.g. 0.95.
        rng: draws the examples.
    """
    import numpy as np

    distinct, codes = np.unique(examples, return_inverse=True)
    counts = np.bincount(codes, minlength=len(distinct))
    sums = np.zeros((len(distinct), len(names)))
    np.add.at(sums, codes, values)
    means = _resampled_means(sums, counts, resamples, rng)
    low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2], axis=0)
    value, spread = values.mean(axis=0), values.std(axis=0)
    return {
        name: Figure(
            value=float(value[i]),
            low=float(low[i]),
            high=float(high[i]),
            n=len(values),
            normal=normal_interval(float(value[i]), float(spread[i]), len(values), level=level),
        )
        for i, name in enumerate(names)
    }


def normal_interval(mean: float, deviation: float, n: int, *, level: float = 0.95) -> Bounds:
    """The interval of a mean by the normal approximation, ``mean +- z * deviation / sqrt(n)``.

    The intervals that HCT-QA prints (appendix D.7, Tables 12 to 18) follow from it, with the deviation of the
    single scores: of complete containment, which is 0 or 1, ``sqrt(p * (1 - p))`` for a share of ``p``. It is
    not cut at 0 and 1, as theirs are not. Scores are taken as independent: of several answers to one example
    they are not, and the bootstrap, which draws examples, is wider for good reason.

    Args:
        mean: of the scores.
        deviation: their standard deviation (divided by n; for n in the thousands n - 1 is the same).
        n: how many, at least 1; a single score has no spread, and so no interval but itself.
        level: the interval's, e.g. 0.95.
    """
    half = NormalDist().inv_cdf((1 + level) / 2) * deviation / sqrt(n)
    return Bounds(low=mean - half, high=mean + half)


def _resampled_means(
    sums: np.ndarray[Any, Any], counts: np.ndarray[Any, Any], resamples: int, rng: np.random.Generator
) -> np.ndarray[Any, Any]:
    """(resamples x scores): means over examples drawn with replacement.

    A resample is a vector of how often each example was drawn, so its sums are a matrix product.
    """
    import numpy as np

    size = len(counts)
    means = np.empty((resamples, sums.shape[1]))
    step = max(1, _DRAWN_AT_ONCE // size)
    for start in range(0, resamples, step):
        here = min(step, resamples - start)
        drawn = rng.integers(size, size=(here, size)) + np.arange(here)[:, None] * size
        times = np.bincount(drawn.ravel(), minlength=here * size).reshape(here, size).astype(float)
        means[start : start + here] = (times @ sums) / (times @ counts)[:, None]
    return means
