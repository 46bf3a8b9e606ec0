"""Each configuration's mean score, and the worst and best configuration of each model (ToRR, Fig. 3)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from ..charts.labels import ChartContext, bounds_row
from ..charts.panels import DotLayout, dot_chart
from ..charts.vega import Spec
from ..cube import Cube, common_configurations, configuration_means, lacking_models, selected
from ..extremes import BestAndWorst, best_and_worst
from ..figure import Figure, FigureChart, FigureTable, Row
from ..result import (
    INTERVAL,
    OVERALL,
    ByDataset,
    FigureResult,
    Interval,
    interval_cells,
    interval_fields,
    interval_of,
    number,
    rows_of,
)
from ..statistics import Booleans
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


class ConfigurationRanges(ByDataset[ConfigurationRange | None]):
    """Over all data sets, of the configurations that all of them have, and on each."""

    overall: ConfigurationRange | None = None
    datasets: dict[str, ConfigurationRange | None] = {}


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
    # the resamples are summed one data set at a time, as all of them would be many
    values = np.zeros((len(study.models), len(shared)))
    samples = np.zeros((*values.shape, study.options.resamples))
    complete = np.ones(len(study.models), dtype=bool)
    per_dataset = {}
    for cube in study.cubes:
        names = sorted(cube.configurations)
        own = configuration_means(selected(cube, names).scores)
        drawn = study.configuration_samples[cube.dataset].among(cube.models, names)
        there = ~lacking_models(cube)
        per_dataset[cube.dataset] = _named(names, best_and_worst(own, drawn, level), there)
        index = [names.index(name) for name in shared]
        values += own[:, index] / len(study.cubes)
        samples += drawn[:, index] / len(study.cubes)
        complete &= there
    overall = _named(shared, best_and_worst(values, samples, level), complete)
    return {
        model: ConfigurationRanges(
            overall=overall[m], datasets={name: found[m] for name, found in per_dataset.items()}
        )
        for m, model in enumerate(study.models)
    }


def _named(names: Sequence[str], found: BestAndWorst, complete: Booleans) -> list[ConfigurationRange]:
    """The range of each model."""
    ranges = []
    for m, whole in enumerate(complete.tolist()):
        ends = {
            end: ExtremeConfiguration(config=name, **interval_fields(*bounds[m], complete=whole))
            for (end, name), bounds in zip(
                found.names(names, m).items(), (found.worst, found.best), strict=True
            )
        }
        ranges.append(ConfigurationRange(**ends, range=interval_of(*found.range[m], complete=whole)))
    return ranges


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


class ConfigurationScoresFigure(Figure[ConfigurationScores]):
    """The mean score of each model in each configuration."""

    key = "configurations"
    required = True
    tables = (
        FigureTable(
            "configurations",
            ("dataset", "config", "model", "score"),
            rows_of(),
            "mean score of each model in each configuration",
        ),
    )

    def compute(self, study: StudyScores) -> ConfigurationScores:
        """Compute the means."""
        return configuration_scores(study.cubes)


CONFIGURATION_RANGE = ConfigurationRangeFigure()
CONFIGURATION_SCORES = ConfigurationScoresFigure()
