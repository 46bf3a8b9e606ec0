"""Paired tests of the differences between all pairs of models, corrected by Holm's procedure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from scipy.special import stdtr, stdtrit

from ..core.statistics import (
    ROUNDING,
    Booleans,
    ClusteredMeans,
    Floats,
    Integers,
    cluster_sums,
    clustered_means,
    ratio_or_nan,
)
from .multiplicity import holm_adjusted

_SMALL = 1e-12  # a variance of a mean, as exact as covariances give it


@dataclass(frozen=True)
class Differences:
    """Differences between models, row less column, (models x models) each; or others, of any shape.

    Attributes:
        mean: over the examples that both have.
        variance: of that mean, its squared standard error.
        count: how many examples both have.
        clusters: how many tables these are about; without tables, how many examples there are.
        third: the third central moment of the mean.
    """

    mean: Floats
    variance: Floats
    count: Floats
    clusters: Floats
    third: Floats

    def among(self, models: Booleans) -> Differences:
        """Those between some of the models, (models,)."""
        return self.at(np.ix_(models, models))

    def at(self, index: Any) -> Differences:
        """Those at an index of the arrays."""
        return Differences(*(getattr(self, field.name)[index] for field in fields(self)))

    def spread(self, models: Booleans) -> Differences:
        """The same among more models, (models,), of which these are some; others share no table with any."""
        if models.all():
            return self

        def whole(values: Floats, nothing: float) -> Floats:
            found = np.full((len(models), len(models)), nothing)
            found[np.ix_(models, models)] = values
            return found

        return Differences(
            whole(self.mean, np.nan),
            whole(self.variance, np.nan),
            whole(self.count, 0.0),
            whole(self.clusters, 0.0),
            whole(self.third, np.nan),
        )


@dataclass(frozen=True)
class PairedTest:
    """Two-sided tests of all pairs, (models x models) each; NaN where a pair cannot be tested.

    Attributes:
        difference: the mean over data sets, row less column.
        error: its standard error.
        freedom: degrees of freedom.
        p_values: symmetric, 1 on the diagonal.
        skewness: of the mean difference.
        critical: what the difference over its error must exceed at ``level``.
        level: of the intervals.
        skewed: whose ``p_values`` and ``critical`` are not Student's.
        few: of these, whose differences are not 0 on a few tables alone: their intervals are too short.
        count: how many examples both have, of all data sets.
    """

    difference: Floats
    error: Floats
    freedom: Floats
    p_values: Floats
    skewness: Floats
    critical: Floats
    level: float
    skewed: Booleans
    few: Booleans
    count: Floats

    def adjusted(self) -> Floats:
        """The p-values after Holm's correction over all pairs."""
        upper = np.triu_indices(len(self.p_values), k=1)
        found = np.ones(self.p_values.shape)
        found[upper] = found.T[upper] = holm_adjusted(self.p_values[upper])
        return found

    def bounds(self) -> tuple[Floats, Floats]:
        """The intervals of the differences, each at ``level`` by itself.

        They end at -1 and 1, as scores are in [0, 1]. Where differences do not vary, they have no width; NaN
        where too few examples say so to exclude 0.
        """
        sure = (self.difference == 0) | (self.p_values <= 1 - self.level)
        with np.errstate(invalid="ignore"):
            half = np.where(self.error == 0, np.where(sure, 0.0, np.nan), self.error * self.critical)
        return np.maximum(self.difference - half, -1.0), np.minimum(self.difference + half, 1.0)


def paired_test(differences: Sequence[Differences], level: float = 0.95) -> PairedTest:
    """The test of the differences between models, see :func:`mean_test`; (models x models) each."""
    test = mean_test(differences, level)
    np.fill_diagonal(test.p_values, 1.0)
    return test


