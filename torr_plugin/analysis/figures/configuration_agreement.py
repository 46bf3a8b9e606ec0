"""Agreement between configurations: W over the rankings that single configurations give (ToRR, Fig. 6a)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from ...core.seeds import generator
from ...core.statistics import Floats
from ..bootstrap import percentile_bounds
from ..charts.labels import ChartContext, NoChart
from ..charts.panels import DotLayout, dot_chart
from ..charts.vega import Spec
from ..complete import CompleteScores, common_scores, complete_scores, crossed, gap_notes
from ..cube import Cube, configuration_means
from ..estimates import ConfigurationSamples, configuration_samples
from ..figure import Figure, FigureChart, FigureTable
from ..number_format import format_interval, format_value
from ..options import Options
from ..rankings import centred_ranks, friedman_p_value, kendall_w
from ..result import OVERALL, FigureResult, number, rows_of
from ..shrinkage import crossed_draws, stabilised
from ..study import StudyScores

METHOD = (
    "value: Kendall's W, corrected for ties, over the rankings that single configurations give (overall: by"
    " the unweighted mean over data sets, in the configurations that all have), each by the answers that all"
    " models gave to the examples that all configurations were asked about; chance: W of random "
    "rankings, 1 over their number; p: Friedman's chi-squared; interval: of the W that endless examples "
    "would show, for these models and configurations; estimate: the median of its draws, the best guess of "
    "that W. Noise pulls the value down, and a plain bootstrap pulls it again; so the resampled means "
    "(tables within each data set, arcsine of the root) are shrunk, models and their interaction with "
    "configurations each to the spread that noise leaves it, with a draw of that spread a resample, and the"
    " quantiles are of their W. Estimate and interval belong together; where scores are noisy the value may"
    " lie below both. Over simulated studies of other models each the interval covers at its level; for one"
    " set of models, above all with near ties, it may cover more or less often, and it is too short where "
    "scores are almost all 0 or 1"
)


class ConfigurationW(FigureResult):
    """Kendall's W over the rankings that single configurations give.

    ``estimate``, ``low`` and ``high`` are of the W that endless examples would show; ``chance``: of random
    rankings; ``raters``: the configurations, and ``models`` and ``examples`` (a data set's mean, overall)
    that it is over: those that all of the configurations were asked about. ``own_cells``: ToRR's W, over
    every score that is there, where some are not. None where there is no W.
    """

    value: float | None
    estimate: float | None
    low: float | None
    high: float | None
    chance: float | None
    p: float | None = None
    raters: int
    models: int = 0
    examples: float = 0
    own_cells: float | None = None


class ConfigurationAgreement(FigureResult):
    """Data set or "overall" -> W; and the same with its interval and what it rests on."""

    configuration_agreement: dict[str, float | None] = {}
    configuration_agreement_intervals: dict[str, ConfigurationW] = {}


def single_configuration_w(means: Floats) -> Floats:
    """W over the rankings by each configuration's means.

    Args:
        means: (... x configurations x models), without NaN.

    Returns:
        (...); NaN with fewer than two configurations or models, and where all rankings tie all models.
    """
    if min(means.shape[-2:]) < 2:
        return np.full(means.shape[:-2], np.nan)
    return kendall_w(centred_ranks(means))


def w_without_noise(
    values: Floats, samples: Floats, rng: np.random.Generator, level: float
) -> tuple[float, float, float]:
    """The W that endless examples would show, with its interval; see :data:`METHOD`.

    Args:
        values: means, (configurations x models), in [0, 1].
        samples: resampled, (resamples x configurations x models); overwritten. Resamples with a NaN, in which
            a configuration held no score of a model, are left out.
        rng: draws the spreads.
        level: e.g. 0.95.

    Returns:
        The estimate and the bounds; NaN where no resample has a figure.
    """
    there = ~np.isnan(samples).any(axis=(1, 2))
    if not there.any():
        return float("nan"), float("nan"), float("nan")
    draws = crossed_draws(stabilised(values), stabilised(samples if there.all() else samples[there]), rng)
    found = single_configuration_w(draws)
    (median, _), (low, high) = percentile_bounds(found, 0.0), percentile_bounds(found, level)
    return float(median), float(low), float(high)


def configuration_agreement(study: StudyScores) -> dict[str, ConfigurationW]:
    """W of every data set and overall, with chance level, p-value and interval; configurations as given."""
    blocks = sorted((complete_scores(cube) for cube in study.cubes), key=lambda block: block.cube.dataset)
    shared = common_scores(blocks)
    size = len(shared[0].configurations), len(shared[0].models)
    means, total = np.zeros(size), np.zeros((study.options.resamples, *size))
    found: dict[str, ConfigurationW] = {}
    for block, part in zip(blocks, shared, strict=True):
        known = _samples(block, study)
        own, drawn = _means(block.cube, known)
        of_part = (own, drawn) if part is block.cube else _means(part, known)
        means += of_part[0]
        total += of_part[1]
        found[part.dataset] = _dataset_w(part.dataset, own, drawn, [block.cube], study.options)
    if len(blocks) == 1:
        overall = found[shared[0].dataset]
    else:
        overall = _dataset_w(OVERALL, means / len(blocks), total / len(blocks), shared, study.options)
    return {
        **{cube.dataset: _with_own_cells(found[cube.dataset], [cube]) for cube in study.cubes},
        OVERALL: _with_own_cells(overall, study.cubes),
    }


def _with_own_cells(found: ConfigurationW, cubes: Sequence[Cube]) -> ConfigurationW:
    """With W over every score of the models and configurations that meet, where cells are missing."""
    if not any(np.isnan(cube.scores).any() for cube in cubes):
        return found
    means = np.mean([configuration_means(cube.scores).T for cube in crossed(cubes).cubes], axis=0)
    return found.model_copy(update={"own_cells": number(float(single_configuration_w(means)))})


def _samples(block: CompleteScores, study: StudyScores) -> ConfigurationSamples:
    """Those of the study, if they are of the same examples."""
    if block.is_whole:
        return study.configuration_samples[block.cube.dataset]
    return configuration_samples([block.cube], study.options)[block.cube.dataset]


def _means(cube: Cube, known: ConfigurationSamples) -> tuple[Floats, Floats]:
    """The means (configurations x models) and their resamples (resamples x configurations x models)."""
    samples = known.among(cube.models, cube.configurations)
    return configuration_means(cube.scores).T, samples.transpose(2, 1, 0).copy()


def _dataset_w(
    name: str, means: Floats, samples: Floats, cubes: Sequence[Cube], options: Options
) -> ConfigurationW:
    configurations, models = means.shape
    value = float(single_configuration_w(means))
    estimate = low = high = float("nan")
    if not math.isnan(value):
        rng = generator(options.seed, "configuration agreement", name)
        estimate, low, high = w_without_noise(means, samples, rng, options.level)
    return ConfigurationW(
        value=number(value),
        estimate=number(estimate),
        low=number(low),
        high=number(high),
        chance=number(1 / configurations) if configurations > 1 else None,
        p=number(friedman_p_value(value, configurations, models)),
        raters=configurations,
        models=models,
        examples=sum(len(cube.examples) for cube in cubes) / len(cubes),
    )


_COLUMNS = ("value", "estimate", "low", "high", "chance", "raters", "models", "examples", "p")


def _chart(result: Mapping[str, ConfigurationW], context: ChartContext) -> Spec:
    """A row a data set and one overall, with the agreement that random rankings would show."""
    names = context.place_labels()
    rows = [
        {
            "row": label,
            "reference": own.chance,
            "value": own.value if own.estimate is None else own.estimate,
            "low": own.value if own.low is None else own.low,
            "high": own.value if own.high is None else own.high,
            "seen": own.value,
        }
        for name, label in names.items()
        if (own := result.get(name)) and own.value is not None
    ]
    if not rows:
        raise NoChart("there is one model or one configuration only")
    layout = DotLayout(rows=list(names.values()), x="Kendall's W over single configurations", domain=(0, 1))
    used = {
        name: (own.raters, own.examples) for name in context.settings.examples if (own := result.get(name))
    }
    lines = [
        f"{context.basis}{context.ranked_over(used)}. 1: every configuration ranks the models alike; "
        "dashed: random rankings",
        f"Hollow: W of these scores. Filled, with lines: {context.without_noise('W')}",
    ]
    return dot_chart(rows, layout, "Agreement of single configurations on the ranking of models", lines)


class ConfigurationAgreementFigure(Figure[ConfigurationAgreement]):
    """Kendall's W over the rankings that single configurations give."""

    key = "configuration_agreement"
    spread = ConfigurationAgreement
    tables = (
        FigureTable(
            "configuration_agreement",
            ("dataset", *_COLUMNS),
            rows_of(*_COLUMNS),
            "agreement of single configurations on the ranking (Kendall's W)",
            lambda result: result.configuration_agreement_intervals,
        ),
    )
    charts = (
        FigureChart(
            "configuration_agreement",
            _chart,
            "Fig. 6a",
            part=lambda result: result.configuration_agreement_intervals,
        ),
    )

    def compute(self, study: StudyScores) -> ConfigurationAgreement:
        """Compute W, with and without its interval."""
        found = configuration_agreement(study)
        return ConfigurationAgreement(
            configuration_agreement={name: own.value for name, own in found.items()},
            configuration_agreement_intervals=found,
        )

    def notes(self, study: StudyScores, result: ConfigurationAgreement | None) -> list[str]:
        """Rankings that are smaller than the study, or do not exist."""
        notes = gap_notes([complete_scores(cube) for cube in study.cubes])
        found = result.configuration_agreement_intervals if result else {}
        tied = [name for name, own in found.items() if own.value is None and min(own.raters, own.models) > 1]
        if tied:
            notes.append(f"every configuration ties all models on {', '.join(tied)}: no ranking, and so no W")
        return notes

    def lines(self, result: ConfigurationAgreement) -> list[str]:
        """W of the means over data sets, and of endless examples."""
        found = result.configuration_agreement_intervals[OVERALL]
        if found.value is None:
            return []
        line = (
            f"agreement of single configurations (Kendall's W): {format_value(found.value)}, "
            f"by chance {format_value(found.chance)}"
        )
        if found.estimate is None:
            return [line]
        # the interval is of the estimate: the value of the scores may lie beside it
        estimate = format_interval(found.estimate, found.low, found.high)
        return [line, f"the same, had each data set endless examples: {estimate}"]


CONFIGURATION_AGREEMENT = ConfigurationAgreementFigure()
