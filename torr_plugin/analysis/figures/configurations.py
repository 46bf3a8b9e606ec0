"""Each configuration's mean score, and the worst and best configuration of each model (ToRR, Fig. 3)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from ...core.statistics import ROUNDING, Floats
from ..charts.labels import ChartContext, bounds_row
from ..charts.panels import DotLayout, dot_chart
from ..charts.vega import Spec
from ..compare import decide, moments
from ..cube import Cube, common_configurations, configuration_means, lacking_models, selected
from ..estimates import mean_of_estimates, mean_scores
from ..example_values import ExampleValues
from ..figure import Figure, FigureChart, FigureTable, Row
from ..result import (
    INTERVAL,
    OVERALL,
    ByDataset,
    FigureResult,
    Verdict,
    interval_cells,
    interval_fields,
    number,
    rows_of,
)
from ..shared_examples import SharedExamples, comparable_configurations, shared_counts
from ..study import StudyScores
from .compared_over import over_every
from .factor_cubes import example_notes

ConfigurationScores = dict[str, dict[str, dict[str, float | None]]]
"""Data set or "overall" -> configuration -> model -> mean score."""


class ExtremeConfiguration(FigureResult):
    """The mean score of a model's best or worst configuration; None of a model that has no score.

    The interval is at Bonferroni's level for all configurations, as the best of them was found on the scores.
    """

    config: str | None
    value: float | None
    low: float | None
    high: float | None
    complete: bool = True


class ConfigurationRange(FigureResult):
    """How far a model's best and worst configurations lie apart, over the examples scored in all of them.

    ``range``: best less worst, of the question that all pairs of the model's configurations are.
    """

    worst: ExtremeConfiguration
    best: ExtremeConfiguration
    range: Verdict
    examples: SharedExamples | None = None


class ConfigurationRanges(ByDataset[ConfigurationRange | None]):
    """Over all data sets, of the configurations that all of them have, and on each."""

    overall: ConfigurationRange | None = None
    datasets: dict[str, ConfigurationRange | None] = {}


def configuration_scores(cubes: Sequence[Cube]) -> ConfigurationScores:
    """Mean scores of all data sets, see :data:`ConfigurationScores`."""
    return {
        place: {
            config: {model: number(values[m, c]) for m, model in enumerate(cubes[0].models)}
            for c, config in enumerate(configurations)
        }
        for place, (configurations, values) in means_by_dataset(cubes).items()
    }


def means_by_dataset(cubes: Sequence[Cube]) -> dict[str, tuple[Sequence[str], Floats]]:
    """Mean scores of configurations, over all data sets and on each.

    "overall" is the unweighted mean over data sets, of the configurations that all of them have.

    Returns:
        Data set or "overall" -> its configurations, and their means, (models x configurations).
    """
    shared = common_configurations(cubes)
    parts = [configuration_means(comparable_configurations(selected(cube, shared)).scores) for cube in cubes]
    return {
        OVERALL: (shared, np.mean(parts, axis=0)),
        **{
            cube.dataset: (cube.configurations, configuration_means(comparable_configurations(cube).scores))
            for cube in cubes
        },
    }


def configuration_ranges(study: StudyScores) -> dict[str, ConfigurationRanges]:
    """Per model the configurations with the lowest and the highest mean score, and their difference.

    "overall" is of the unweighted means over data sets, of the configurations that all of them have. Of equal
    configurations the first by name is taken. Configurations are taken as given.
    """
    shared, level = sorted(common_configurations(study.cubes)), study.options.level
    per_dataset = {
        cube.dataset: _ranges([selected(cube, sorted(cube.configurations))], level) for cube in study.cubes
    }
    one = len(study.cubes) == 1
    overall = (
        next(iter(per_dataset.values()))
        if one
        else _ranges([selected(cube, shared) for cube in study.cubes], level)
    )
    return {
        model: ConfigurationRanges(
            overall=overall[m], datasets={name: found[m] for name, found in per_dataset.items()}
        )
        for m, model in enumerate(study.models)
    }


def _ranges(wholes: Sequence[Cube], level: float) -> list[ConfigurationRange]:
    """The range of each model, of means over data sets; all cubes have the same configurations."""
    names = wholes[0].configurations
    cubes = [comparable_configurations(cube) for cube in wholes]
    examples = shared_counts(wholes, cubes)
    complete = ~np.any([lacking_models(cube) for cube in cubes], axis=0)
    figures = mean_of_estimates([mean_scores(cube.scores, cube.clusters) for cube in cubes])
    three = np.stack([figures.values, *figures.bounds(1 - (1 - level) / max(len(names), 1))], axis=-1)
    found = []
    for m, whole in enumerate(complete.tolist()):
        worst, best = _ends(figures.values[m])
        extremes = {
            end: ExtremeConfiguration(
                config=None if c is None else names[c],
                **interval_fields(*(_NOTHING if c is None else three[m, c]), complete=whole),
            )
            for end, c in (("worst", worst), ("best", best))
        }
        found.append(
            ConfigurationRange(
                **extremes,
                range=_between(cubes, m, (best, worst), level, complete=whole),
                examples=examples[m],
            )
        )
    return found


_NOTHING = (np.nan, np.nan, np.nan)


def _ends(values: Floats) -> tuple[int | None, int | None]:
    """The lowest and the highest, of equal ones the first; None where there is none."""
    rounded = np.round(values, ROUNDING)
    if np.isnan(rounded).all():
        return None, None
    return int(np.nanargmin(rounded)), int(np.nanargmax(rounded))


def _between(
    cubes: Sequence[Cube], m: int, ends: tuple[int | None, int | None], level: float, *, complete: bool
) -> Verdict:
    """The best less the worst configuration of a model, of the question that all of its pairs are."""
    best, worst = ends
    if best is None or worst is None:
        return Verdict(**interval_fields(*_NOTHING, complete=complete))
    if best == worst:
        return Verdict(**interval_fields(0.0, 0.0, 0.0, complete=complete))
    count = len(cubes[0].configurations)
    differences = [
        ExampleValues(cube.scores[m, [best]] - cube.scores[m, [worst]], cube.clusters) for cube in cubes
    ]
    family = decide([moments(one) for one in differences], level, tested=count * (count - 1) // 2)
    return family.verdict(0, complete=complete)


def _range_rows(result: Mapping[str, ConfigurationRanges]) -> Iterator[Row]:
    for model, found in result.items():
        for dataset, own in found.places().items():
            if own:
                shared = (own.examples.shared, own.examples.of) if own.examples else (None, None)
                for end, extreme in (("worst", own.worst), ("best", own.best)):
                    cells = *interval_cells(extreme), None, None
                    yield model, dataset, end, extreme.config, *cells, *shared
                cells = *interval_cells(own.range), own.range.p, own.range.differs
                yield model, dataset, "range", None, *cells, *shared


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


def _over(result: Mapping[str, ConfigurationRanges]) -> str:
    found = {
        model: own.overall.examples for model, own in result.items() if own.overall and own.overall.examples
    }
    return over_every("configuration", {OVERALL: found})


class ConfigurationRangeFigure(Figure[dict[str, ConfigurationRanges]]):
    """The worst and best configuration of each model."""

    key = "configuration_range"
    tables = (
        FigureTable(
            "configuration_range",
            ("model", "dataset", "end", "config", *INTERVAL, "p", "differs", "examples", "of_examples"),
            _range_rows,
            "each model's worst and best configuration, and how far they lie apart",
            over=_over,
        ),
    )
    charts = (FigureChart("configuration_range", _range_chart, "Fig. 3", over=_over),)

    def compute(self, study: StudyScores) -> dict[str, ConfigurationRanges]:
        """Compute the ranges."""
        return configuration_ranges(study)

    def notes(self, study: StudyScores, result: dict[str, ConfigurationRanges] | None) -> list[str]:
        """Over how many examples comparisons within a model are, where that is not all."""
        return example_notes(study)

    def lines(self, result: dict[str, ConfigurationRanges]) -> list[str]:
        """The mean range, and that of the model whose best and worst configuration lie farthest apart."""
        ranges = [found.overall.range.value or 0.0 for found in result.values() if found.overall]
        widest = max(ranges, default=0.0)
        if not widest:
            return []
        mean = sum(ranges) / len(ranges)
        return [f"best less worst configuration of a model: {mean:.3f} on average, {widest:.3f} at most"]


class ConfigurationScoresFigure(Figure[ConfigurationScores]):
    """The mean score of each model in each configuration, over the examples that it has in all of them."""

    key = "configurations"
    required = True
    tables = (
        FigureTable(
            "configurations",
            ("dataset", "config", "model", "score"),
            rows_of(),
            "mean score of each model in each configuration, over the examples scored in all of them",
        ),
    )

    def compute(self, study: StudyScores) -> ConfigurationScores:
        """Compute the means."""
        return configuration_scores(study.cubes)


CONFIGURATION_RANGE = ConfigurationRangeFigure()
CONFIGURATION_SCORES = ConfigurationScoresFigure()