def mean_test(differences: Sequence[Differences], level: float = 0.95) -> PairedTest:
    """Tests of the unweighted mean over data sets of differences of any shape, examples paired.

    In data set d a pair's per-example differences have mean D_d and standard error E_d. The statistic is the
    mean of the D_d over the square root of the sum of E_d**2, divided by the number of data sets; it has (sum
    v_d)**2 / sum(v_d**2 / (G_d - 1)) degrees of freedom, v_d = E_d**2 of G_d tables (Welch 1947,
    Satterthwaite 1946). With one data set and an example a table this is the paired t test. The statistic is
    studentized, so p-values are as small as Holm's correction over many pairs needs; a thousand resamples
    could give none below 0.001. Of skewed differences see :func:`.studentized_bootstrap.bootstrapped`.

    Differences that do not vary have no t statistic, though one model may be right and the other wrong on
    each of two examples by chance. Theirs is the test that flips the signs of whole tables at random (Fisher,
    "The Design of Experiments", 1935, section 21): 2 / 2**G, G tables that differ in the direction of the
    mean.

    Args:
        differences: of each data set; a pair with common examples of fewer than two tables in one has no
            test.
        level: of the intervals.
    """
    datasets = len(differences)
    difference: Floats = np.mean([found.mean for found in differences], axis=0)
    variances = np.stack([found.variance for found in differences])
    clusters = np.stack([found.clusters for found in differences])
    total = variances.sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        freedom = total**2 / (variances**2 / (clusters - 1)).sum(axis=0)
        error = np.sqrt(total) / datasets
        p_values = 2 * stdtr(freedom, -np.abs(difference) / error)
    skewness = ratio_or_nan(np.sum([found.third for found in differences], axis=0), total**1.5)
    # no variance at all: equal everywhere, or different by the same amount everywhere
    agreeing = np.where(np.sign([found.mean for found in differences]) == np.sign(difference), clusters, 0.0)
    flipped = np.minimum(1.0, 2.0 ** (1 - agreeing.sum(axis=0)))
    p_values = np.where(total == 0, np.where(difference == 0, 1.0, flipped), p_values)
    unknown = (clusters < 2).any(axis=0)
    p_values, error, difference, skewness = (
        np.where(unknown, np.nan, a) for a in (p_values, error, difference, skewness)
    )
    critical = stdtrit(freedom, (1 + level) / 2)
    none = np.zeros(error.shape, dtype=bool)
    count = np.sum([found.count for found in differences], axis=0)
    return PairedTest(difference, error, freedom, p_values, skewness, critical, level, none, none, count)


def difference_means(values: Floats, clusters: Integers) -> Differences:
    """Means over examples with what tests of them need.

    Args:
        values: differences, (... x examples); NaN where an example has none.
        clusters: the number of each example's table, from 0 on, (examples,).
    """
    found = clustered_means(_rounded(values), clusters)
    return Differences(found.mean, found.variance, found.count, found.freedom + 1, found.third)


def example_differences(means: Floats, clusters: Integers | None = None) -> Differences:
    """The differences between all pairs of models on one data set.

    Args:
        means: (models x examples); NaN where a model has none.
        clusters: the number of each example's table, from 0 on, (examples,), whose variance is that of
            :func:`~.core.statistics.clustered_means`; by default each example is about a table of its own.
    """
    if clusters is None:
        clusters = np.arange(means.shape[1])
    if np.isnan(means).any() or means.shape[1] < 2:
        first, second = np.triu_indices(len(means), k=1)
        return pairs_together(clustered_means(_rounded(means[first] - means[second]), clusters), len(means))
    return _complete_differences(means, clusters)


def pairs_together(found: ClusteredMeans, models: int) -> Differences:
    """The differences of pairs in the order of ``numpy.triu_indices``, and their opposites."""
    upper = np.triu_indices(models, k=1)

    def both(values: Floats, sign: float) -> Floats:
        whole = np.zeros((models, models))
        whole[upper], whole.T[upper] = values, sign * values
        return whole

    tables, count = both(found.freedom + 1, 1), both(found.count, 1)
    for numbers in (tables, count):
        np.fill_diagonal(numbers, numbers.max(initial=0.0))
    return Differences(both(found.mean, -1), both(found.variance, 1), count, tables, both(found.third, -1))


def _complete_differences(means: Floats, clusters: Integers) -> Differences:
    """Of all pairs at once, by the covariances of the models."""
    examples = means.shape[1]
    average = means.mean(axis=1)
    sums = cluster_sums(means - average[:, None], clusters)
    tables = sums.shape[1]
    covariance = sums @ sums.T * (tables / max(tables - 1, 1) / examples**2)
    own = covariance.diagonal()
    mean = np.round(average[:, None] - average, ROUNDING)
    variance = np.maximum(own[:, None] + own - 2 * covariance, 0.0)
    # (a - b)**3, summed
    cubes, mixed = (sums**3).sum(axis=1), sums**2 @ sums.T
    third = (cubes[:, None] - cubes - 3 * (mixed - mixed.T)) / examples**3
    # a difference of large numbers: pairs that hardly vary are looked at one by one
    first, second = np.nonzero(np.triu(variance < _SMALL, k=1))
    if len(first):
        found = clustered_means(_rounded(means[first] - means[second]), clusters)
        mean[first, second], mean[second, first] = found.mean, -found.mean
        variance[first, second] = variance[second, first] = found.variance
        third[first, second], third[second, first] = found.third, -found.third
    np.fill_diagonal(variance, 0.0)
    return Differences(
        mean, variance, np.full(mean.shape, float(examples)), np.full(mean.shape, float(tables)), third
    )


def _rounded(differences: Floats) -> Floats:
    rounded: Floats = np.round(differences, ROUNDING)
    return rounded
