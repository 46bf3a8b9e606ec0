"""Estimates of models with their resamples: means over data sets, weighted sums, intervals by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core.seeds import generator
from .arrays import ROUNDING, Booleans, Floats
from .bootstrap import Statistic, percentile_bounds, recentred, resampled_means, two_way_means
from .cube import Cube
from .options import AnalysisError, Options
from .result import Interval, interval_of
from .statistics import (
    example_best,
    example_means,
    example_robustness,
    example_robustness_solvable,
    example_worst,
    mean_over_examples,
)

STATISTICS: Mapping[str, Statistic] = {
    "performance": example_means,
    "robustness": example_robustness,
    "worst": example_worst,
    "best": example_best,
    "robustness_solvable": example_robustness_solvable,
}
"""Each figure is the mean over examples of one of these."""


@dataclass(frozen=True)
class Estimate:
    """A figure of every model, (models,), and its resamples, (models x resamples)."""

    values: Floats
    samples: Floats

    def bounds(self, level: float) -> tuple[Floats, Floats]:
        """The lower and upper bounds of the intervals, (models,) each; NaN where the figure is."""
        low, high = (np.round(bound, ROUNDING) for bound in percentile_bounds(self.samples, level))
        unknown = np.isnan(self.values)
        return np.where(unknown, np.nan, low), np.where(unknown, np.nan, high)


def estimates(cube: Cube, options: Options) -> dict[str, Estimate]:
    """The figures of one data set."""
    per_example = {name: statistic(cube.scores) for name, statistic in STATISTICS.items()}
    values = {name: mean_over_examples(array) for name, array in per_example.items()}
    if options.two_way:
        samples = _two_way_samples(cube, values, options)
    else:
        rng = generator(options.seed, "examples", cube.dataset)
        rows = resampled_means(np.concatenate(list(per_example.values())), rng, options.resamples)
        samples = dict(zip(per_example, np.split(rows, len(per_example)), strict=True))
    return {name: Estimate(values[name], samples[name]) for name in values}


def _two_way_samples(cube: Cube, values: Mapping[str, Floats], options: Options) -> dict[str, Floats]:
    rngs = (
        generator(options.seed, "configurations", *sorted(cube.configurations)),
        generator(options.seed, "examples", cube.dataset),
    )
    ordered = cube.scores[:, sorted(range(len(cube.configurations)), key=cube.configurations.__getitem__)]
    samples = two_way_means(ordered, STATISTICS, rngs, options.resamples)
    return {
        name: drawn if name == "performance" else recentred(drawn, values[name])
        for name, drawn in samples.items()
    }


class MeanOfEstimates:
    """Adds up data sets' estimates, whose unweighted mean is the overall figure; NaN where one of them is."""

    def __init__(self) -> None:
        self._sum: Estimate | None = None
        self._count = 0

    def add(self, estimate: Estimate) -> None:
        """One more data set."""
        before = self._sum
        self._count += 1
        self._sum = (
            Estimate(before.values + estimate.values, before.samples + estimate.samples)
            if before
            else estimate
        )

    def mean(self) -> Estimate:
        """The mean over the data sets that were added."""
        if self._sum is None:
            raise AnalysisError("no data set")
        return Estimate(self._sum.values / self._count, self._sum.samples / self._count)


def all_estimates(
    all_cubes: Sequence[Cube], options: Options
) -> tuple[list[dict[str, Estimate]], dict[str, Estimate]]:
    """Per data set and overall; of the data sets' resamples only what is needed is kept."""
    totals = {name: MeanOfEstimates() for name in STATISTICS}
    per_dataset = []
    for cube in all_cubes:
        found = estimates(cube, options)
        for name, estimate in found.items():
            totals[name].add(estimate)
        per_dataset.append(found)
    return per_dataset, {name: total.mean() for name, total in totals.items()}


def labelled(
    models: Sequence[str], estimate: Estimate, level: float, lacks: Booleans | None = None
) -> dict[str, Interval]:
    """Model -> its figure.

    Args:
        models: labels of the rows.
        estimate: the figures.
        level: of the intervals.
        lacks: which models lack scores, (models,); by default none.
    """
    low, high = estimate.bounds(level)
    return {
        model: interval_of(
            estimate.values[i], low[i], high[i], complete=not (lacks is not None and bool(lacks[i]))
        )
        for i, model in enumerate(models)
    }


Names = Sequence[str]


def resampled(values: Floats, dataset: str, options: Options) -> Floats:
    """Means over resampled examples, with the resamples that all figures of the data set share.

    Args:
        values: a statistic an example, (... x examples); NaN where an example has none.
        dataset: whose examples these are.
        options: resamples and seed are used.

    Returns:
        (... x resamples).
    """
    rng = generator(options.seed, "examples", dataset)
    means = resampled_means(values.reshape(-1, values.shape[-1]), rng, options.resamples)
    return means.reshape(*values.shape[:-1], options.resamples)


