"""Each configuration's mean score, and the worst and best configuration of each model (ToRR, Fig. 3)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from pydantic import TypeAdapter

from ..charts.labels import ChartContext, bounds_row
from ..charts.panels import DotLayout, dot_chart
from ..charts.vega import Spec
from ..cube import Cube, common_configurations, configuration_means, lacking_models, selected
from ..extremes import ArrayBounds, BestAndWorst, best_and_worst
from ..figure import Figure, FigureChart, FigureTable, Row
from ..result import INTERVAL, OVERALL, FigureResult, Interval, interval_cells, interval_of, number
from ..statistics import Booleans, Floats
from ..study import StudyScores

ConfigurationScores = dict[str, dict[str, dict[str, float | None]]]
"""Data set or "overall" -> configuration -> model -> mean score."""


class ExtremeConfiguration(FigureResult):
    """The mean score of a model's best or worst configuration; None of a model that has no score."""

    config: str | None
    value: float | None
    low: float | None
    high: float | None
    complete: bool = True


class ConfigurationRange(FigureResult):
    """How far a model's best and worst configurations lie apart."""

    worst: ExtremeConfiguration
    best: ExtremeConfiguration
    range: Interval


class ConfigurationRanges(FigureResult):
    """Over all data sets, of the configurations that all of them have, and on each."""

    overall: ConfigurationRange | None = None
    datasets: dict[str, ConfigurationRange | None] = {}

    def places(self) -> dict[str, ConfigurationRange | None]:
        """All data sets together, then each."""
        return {OVERALL: self.overall, **self.datasets}


def configuration_scores(cubes: Sequence[Cube]) -> ConfigurationScores:
    """Mean scores, see :data:`ConfigurationScores`.

    "overall" is the unweighted mean over data sets, of the configurations that all of them have.
    """
    shared = common_configurations(cubes)
    overall = np.mean([configuration_means(selected(cube, shared).scores) for cube in cubes], axis=0)
    means = {cube.dataset: (cube.configurations, configuration_means(cube.scores)) for cube in cubes}
    means = {OVERALL: (tuple(shared), overall), **means}
    return {
        place: {
            config: {model: number(values[m, c]) for m, model in enumerate(cubes[0].models)}
            for c, config in enumerate(configurations)
        }
        for place, (configurations, values) in means.items()
    }


def configuration_ranges(study: StudyScores) -> dict[str, ConfigurationRanges]:
    """Per model the configurations with the lowest and the highest mean score, and their difference.

    The best of many on the data is optimistic, and the worst pessimistic (a selection effect): values are
    those of the data, intervals allow for the choice, see :mod:`.extremes`. "overall" is of the unweighted
    means over data sets, of the configurations that all of them have. Of equal configurations the first by
    name is taken. Configurations are taken as given.
    """
    shared, level = sorted(common_configurations(study.cubes)), study.options.level
    totals, lacking = _Totals(len(study.cubes)), []
    per_dataset = {}
    for cube in study.cubes:
        names = sorted(cube.configurations)
        values = configuration_means(selected(cube, names).scores)
        samples = study.configuration_samples[cube.dataset].among(cube.models, names)
        lacks = lacking_models(cube)
        per_dataset[cube.dataset] = _named(names, best_and_worst(values, samples, level), lacks)
        index = [names.index(name) for name in shared]
        totals.add(values[:, index], samples[:, index])
        lacking.append(lacks)
    overall = _overall(shared, totals, np.any(lacking, axis=0), level)
    return {
        model: ConfigurationRanges(
            overall=overall[m], datasets={name: found[m] for name, found in per_dataset.items()}
        )
        for m, model in enumerate(study.models)
    }


class _Totals:
    """Adds up scores and their resamples, and so holds those of one data set at a time beside the sum."""

    def __init__(self, datasets: int) -> None:
        self.values: Floats | float = 0.0
        self.samples: Floats | float = 0.0
        self._datasets = datasets

    def add(self, values: Floats, samples: Floats) -> None:
        self.values = self.values + values / self._datasets
        self.samples = self.samples + samples / self._datasets


def _overall(
    shared: Sequence[str], totals: _Totals, lacks: Booleans, level: float
) -> list[ConfigurationRange]:
    if not shared:
        nothing = np.full(len(lacks), np.nan)
        none = (nothing, nothing, nothing)
        nowhere = np.full(len(lacks), -1)
        return _named(shared, BestAndWorst(nowhere, nowhere, none, none, none), lacks)
    found = best_and_worst(np.asarray(totals.values), np.asarray(totals.samples), level)
    return _named(shared, found, lacks)


