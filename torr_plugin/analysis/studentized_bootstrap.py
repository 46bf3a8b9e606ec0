"""The studentized bootstrap of differences whose skewness makes Student's t a poor approximation.

The tables of a data set are drawn with replacement, and of each draw the mean difference, less the one
observed, is divided by the draw's own standard error (Efron and Tibshirani, "An Introduction to the
Bootstrap", 1993, section 12.5). How large its absolute value becomes is what the observed statistic is
compared with (the symmetric version: Hall, "On symmetric bootstrap confidence intervals", Journal of the
Royal Statistical Society B 50, 1988). In simulations the version with unequal tails, and a t statistic
corrected for skewness, call up to 20 % of equal models different at 5 % where few answers are right or wrong
differently; the symmetric one does not.

A draw in which all differences of a data set are equal has no error of its own there, and takes that of the
data. So where one of a thousand differences is not 0, a draw without it is as large as what was observed; and
where one of a thousand is not 1, it is small. No p-value is below 2 / 2**G, G tables that differ from 0:
the least that flipping the signs of whole tables gives (see :func:`.paired_tests.mean_test`).

Holm's correction over thousands of pairs needs p-values that are smaller than draws can give. Where fewer
than ``TAIL`` draws are as large as the statistic, the p-value is Student's, of t stretched so that it agrees
with the draws where ``TAIL`` of them are larger.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr, stdtrit

from ..core.seeds import generator
from ..core.statistics import ROUNDING, Floats, Integers, cluster_sums, clustered_means, resample_counts
from .options import Options
from .paired_tests import PairedTest, difference_means, mean_test

SKEWED = 0.1
"""An absolute skewness of the mean, that of differences over the root of their number, which is too much."""

DRAWS = 9_999
"""P-values are multiples of 1 in 10,000."""

TAIL = 10

FEW = 8
"""Intervals cover from so many tables on whose differences are not 0; of fewer they cover 63 to 88 %."""

_PAIRS_AT_ONCE = 100
_TIES = 1 - 1e-4  # draws of single precision
_NO_VARIANCE = 1e-5  # of the sum of squares: what lies below is rounding error
_MOST_KEPT = 12_000_000  # counts of tables, of 4 bytes each

_Singles = NDArray[np.float32]


@dataclass(frozen=True)
class PairValues:
    """Differences on one data set.

    Attributes:
        dataset: its name, by which tables are drawn.
        values: (... x examples), of some pairs of models, say; NaN where an example has none.
        clusters: the number of each example's table, from 0 on, (examples,).
    """

    dataset: str
    values: Floats
    clusters: Integers


def bootstrapped(
    test: PairedTest, values: Callable[..., Sequence[PairValues]], seed: int, *, of_pairs: bool = False
) -> PairedTest:
    """The test with bootstrapped p-values and critical values where differences are skewed.

    Args:
        test: of differences of any shape.
        values: gives some of the differences on every data set, by their places along each axis.
        seed: of the draws, which all differences share.
        of_pairs: the test is of all pairs of models, (models x models); those of the upper triangle suffice.
    """
    skewed = np.abs(test.skewness) > SKEWED
    places = np.stack(np.nonzero(np.triu(skewed, k=1) if of_pairs else skewed))
    p_values, critical, few = test.p_values.copy(), test.critical.copy(), np.zeros_like(skewed)
    for start in range(0, places.shape[1], _PAIRS_AT_ONCE):
        at = tuple(places[:, start : start + _PAIRS_AT_ONCE])
        observed = np.abs(test.difference[at]) / test.error[at]
        parts = values(*at)
        found = studentized(parts, observed, test.freedom[at], test.level, seed)
        differing = np.sum([_differing(part) for part in parts], axis=0)
        for array, own in zip((p_values, critical, few), (*found, differing < FEW), strict=True):
            array[at] = own
            if of_pairs:
                array.T[at] = own
    return replace(test, p_values=p_values, critical=critical, skewed=skewed, few=few)


def difference_test(parts: Sequence[PairValues], options: Options) -> PairedTest:
    """:func:`.paired_tests.mean_test` of the means over examples, bootstrapped where these are skewed.

    Args:
        parts: differences on each data set, (... x examples), all of one shape but for the examples.
        options: level and seed are used.
    """
    test = mean_test([difference_means(part.values, part.clusters) for part in parts], options.level)
    return bootstrapped(
        test, lambda *at: [replace(part, values=part.values[at]) for part in parts], options.seed
    )


def studentized(
    parts: Sequence[PairValues], observed: Floats, freedom: Floats, level: float, seed: int
) -> tuple[Floats, Floats]:
    """P-values and critical values of some pairs.

    Args:
        parts: the pairs' differences on each data set.
        observed: the absolute mean difference over its standard error, (pairs,).
        freedom: degrees of freedom, (pairs,).
        level: of the critical values.
        seed: of the draws.

    Returns:
        The two-sided p-values, and what ``observed`` must exceed for them to be at most 1 - level, (pairs,)
        each.
    """
    drawn = _squares(sorted(parts, key=lambda part: part.dataset), seed)
    allowed = max(1, int(round((1 - level) * (DRAWS + 1), 6)))
    larger = (drawn >= (_TIES * observed[:, None]) ** 2).sum(axis=1)
    drawn.partition((DRAWS - allowed, DRAWS - TAIL), axis=1)
    limit, farthest = np.sqrt(drawn[:, [DRAWS - allowed, DRAWS - TAIL]].T.astype(float))
    of_tail = TAIL / (DRAWS + 1)
    beyond = 2 * stdtr(freedom, -observed * stdtrit(freedom, 1 - of_tail / 2) / farthest)
    p_values = np.where(larger < TAIL, np.minimum(beyond, of_tail), (1 + larger) / (DRAWS + 1))
    rarest = np.minimum(1.0, 2.0 ** (1 - np.sum([_differing(part) for part in parts], axis=0)))
    limit = np.where(rarest > 1 - level, np.maximum(limit / _TIES, observed), limit / _TIES)
    return np.maximum(p_values, rarest), limit


def _differing(part: PairValues) -> Integers:
    """How many tables' differences are not 0, (pairs,)."""
    sums = cluster_sums(np.nan_to_num(part.values), part.clusters)
    found: Integers = np.count_nonzero(np.abs(sums) >= 10.0**-ROUNDING, axis=1)
    return found


