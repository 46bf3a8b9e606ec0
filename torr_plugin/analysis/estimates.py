"""Estimates of models: means over examples and over data sets, with intervals by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import stdtrit

from ..core.statistics import (
    ROUNDING,
    Booleans,
    ClusteredMeans,
    Floats,
    Integers,
    clustered_means,
    mean_over_examples,
    ratio_or_nan,
    score_bounds,
    welch_freedom,
)
from .bootstrap import counted_means, percentile_bounds, shared_draws
from .cube import Cube, lacking_models, with_examples
from .options import Options
from .result import interval_of
from .statistics import OF_ALL_CONFIGURATIONS, STATISTICS


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


def examples_counted(statistics: Mapping[str, Floats]) -> dict[str, int]:
    """Figure -> how many examples some model has it on; of :func:`example_statistics`."""
    return {name: int((~np.isnan(own)).any(axis=0).sum()) for name, own in statistics.items()}


def example_statistics(cube: Cube) -> dict[str, Floats]:
    """Each of ``STATISTICS``, (models x examples).

    Those ``OF_ALL_CONFIGURATIONS`` are over the examples that were asked in all of them, so that no example
    looks more robust for having been asked less often; where no example was, over all.
    """
    evenly = evenly_asked(cube)
    found = {name: statistic(cube.scores) for name, statistic in STATISTICS.items()}
    return {
        name: np.where(evenly, own, np.nan) if name in OF_ALL_CONFIGURATIONS else own
        for name, own in found.items()
    }


def evenly_asked(cube: Cube) -> Booleans:
    """Which examples were asked in every configuration, (examples,); all, where none was."""
    evenly: Booleans = np.asarray(cube.asked.all(axis=0))
    return evenly if evenly.any() else np.ones_like(evenly)


def examples_of(statistic: str, cube: Cube) -> Cube:
    """The cube with those examples alone that one of ``STATISTICS`` is over."""
    return with_examples(cube, evenly_asked(cube)) if statistic in OF_ALL_CONFIGURATIONS else cube


@dataclass(frozen=True)
class Estimate:
    """Figures of one data set, or of all, with their marks.

    Attributes:
        values: (rows,) or (rows x columns), a row a model as a rule; NaN where there is none.
        parts: of a mean of scores, the examples of each data set that it averages, from which it has a score
            interval.
        samples: of another figure, ``values`` with its resamples as a last axis, whose percentiles are its
            interval.
        complete: of the shape of ``values``, False where scores are missing.
        absent: (rows,), which have no score at all on the data set; by default none.
    """

    values: Floats
    parts: tuple[ExampleValues, ...] = ()
    samples: Floats | None = None
    complete: Booleans = field(default_factory=lambda: np.array(True))
    absent: Booleans = field(default_factory=lambda: np.array([False]))

    def bounds(self, level: float) -> tuple[Floats, Floats]:
        """The lower and upper bounds of the intervals; NaN where the figure is, or has no interval."""
        low = high = np.full(self.values.shape, np.nan)
        if self.samples is not None:
            low, high = percentile_bounds(self.samples, level)
        elif self.parts:
            low, high = score_bounds([part.means for part in self.parts], level)
        low, high = np.where(np.isnan(self.values), np.nan, np.round([low, high], ROUNDING))
        return low, high

    def at(self, index: Any) -> Estimate:
        """The figures of a mean of scores at an index of ``values``, e.g. some columns of all rows."""
        return replace(
            self,
            values=self.values[index],
            complete=np.broadcast_to(self.complete, self.values.shape)[index],
            parts=tuple(part.at(index) for part in self.parts),
        )

    def intervals(self, level: float, *names: Sequence[str]) -> dict[str, Any]:
        """Label of the first axis -> label of the second -> ... -> :class:`~.result.Interval`."""
        three = np.stack([self.values, *self.bounds(level)], axis=-1)
        return _by_name(names, three, np.broadcast_to(self.complete, self.values.shape))


def _by_name(names: Sequence[Sequence[str]], numbers: Floats, complete: Booleans) -> dict[str, Any]:
    first, *others = names
    if others:
        return {name: _by_name(others, numbers[i], complete[i]) for i, name in enumerate(first)}
    return {name: interval_of(*numbers[i], complete=bool(complete[i])) for i, name in enumerate(first)}


def estimates(
    cube: Cube, lacking: Booleans | None = None, per_example: Mapping[str, Floats] | None = None
) -> dict[str, Estimate]:
    """The figures of one data set.

    Args:
        cube: the scores.
        lacking: which models' figures are marked as incomplete; by default those that lack a score here.
        per_example: :func:`example_statistics` of the cube, where they are known.
    """
    found = per_example or example_statistics(cube)
    lacks = lacking_models(cube) if lacking is None else lacking
    complete = {**dict.fromkeys(found, ~lacks), "robustness_5": ~(lacks | too_few_scores(found).any(axis=1))}
    return {name: mean_scores(own, cube.clusters, complete[name]) for name, own in found.items()}


def too_few_scores(found: Mapping[str, Floats]) -> Booleans:
    """Which examples have scores, but too few for ``robustness_5``, (models x examples).

    Args:
        found: :func:`example_statistics` of a cube. Where no example has enough, all are False.
    """
    without = np.isnan(found["robustness_5"])
    return np.asarray(without & ~np.isnan(found["performance"]) & ~without.all())


def mean_scores(values: Floats, clusters: Integers, complete: Booleans | None = None) -> Estimate:
    """Means over the examples of a data set.

    Args:
        values: a statistic an example, in [0, 1], (... x examples); NaN where an example has none.
        clusters: the number of each example's table, from 0 on, (examples,).
        complete: of the shape of the means, False where scores are missing.
    """
    whole = np.array(True) if complete is None else complete
    return Estimate(mean_over_examples(values), (ExampleValues(values, clusters),), complete=whole)


def mean_of_estimates(parts: Sequence[Estimate]) -> Estimate:
    """The unweighted mean over data sets of means of scores; NaN where one of them is."""
    return Estimate(
        np.sum([part.values for part in parts], axis=0) / len(parts),
        tuple(own for part in parts for own in part.parts),
        complete=np.all([part.complete for part in parts], axis=0),
    )


def overall_estimates(per_dataset: Sequence[Mapping[str, Estimate]]) -> dict[str, Estimate]:
    """The figures over all data sets, from those of each."""
    return {name: mean_of_estimates([found[name] for found in per_dataset]) for name in STATISTICS}


def resampled(values: Floats, cube: Cube, options: Options) -> Floats:
    """Means over examples of resampled tables, with the resamples that all figures of the data set share.

    Args:
        values: a statistic an example, (... x examples); NaN where an example has none.
        cube: whose examples these are.
        options: resamples and seed are used.

    Returns:
        (... x resamples).
    """
    draws = shared_draws(options.seed, ("examples", cube.dataset), cube.tables, options.resamples)
    rows = values.reshape(-1, values.shape[-1])
    means = counted_means(rows, cube.clusters, draws, options.resamples)
    return means.reshape(*values.shape[:-1], options.resamples)


def mean_over_datasets(parts: Sequence[Estimate]) -> Estimate:
    """The unweighted mean over the data sets that have a figure, marked where one has none.

    Rows that are absent from a data set (a model without a score there) have no mean.
    """
    known = [~np.isnan(part.values) for part in parts]
    count = np.sum(known, axis=0)
    absent = np.any([part.absent for part in parts], axis=0)
    nothing = (count == 0) | absent.reshape(-1, *[1] * (count.ndim - 1))
    shares = np.where(nothing, np.nan, np.maximum(count, 1))
    drawn = [
        np.where(there[..., None], part.samples, 0.0)
        for part, there in zip(parts, known, strict=True)
        if part.samples is not None
    ]
    return Estimate(
        np.sum([np.nan_to_num(part.values) for part in parts], axis=0) / shares,
        tuple(own for part in parts for own in part.parts),
        np.sum(drawn, axis=0) / shares[..., None] if drawn else None,
        np.all([part.complete for part in parts], axis=0) & (count == len(parts)),
    )
