"""Figures with their intervals: values and resamples of arrays, turned into labelled plain numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .bootstrap import generator, interval, resampled_means
from .cube import Cube
from .errors import AnalysisError
from .performance import example_means, mean_over_examples
from .robustness import example_best, example_robustness, example_robustness_solvable, example_worst
from .rounding import ROUNDING
from .two_way import Statistic, recentred, two_way_means

if TYPE_CHECKING:
    from .types import Floats

STATISTICS: Mapping[str, Statistic] = {
    "performance": example_means,
    "robustness": example_robustness,
    "worst": example_worst,
    "best": example_best,
    "robustness_solvable": example_robustness_solvable,
}
"""Each figure is the mean over examples of one of these."""


@dataclass(frozen=True)
class Options:
    """How intervals are made; see :func:`torr_plugin.analysis.analyse`."""

    resamples: int = 1000
    level: float = 0.95
    two_way: bool = False
    seed: int = 0
    rankings: int = 10
    repeats: int = 100

    def __post_init__(self) -> None:
        """Refuse what no interval can be made with."""
        if isinstance(self.resamples, bool) or not isinstance(self.resamples, int) or self.resamples < 1:
            raise AnalysisError(f"resamples: found {self.resamples!r}; expected a whole number from 1 on")
        if not 0 < self.level < 1:
            raise AnalysisError(f"level: found {self.level!r}; expected a number between 0 and 1, e.g. 0.95")
        for name, least in (("rankings", 2), ("repeats", 1)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < least:
                raise AnalysisError(f"{name}: found {value!r}; expected a whole number from {least} on")
        if isinstance(self.seed, bool) or not isinstance(self.seed, int):
            raise AnalysisError(f"seed: found {self.seed!r}; expected a whole number")


@dataclass(frozen=True)
class Estimate:
    """A figure of every model, (models,), and its resamples, (models x resamples)."""

    values: Floats
    samples: Floats

    def bounds(self, level: float) -> tuple[Floats, Floats]:
        """The lower and upper bounds of the intervals, (models,) each; NaN where the figure is."""
        import numpy as np

        low, high = (np.round(bound, ROUNDING) for bound in interval(self.samples, level))
        unknown = np.isnan(self.values)
        return np.where(unknown, np.nan, low), np.where(unknown, np.nan, high)


def estimates(cube: Cube, options: Options) -> dict[str, Estimate]:
    """The figures of one data set."""
    import numpy as np

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


def labelled(models: Sequence[str], estimate: Estimate, level: float) -> dict[str, dict[str, Any]]:
    """Model -> {"value", "low", "high"}, plain floats, null where there is no figure."""
    low, high = estimate.bounds(level)
    return {
        model: {"value": number(estimate.values[i]), "low": number(low[i]), "high": number(high[i])}
        for i, model in enumerate(models)
    }


def number(value: float) -> float | None:
    """A float as JSON can hold it."""
    plain = float(value)
    return round(plain, ROUNDING) if math.isfinite(plain) else None
