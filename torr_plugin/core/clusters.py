"""Means over examples that share tables: variance between tables, degrees of freedom, design effect."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

import numpy as np

from .numbers import ROUNDING, Floats, Integers, mean_over_examples, ratio_or_nan


@dataclass(frozen=True)
class ClusteredMeans:
    """Means over examples; the arrays are all of one shape.

    Attributes:
        mean: over the examples that have a value; NaN where none has.
        variance: of that mean, between clusters; NaN of a single cluster.
        freedom: clusters less 1; -1 where no example has a value.
        count: examples.
        design_effect: the variance over that of as many independent examples; NaN where these do not vary.
        third: the third central moment of the mean, between clusters.
    """

    mean: Floats
    variance: Floats
    freedom: Floats
    count: Floats
    design_effect: Floats
    third: Floats

    @classmethod
    def joined(cls, parts: Sequence[ClusteredMeans]) -> ClusteredMeans:
        """Those of several arrays of rows, one after the other."""
        return cls(*(np.concatenate([getattr(part, field.name) for part in parts]) for field in fields(cls)))


@dataclass(frozen=True)
class ExampleValues:
    """A statistic of each example, and the tables that the examples are about.

    Attributes:
        values: (... x examples); NaN where an example has none.
        clusters: the number of each example's table, from 0 on, (examples,).
    """

    values: Floats
    clusters: Integers

    @cached_property
    def means(self) -> ClusteredMeans:
        """Over the examples."""
        return clustered_means(self.values, self.clusters)

    def at(self, index: Any) -> ExampleValues:
        """Those at an index of the axes before the examples."""
        return replace(self, values=self.values[index])

    def weighted(self, of_rows: Floats) -> ExampleValues:
        """The sum over rows of value times weight, (rows,), of each example; without those of weight 0."""
        used = of_rows != 0
        return replace(self, values=of_rows[used] @ self.values[used])


def mean_over_models(values: Floats) -> Floats:
    """A value an example whose mean is the models' mean, each over its own examples, with its variance.

    Where models lack different examples, a value stands for its contribution to its model's mean.

    Args:
        values: (models x ... x examples); NaN where a model has none. Models without any take no part.

    Returns:
        (... x examples); NaN where no model has a value.
    """
    known = ~np.isnan(values).all(axis=tuple(range(1, values.ndim)))
    values = values[known] if known.any() else values
    present = ~np.isnan(values)
    if present.all():
        mean: Floats = values.mean(axis=0)
        return mean
    means = mean_over_examples(values)[..., None]
    there = present.any(axis=0)
    weights = ratio_or_nan(there.sum(axis=-1), present.sum(axis=-1))[..., None]
    scaled = means + np.where(present, (values - means) * weights, 0.0)
    return np.where(there, scaled.mean(axis=0), np.nan)


def clustered_means(values: Floats, clusters: Integers) -> ClusteredMeans:
    """Means with the variance G / (G - 1) sum over g of (sum over e in g of (x_e - mean))**2 / n**2.

    The linearized variance of a mean of clusters of any sizes (Cochran, "Sampling Techniques", 1977, section
    11.7; Liang and Zeger 1986); with a cluster an example it is the usual one.

    Args:
        values: (... x examples); NaN where an example has none.
        clusters: of each example, 0 to G - 1.
    """
    present = ~np.isnan(values)
    counts = present.sum(axis=-1).astype(float)
    mean = ratio_or_nan(np.where(present, values, 0.0).sum(axis=-1), counts)
    residuals = np.where(present, values - mean[..., None], 0.0)
    groups = (cluster_sums(present.astype(float), clusters) > 0).sum(axis=-1).astype(float)
    sums = cluster_sums(residuals, clusters)
    sums = np.where(np.abs(sums) < 10.0**-ROUNDING, 0.0, sums)
    squares = sums**2
    variance = groups * ratio_or_nan(squares.sum(axis=-1), (groups - 1) * counts**2)
    third = ratio_or_nan((squares * sums).sum(axis=-1), counts**3)
    independent = ratio_or_nan((residuals**2).sum(axis=-1), (counts - 1) * counts)
    effect = ratio_or_nan(variance, independent)
    return ClusteredMeans(mean, variance, groups - 1, counts, effect, third)


def table_count(clusters: Integers) -> int:
    """How many tables the examples are about, whose numbers are from 0 on, (examples,)."""
    return int(clusters.max(initial=-1)) + 1


def cluster_sums(values: Floats, clusters: Integers) -> Floats:
    """Sums over the examples of each table, (... x examples) -> (... x tables)."""
    if table_count(clusters) == len(clusters):  # in any order, each is a table of its own
        return values
    order = np.argsort(clusters, kind="stable")
    starts = np.flatnonzero(np.diff(clusters[order], prepend=-1))
    sums: Floats = np.add.reduceat(values[..., order], starts, axis=-1)
    return sums
