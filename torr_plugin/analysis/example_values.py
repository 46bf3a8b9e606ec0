"""A statistic of each example, with means over the tables that the examples share, and over models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import stdtrit

from ..core.statistics import (
    ClusteredMeans,
    Floats,
    Integers,
    clustered_means,
    mean_over_examples,
    ratio_or_nan,
    welch_freedom,
)


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
    t = stdtrit(welch_freedom(variances, freedom), (1 + level) / 2)
    error = np.sqrt(variances.sum(axis=0)) / len(parts)
    half = np.where(error > 0, t * error, error)
    average = means.mean(axis=0)
    return average - half, average + half
