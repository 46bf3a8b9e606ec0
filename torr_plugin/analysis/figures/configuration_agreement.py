"""Agreement between configurations: W over the rankings that single configurations give (ToRR, Fig. 6a)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ...core.statistics import Floats
from ..charts.labels import ChartContext, NoChart
from ..charts.panels import DotLayout, dot_chart
from ..charts.vega import Spec
from ..complete import common_scores, complete_scores, gap_notes, without_gaps
from ..cube import Cube, common_configurations, configuration_means, selected
from ..figure import Figure, FigureChart, FigureTable
from ..number_format import format_value
from ..rankings import centred_ranks, friedman_p_value, kendall_w
from ..result import OVERALL, FigureResult, number, rows_of
from ..study import StudyScores

METHOD = (
    "value: Kendall's W, corrected for ties, over the rankings that single configurations give (overall: by"
    " the unweighted mean over data sets, in the configurations that all have), each by the answers that all"
    " models gave to the examples that all configurations were asked about; chance: W of random "
    "rankings, 1 over their number; p: Friedman's chi-squared"
)


class ConfigurationW(FigureResult):
    """Kendall's W over the rankings that single configurations give.

    ``chance``: of random rankings; ``raters``: the configurations, and ``models`` and ``examples`` (a data
    set's mean, overall) that it is over: those that all of the configurations were asked about.
    ``own_cells``: ToRR's W, over every score that is there, where some are not. None where there is no W.
    """

    value: float | None
    chance: float | None
    p: float | None = None
    raters: int
    models: int = 0
    examples: float = 0
    own_cells: float | None = None


class ConfigurationAgreement(FigureResult):
    """Data set or "overall" -> W; and the same with what it rests on."""

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


def configuration_agreement(study: StudyScores) -> dict[str, ConfigurationW]:
    """W of every data set and overall, with chance level and p-value; configurations as given."""
    blocks = sorted((complete_scores(cube) for cube in study.cubes), key=lambda block: block.cube.dataset)
    shared = common_scores(blocks)
    return {
        **{
            block.cube.dataset: _with_own_cells(_w([block.cube]), [cube])
            for block in blocks
            for cube in study.cubes
            if cube.dataset == block.cube.dataset
        },
        OVERALL: _with_own_cells(_w(shared), study.cubes),
    }


def _with_own_cells(found: ConfigurationW, cubes: Sequence[Cube]) -> ConfigurationW:
    """With W over every score of the models and configurations that meet, where cells are missing."""
    if not any(np.isnan(cube.scores).any() for cube in cubes):
        return found
    shared = common_configurations(cubes)
    scores = [selected(cube, shared).scores for cube in cubes]
    rows, columns = without_gaps(np.all([~np.isnan(each).all(axis=2) for each in scores], axis=0))
    means = np.mean([configuration_means(each[rows][:, columns]).T for each in scores], axis=0)
    return found.model_copy(update={"own_cells": number(float(single_configuration_w(means)))})


def _w(cubes: Sequence[Cube]) -> ConfigurationW:
    """Of the mean over data sets."""
    means = np.mean([configuration_means(cube.scores).T for cube in cubes], axis=0)
    configurations, models = means.shape
    value = float(single_configuration_w(means))
    return ConfigurationW(
        value=number(value),
        chance=number(1 / configurations) if configurations > 1 else None,
        p=number(friedman_p_value(value, configurations, models)),
        raters=configurations,
        models=models,
        examples=sum(len(cube.examples) for cube in cubes) / len(cubes),
    )


_COLUMNS = ("value", "chance", "raters", "models", "examples", "p")


def _chart(result: Mapping[str, ConfigurationW], context: ChartContext) -> Spec:
    """A row a data set and one overall, with the agreement that random rankings would show."""
    names = context.place_labels()
    rows = [
        {
            "row": label,
            "reference": own.chance,
            "value": own.value,
            "low": own.value,
            "high": own.value,
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
        """Compute W."""
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
        """W of the means over data sets."""
        found = result.configuration_agreement_intervals[OVERALL]
        if found.value is None:
            return []
        return [
            f"agreement of single configurations (Kendall's W): {format_value(found.value)}, "
            f"by chance {format_value(found.chance)}"
        ]


CONFIGURATION_AGREEMENT = ConfigurationAgreementFigure()