def _named(names: Sequence[str], found: BestAndWorst, lacks: Booleans) -> list[ConfigurationRange]:
    """The range of each model."""

    def extreme(index: int, bounds: ArrayBounds, model: int) -> ExtremeConfiguration:
        at = interval_at(bounds, model, lacks)
        return ExtremeConfiguration(config=name_at(names, index), **dict(at.model_dump(exclude_unset=True)))

    return [
        ConfigurationRange(
            worst=extreme(found.worst_index[m], found.worst, m),
            best=extreme(found.best_index[m], found.best, m),
            range=interval_at(found.range, m, lacks),
        )
        for m in range(len(lacks))
    ]


def name_at(names: Sequence[str], index: int) -> str | None:
    """The name at a place; None for -1."""
    return names[index] if index >= 0 else None


def interval_at(bounds: ArrayBounds, row: int, lacks: Booleans) -> Interval:
    """A row's value and bounds, marked where scores are missing."""
    value, low, high = (float(array[row]) for array in bounds)
    return interval_of(value, low, high, complete=not lacks[row])


def _range_rows(result: Mapping[str, ConfigurationRanges]) -> Iterator[Row]:
    for model, found in result.items():
        for dataset, own in found.places().items():
            if own:
                yield model, dataset, "worst", own.worst.config, *interval_cells(own.worst)
                yield model, dataset, "best", own.best.config, *interval_cells(own.best)
                yield model, dataset, "range", None, *interval_cells(own.range)


def _range_chart(result: Mapping[str, ConfigurationRanges], context: ChartContext) -> Spec:
    """A row a model: its mean score in the configurations that suit it least and best."""
    series = {"worst": "worst configuration", "best": "best configuration"}
    models = context.model_labels()
    rows = [
        {"row": label, "series": name, **figure}
        for model, label in models.items()
        for end, name in series.items()
        if (overall := result[model].overall) and (figure := bounds_row(getattr(overall, end)))
    ]
    layout = DotLayout(
        rows=list(models.values()),
        series=list(series.values()),
        x="mean score over data sets, 0 to 1",
        step=11,
    )
    title = "The worst and the best configuration of each model"
    return dot_chart(rows, layout, title, [context.basis, context.intervals])


class ConfigurationRangeFigure(Figure[dict[str, ConfigurationRanges]]):
    """The worst and best configuration of each model."""

    key = "configuration_range"
    adapter = TypeAdapter(dict[str, ConfigurationRanges])
    tables = (
        FigureTable(
            "configuration_range",
            ("model", "dataset", "end", "config", *INTERVAL),
            _range_rows,
            "each model's worst and best configuration, and how far they lie apart",
        ),
    )
    charts = (FigureChart("configuration_range", _range_chart, "Fig. 3"),)

    def compute(self, study: StudyScores) -> dict[str, ConfigurationRanges]:
        """Compute the ranges."""
        return configuration_ranges(study)

    def lines(self, result: dict[str, ConfigurationRanges]) -> list[str]:
        """The mean range, and that of the model whose best and worst configuration lie farthest apart."""
        ranges = [found.overall.range.value or 0.0 for found in result.values() if found.overall]
        widest = max(ranges, default=0.0)
        if not widest:
            return []
        mean = sum(ranges) / len(ranges)
        return [f"best less worst configuration of a model: {mean:.3f} on average, {widest:.3f} at most"]


def _score_rows(result: ConfigurationScores) -> Iterator[Row]:
    for dataset, configurations in result.items():
        for config, models in configurations.items():
            for model, score in models.items():
                yield dataset, config, model, score


class ConfigurationScoresFigure(Figure[ConfigurationScores]):
    """The mean score of each model in each configuration."""

    key = "configurations"
    adapter = TypeAdapter(ConfigurationScores)
    required = True
    tables = (
        FigureTable(
            "configurations",
            ("dataset", "config", "model", "score"),
            _score_rows,
            "mean score of each model in each configuration",
        ),
    )

    def compute(self, study: StudyScores) -> ConfigurationScores:
        """Compute the means."""
        return configuration_scores(study.cubes)


CONFIGURATION_RANGE = ConfigurationRangeFigure()
CONFIGURATION_SCORES = ConfigurationScoresFigure()
