"""Each configuration's mean score, and the worst and best configuration of each model (ToRR, Fig. 3)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...core.statistics import ROUNDING, Booleans, Floats
from ..charts.labels import ChartContext, bounds_row
from ..charts.panels import DotLayout, dot_chart
from ..charts.vega import Spec
from ..cube import Cube, common_configurations, configuration_means, lacking_models, selected
from ..estimates import resampled
from ..extremes import BestAndWorst, best_and_worst
from ..figure import Figure, FigureChart, FigureTable, Row
from ..multiplicity import holm_adjusted
from ..options import Options
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
from ..shared_examples import SharedExamples, comparable_configurations, shared_counts
from ..studentized_bootstrap import PairValues, difference_test
from ..study import StudyScores
from .compared_over import over_every
from .factor_cubes import example_notes
from .level_pairs import LevelPairs, configuration_pairs, pair_table

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
    """How far a model's best and worst configurations lie apart, over the examples scored in all of them.

    ``p``: of the model's configurations being equal, corrected for the choice of the two; ``claimed``: not
    above 1 - level after Holm's correction over the models of the place; ``skewed``: by the studentized
    bootstrap.
    """

    worst: ExtremeConfiguration
    best: ExtremeConfiguration
    range: Interval
    p: float | None = None
    skewed: bool = False
    claimed: bool = False
    examples: SharedExamples | None = None


class ConfigurationRanges(ByDataset[ConfigurationRange | None]):
    """Over all data sets, of the configurations that all of them have, and on each."""

    overall: ConfigurationRange | None = None
    datasets: dict[str, ConfigurationRange | None] = {}


def configuration_scores(
    cubes: Sequence[Cube], comparable: Callable[[Cube], Cube] = comparable_configurations
) -> ConfigurationScores:
    """Mean scores, see :data:`ConfigurationScores`; the arguments are those of :func:`means_by_dataset`."""
    return {
        place: {
            config: {model: number(values[m, c]) for m, model in enumerate(cubes[0].models)}
            for c, config in enumerate(configurations)
        }
        for place, (configurations, values) in means_by_dataset(cubes, comparable).items()
    }


def means_by_dataset(
    cubes: Sequence[Cube], comparable: Callable[[Cube], Cube] = comparable_configurations
) -> dict[str, tuple[Sequence[str], Floats]]:
    """Mean scores of configurations, over all data sets and on each.

    "overall" is the unweighted mean over data sets, of the configurations that all of them have.

    Args:
        cubes: of all data sets.
        comparable: leaves of a cube the scores that its configurations are compared by.

    Returns:
        Data set or "overall" -> its configurations, and their means, (models x configurations).
    """
    shared = common_configurations(cubes)
    parts = [configuration_means(comparable(selected(cube, shared)).scores) for cube in cubes]
    return {
        OVERALL: (shared, np.mean(parts, axis=0)),
        **{
            cube.dataset: (cube.configurations, configuration_means(comparable(cube).scores))
            for cube in cubes
        },
    }


def configuration_ranges(study: StudyScores) -> dict[str, ConfigurationRanges]:
    """Per model the configurations with the lowest and the highest mean score, and their difference.

    The best of many on the data is optimistic, and the worst pessimistic (a selection effect): values are
    those of the data, intervals allow for the choice, see :mod:`.extremes`. So does the p-value, that of a
    paired t test of the two times the number of pairs of configurations. "overall" is of the unweighted
    means over data sets, of the configurations that all of them have. Of equal configurations the first by
    name is taken. Configurations are taken as given.
    """
    shared = sorted(common_configurations(study.cubes))
    # the resamples are summed one data set at a time, as all of them would be many
    values = np.zeros((len(study.models), len(shared)))
    samples = np.zeros((*values.shape, study.options.resamples))
    together, per_dataset = [], {}
    for cube in study.cubes:
        names = sorted(cube.configurations)
        every = _comparable(study, cube, names)
        per_dataset[cube.dataset] = _ranges(study, [every], every.values, every.samples)
        some = every if names == shared else _comparable(study, cube, shared)
        values += some.values / len(study.cubes)
        samples += some.samples / len(study.cubes)
        together.append(some)
    overall = _ranges(study, together, values, samples)
    return {
        model: ConfigurationRanges(
            overall=overall[m], datasets={name: found[m] for name, found in per_dataset.items()}
        )
        for m, model in enumerate(study.models)
    }


@dataclass(frozen=True)
class _Comparable:
    """A data set's mean scores over the examples that a model has in all of some configurations.

    Attributes:
        whole: the data set.
        cube: of these configurations and examples.
        values: (models x configurations).
        samples: their resamples.
    """

    whole: Cube
    cube: Cube
    values: Floats
    samples: Floats


def _comparable(study: StudyScores, whole: Cube, names: Sequence[str]) -> _Comparable:
    cube = selected(whole, names)
    alike = comparable_configurations(cube)
    samples = (
        resampled(alike.scores, whole, study.options)
        if np.isnan(alike.scores).any()
        else study.configuration_samples[whole.dataset].among(cube.models, names)
    )
    return _Comparable(whole, alike, configuration_means(alike.scores), samples)


def _ranges(
    study: StudyScores, parts: Sequence[_Comparable], values: Floats, samples: Floats
) -> list[ConfigurationRange]:
    """The range of each model, of means over data sets; all parts have the same configurations."""
    level, names = study.options.level, parts[0].cube.configurations
    found = best_and_worst(values, samples, level)
    complete = ~np.any([lacking_models(part.cube) for part in parts], axis=0)
    p_values, skewed = _p_values(found, parts, values, study.options)
    claimed = holm_adjusted(p_values) <= round(1 - level, ROUNDING)
    examples = shared_counts([part.whole for part in parts], [part.cube for part in parts])
    ranges = []
    for m, whole in enumerate(complete.tolist()):
        fields: dict[str, Any] = {
            end: ExtremeConfiguration(config=name, **interval_fields(*bounds[m], complete=whole))
            for (end, name), bounds in zip(
                found.names(names, m).items(), (found.worst, found.best), strict=True
            )
        }
        if skewed[m]:
            fields["skewed"] = True
        ranges.append(
            ConfigurationRange(
                **fields,
                range=interval_of(*found.range[m], complete=whole),
                p=number(p_values[m]),
                claimed=bool(claimed[m]),
                examples=examples[m],
            )
        )
    return ranges


def _p_values(
    found: BestAndWorst, parts: Sequence[_Comparable], values: Floats, options: Options
) -> tuple[Floats, Booleans]:
    """Of the paired test of best and worst, by Bonferroni's over all pairs; and which are skewed, (models,).

    The largest difference need not have the smallest p-value, so that this is at least Bonferroni's.
    """
    rows, count = np.arange(len(values)), (~np.isnan(values)).sum(axis=1)
    if not values.shape[1]:
        return np.full(len(values), np.nan), np.zeros(len(values), dtype=bool)
    best, worst = found.best_index, found.worst_index
    ranges = [part.cube.scores[rows, best] - part.cube.scores[rows, worst] for part in parts]
    wholes = [part.whole for part in parts]
    test = difference_test(
        [PairValues(cube.dataset, own, cube.clusters) for cube, own in zip(wholes, ranges, strict=True)],
        options,
    )
    corrected = np.minimum(1.0, test.p_values * (count * (count - 1) // 2))
    return np.where(count < 2, np.nan, corrected), test.skewed


def _range_rows(result: Mapping[str, ConfigurationRanges]) -> Iterator[Row]:
    for model, found in result.items():
        for dataset, own in found.places().items():
            if own:
                shared = (own.examples.shared, own.examples.of) if own.examples else (None, None)
                for end, extreme in (("worst", own.worst), ("best", own.best)):
                    cells = *interval_cells(extreme), None, None
                    yield model, dataset, end, extreme.config, *cells, *shared
                cells = *interval_cells(own.range), own.p, own.skewed
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
            ("model", "dataset", "end", "config", *INTERVAL, "p", "skewed", "examples", "of_examples"),
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


class OwnConfigurationScoresFigure(Figure[ConfigurationScores]):
    """The same over all examples that a configuration has, as in the paper, where that is not the same."""

    key = "configurations_own_cells"
    tables = (
        FigureTable(
            "configurations_own_cells",
            ("dataset", "config", "model", "score"),
            rows_of(),
            "mean score of each model in each configuration, each over its own examples",
        ),
    )

    def compute(self, study: StudyScores) -> ConfigurationScores | None:
        """Compute the means where some configuration lacks an example that another has."""
        if all(comparable_configurations(cube) is cube for cube in study.cubes):
            return None
        return configuration_scores(study.cubes, lambda cube: cube)


class ConfigurationPairsFigure(Figure[LevelPairs]):
    """Configurations pair by pair, where a model has under half of its examples in all of them."""

    key = "configuration_pairs"
    tables = (pair_table("configuration"),)

    def compute(self, study: StudyScores) -> LevelPairs | None:
        """Compare them."""
        return configuration_pairs(study.cubes, study.options) or None


CONFIGURATION_RANGE = ConfigurationRangeFigure()
CONFIGURATION_SCORES = ConfigurationScoresFigure()
OWN_CONFIGURATION_SCORES = OwnConfigurationScoresFigure()
CONFIGURATION_PAIRS = ConfigurationPairsFigure()