@dataclass(frozen=True)
class Marked:
    """Figures of one data set, or of all, with their resamples and a mark.

    Attributes:
        values: (rows x columns); NaN where there is none.
        samples: (rows x columns x resamples).
        complete: (rows x columns), False where scores are missing.
        absent: (rows,), which have no score at all on the data set; by default none.
    """

    values: Floats
    samples: Floats
    complete: Booleans
    absent: Booleans | None = None


def mean_over_datasets(figures: Sequence[Marked]) -> Marked:
    """The unweighted mean over the data sets that have a figure, marked where one has none.

    Rows that are absent from a data set (a model without a score there) have no mean.

    Args:
        figures: of each data set, with equal rows and columns.
    """
    known = [~np.isnan(one.values) for one in figures]
    count = np.sum(known, axis=0)
    values, samples = np.zeros(figures[0].values.shape), np.zeros(figures[0].samples.shape)
    for one, there in zip(figures, known, strict=True):
        values += np.where(there, one.values, 0.0)
        samples += np.where(there[..., None], one.samples, 0.0)
    absent = np.any([_absent(one) for one in figures], axis=0)[:, None] | (count == 0)
    complete = np.all([one.complete for one in figures], axis=0) & (count == len(figures))
    shares = np.where(absent, np.nan, np.maximum(count, 1))
    return Marked(values / shares, samples / shares[..., None], complete)


def _absent(figures: Marked) -> Booleans:
    return np.zeros(len(figures.values), dtype=bool) if figures.absent is None else figures.absent


def nested(
    names: Sequence[Names], values: Floats, samples: Floats, level: float, complete: Booleans | None = None
) -> dict[str, Any]:
    """Figures with percentile intervals, a dict an axis.

    Args:
        names: the labels of each axis of ``values``.
        values: the figures, (axis 0 x axis 1 x ...).
        samples: their resamples, (axis 0 x axis 1 x ... x resamples).
        level: of the intervals.
        complete: where no score is missing, of the shape of ``values``; by default everywhere.

    Returns:
        label of axis 0 -> label of axis 1 -> ... -> :class:`~.result.Interval`.
    """
    low, high = percentile_bounds(samples, level)
    return bounded(names, values, low, high, complete)


def bounded(
    names: Sequence[Names], values: Floats, low: Floats, high: Floats, complete: Booleans | None = None
) -> dict[str, Any]:
    """As :func:`nested`, of bounds that are known, (axis 0 x axis 1 x ...) each."""
    unknown = np.isnan(values)
    three = np.stack([values, np.where(unknown, np.nan, low), np.where(unknown, np.nan, high)], axis=-1)
    whole = np.ones(values.shape, dtype=bool) if complete is None else complete
    return _nested(names, np.round(three, ROUNDING), whole)


def _nested(names: Sequence[Names], three: Floats, complete: Booleans) -> dict[str, Any]:
    first, *others = names
    if others:
        return {name: _nested(others, three[i], complete[i]) for i, name in enumerate(first)}
    return {name: interval_of(*three[i], complete=bool(complete[i])) for i, name in enumerate(first)}


@dataclass(frozen=True)
class ConfigurationSamples:
    """Of one data set.

    Attributes:
        models: labels of the first axis.
        configurations: labels of the second axis.
        samples: mean scores of resamples, (models x configurations x resamples), of the resamples that all
            figures of the data set share; NaN where a resample holds no score.
    """

    models: tuple[str, ...]
    configurations: tuple[str, ...]
    samples: Floats

    def among(self, models: Sequence[str], configurations: Sequence[str]) -> Floats:
        """Those of some models and configurations, in this order; no copy where it is all of them."""
        if (tuple(models), tuple(configurations)) == (self.models, self.configurations):
            return self.samples
        rows = [self.models.index(name) for name in models]
        columns = [self.configurations.index(name) for name in configurations]
        chosen: Floats = self.samples[np.ix_(rows, columns)]
        return chosen


def configuration_samples(cubes: Sequence[Cube], options: Options) -> dict[str, ConfigurationSamples]:
    """Data set -> resampled means of its cells; resamples and seed of the options are used."""
    return {
        cube.dataset: ConfigurationSamples(
            cube.models, cube.configurations, resampled(cube.scores, cube.dataset, options)
        )
        for cube in cubes
    }


def weights(models: int, rows: Sequence[int]) -> Floats:
    """Weights of a mean over some rows; NaN for a mean over none."""
    if not rows:
        return np.full(models, np.nan)
    of_rows = np.zeros(models)
    of_rows[list(rows)] = 1 / len(rows)
    return of_rows


def weighted(estimate: Estimate, of_models: Floats, level: float, *, complete: bool = True) -> Interval:
    """The sum over models of figure times weight, (models,), with its interval; null where it is NaN."""
    used = of_models != 0
    value = float((of_models[used] * estimate.values[used]).sum()) if used.any() else np.nan
    if np.isnan(value):
        return interval_of(value, np.nan, np.nan, complete=complete)
    low, high = percentile_bounds(of_models[used] @ estimate.samples[used], level)
    return interval_of(value, float(low), float(high), complete=complete)