def _squares(parts: Sequence[PairValues], seed: int) -> _Singles:
    """The squared studentized mean over data sets of each draw, (pairs x draws).

    Infinite where a draw holds no difference at all of a data set.
    """
    means, variances = _drawn(parts[0], seed)
    for part in parts[1:]:
        # the draws of tables are the same for all data sets: in another order they are independent
        order = generator(seed, "pairs", part.dataset).permutation(DRAWS)
        more_means, more_variances = _drawn(part, seed)
        means += more_means[:, order]
        variances += more_variances[:, order]
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.square(means, out=means)
        found /= variances
    found[np.isnan(found)] = np.inf
    return found


def _drawn(part: PairValues, seed: int) -> tuple[_Singles, _Singles]:
    """The draws' means, less that observed, and their variances between tables, (pairs x draws) each.

    Differences are counted from their median, so that a draw of these alone leaves no rounding error.
    """
    present = ~np.isnan(part.values)
    away = np.round(part.values - _medians(part.values), ROUNDING)
    own = clustered_means(away, part.clusters)
    observed, variance, tables = (
        array.astype(np.float32)[:, None] for array in (own.mean, own.variance, own.freedom + 1)
    )
    sums = cluster_sums(np.where(present, away, 0.0), part.clusters).astype(np.float32)
    sizes = cluster_sums(present.astype(np.float32), part.clusters)
    sizes = sizes[:1] if present.all() else sizes
    single = bool((sizes == 1).all())
    means, variances = np.empty((2, len(sums), DRAWS), dtype=np.float32)
    start = 0
    for times in _draws(seed, sums.shape[1]):
        block = slice(start, start + times.shape[1])
        with np.errstate(divide="ignore", invalid="ignore"):
            totals, count = sums @ times, sizes @ times
            mixed = totals if single else (sums * sizes) @ times
            mean, whole = totals / count, sums**2 @ times
            squares = whole - mean * (2 * mixed - mean * (sizes**2 @ times))
            found = squares * (tables / (tables - 1)) / count**2
            variances[:, block] = np.where(squares <= _NO_VARIANCE * whole, variance, found)
        means[:, block] = mean - observed
        start += times.shape[1]
    return means, variances


def _medians(values: Floats) -> Floats:
    """Of each row, (rows x 1)."""
    median = np.nanmedian if np.isnan(values).any() else np.median
    found: Floats = median(values, axis=1, keepdims=True)
    return found


def _draws(seed: int, tables: int) -> Iterable[_Singles]:
    """How often each table is drawn, blocks of (tables x draws); always the same for as many tables."""
    if tables * DRAWS > _MOST_KEPT:
        return _new_draws(seed, tables)
    return _kept_draws(seed, tables)


@lru_cache(maxsize=1)
def _kept_draws(seed: int, tables: int) -> tuple[_Singles, ...]:
    """Data sets of as many tables come one after the other, and share them."""
    return tuple(_new_draws(seed, tables))


def _new_draws(seed: int, tables: int) -> Iterator[_Singles]:
    rng = generator(seed, "pairs", str(tables))
    return (counts.T.astype(np.float32) for counts in resample_counts(rng, tables, DRAWS))
