"""Serializers: scores, which is best, win rates (ToRR, Table 5, Fig. 10 and 11)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from ...core.statistics import Floats, mean_over_examples
from ..charts.heat import HeatLayout, heat_map
from ..charts.labels import ChartContext, NoChart, bounds_row
from ..charts.vega import SEQUENTIAL, Spec
from ..cube import Cube, by_factor, on_cells
from ..figure import Figure, FigureChart, FigureTable, Row
from ..frame import TOKENS
from ..result import INTERVAL, OVERALL, FigureResult, interval_cells, number, rows_of
from ..shared_examples import Factor, SharedExamples, comparable_levels
from ..study import StudyScores
from .compared_over import examples_table, over_shared
from .factor_cubes import (
    FactorCubes,
    comparison_notes,
    factor_cubes,
    level_means,
    rarely_asked_notes,
    widely_asked,
)
from .factor_scores import (
    LevelScores,
    OwnLevelScores,
    WinRates,
    at_designs,
    beside,
    design_notes,
    level_scores,
    score_table,
    unnamed,
    win_rate_table,
    win_rates,
)
from .level_verdicts import LEVEL_COLUMNS, Choice, Level, choice, level_rows

TokenMeans = dict[str, dict[str, dict[str, float | None]]]
"""Data set or "overall" -> model -> serializer -> mean tokens of a prompt; None where unknown."""


class Serializers(FigureResult):
    """Figures of serializers, on what lets them be compared.

    Without those that were asked on few of the examples (:func:`.widely_asked`). ``choice``: the serializers,
    best first, on average over models and of each; ``examples``: data set -> model -> how many these are
    over; ``own_cells``: of all serializers over their own scores, as in the paper, where that is not the
    same. ``at_design``: data set -> the one of its several designs that all of this is of;
    ``tokens``: data set or "overall" -> model -> serializer -> mean tokens of a prompt, where known.
    """

    scores: LevelScores
    win_rates: WinRates | None = None
    choice: Choice = Choice()
    examples: dict[str, dict[str, SharedExamples]] = {}
    own_cells: OwnLevelScores | None = None
    at_design: dict[str, str] = {}
    tokens: TokenMeans = {}

    def mean_tokens(self, place: str, names: Sequence[str]) -> dict[str, float]:
        """Serializer -> tokens of a mean prompt, on average over the models that know them of all of these.

        Empty where no model does.
        """
        known = [own for own in self.tokens.get(place, {}).values() if all(own.get(name) for name in names)]
        return {name: sum(own[name] or 0.0 for own in known) / len(known) for name in names if known}


def _ranges(result: Choice) -> Iterator[tuple[str, str, Level, Level]]:
    """Model, data set, its best and its worst format."""
    for model, found in result.models.items():
        for dataset, levels in found.datasets.items():
            if levels:
                yield model, dataset, levels[0], levels[-1]


def _range_rows(result: Choice) -> Iterator[Row]:
    for model, dataset, best, worst in _ranges(result):
        yield model, dataset, *interval_cells(worst.behind), best.name, worst.name


MOST_CELLS = 300
"""Of a heat map: texts take long to draw, and nobody reads more of them."""


def _range_chart(result: Choice, context: ChartContext) -> Spec:
    """A row a model, a column a data set."""
    models, datasets = context.model_labels(), context.dataset_labels()
    rows = [
        {"row": models[model], "column": datasets[dataset], **figure}
        for model, dataset, _, worst in _ranges(result)
        if model in models and dataset in datasets and (figure := bounds_row(worst.behind))
    ]
    if not rows:
        raise NoChart("there is one format only")
    if len(rows) > MOST_CELLS:
        raise NoChart(f"it would have more than {MOST_CELLS} cells")
    top = max(row["value"] for row in rows) or 1.0
    layout = HeatLayout(
        list(models.values()),
        list(datasets.values()),
        "range of scores",
        SEQUENTIAL,
        (0.0, top),
        (0.55 * top, 2.0),
    )
    picked = "The mean score with the best format less that with the worst, both picked on these scores"
    lines = [f"{context.basis}. {picked}", context.intervals.replace("Lines", "Small figures")]
    return heat_map(rows, layout, "Best less worst format, per model and data set", lines)


def _token_cubes(cubes: Sequence[Cube], rows: pd.DataFrame) -> list[Cube] | None:
    """The cubes with prompt tokens in place of scores; NaN where these are unknown, or there is no score.

    Args:
        cubes: of all data sets.
        rows: the scores that they are made of.

    Returns:
        None where no prompt's tokens are known.
    """
    if TOKENS not in rows or rows[TOKENS].isna().all():
        return None
    return [
        replace(cube, scores=np.where(np.isnan(cube.scores), np.nan, on_cells(cube, rows, rows[TOKENS])))
        for cube in cubes
    ]


def _level_tokens(cube: Cube, factor: Factor, names: Sequence[str]) -> Floats:
    """Mean tokens of the prompts of some levels over the examples that a model has of all of them.

    Args:
        cube: one of :func:`_token_cubes`.
        factor: whose levels they are.
        names: of the levels.

    Returns:
        (models x levels), in the order of ``names``; NaN where unknown.
    """
    groups = by_factor(comparable_levels(cube, factor, names), factor)
    found = np.full((len(cube.models), len(names)), np.nan)
    if groups:
        means = mean_over_examples(level_means(cube, groups)[0])
        found[:, [names.index(name) for name in sorted(groups)]] = means
    return found


def _token_means(family: FactorCubes, tokens: Sequence[Cube]) -> TokenMeans:
    """Mean tokens of a prompt in each level, over what the levels are compared on.

    Args:
        family: the levels.
        tokens: of each data set, in the order of the family's.

    Returns:
        "overall" is the unweighted mean over data sets, of the levels that all of them have.
    """
    own = [
        (cube.dataset, _level_tokens(known, family.factor, sorted(groups)), sorted(groups))
        for cube, known, groups in zip(family.cubes, tokens, family.datasets, strict=True)
    ]
    shared = sorted(family.shared)
    together = np.mean([_level_tokens(known, family.factor, shared) for known in tokens], axis=0)
    return {
        place: {
            model: {name: number(value) for name, value in zip(names, means[m], strict=True)}
            for m, model in enumerate(family.models)
        }
        for place, means, names in [(OVERALL, together, shared), *own]
    }


class SerializersFigure(Figure[Serializers]):
    """Scores by serializer."""

    key = "serializers"
    tables = (
        score_table("serializer", "mean score of each model with each format"),
        win_rate_table("serializer"),
        FigureTable(
            "choice",
            ("model", "dataset", "serializer", *LEVEL_COLUMNS),
            level_rows,
            "formats, best first, on average over models and of each, and which are worse than the best",
            lambda result: result.choice,
            over_shared("serializer"),
        ),
        FigureTable(
            "serializer_tokens",
            ("dataset", "model", "serializer", "prompt_tokens"),
            rows_of(),
            "mean tokens of a prompt with each format",
            lambda result: result.tokens,
            over_shared("serializer"),
        ),
        FigureTable(
            "serializer_range",
            ("model", "dataset", *INTERVAL, "best", "worst"),
            _range_rows,
            "best less worst format",
            lambda result: result.choice,
            over_shared("serializer"),
        ),
        examples_table("serializer"),
    )
    charts = (
        FigureChart(
            "serializer_range",
            _range_chart,
            "Table 5",
            unnamed("serializer"),
            lambda result: result.choice,
            over=over_shared("serializer"),
        ),
    )

    def compute(self, study: StudyScores) -> Serializers | None:
        """Compute all of it, where the scores say the serializer of every configuration."""
        options = study.options
        cubes = study.at_one_design("serializer")
        compared = factor_cubes([widely_asked(cube, "serializer") for cube in cubes], "serializer")
        if compared is None:
            return None
        tokens = _token_cubes(compared.cubes, study.rows)
        return Serializers(
            scores=level_scores(compared, options),
            win_rates=win_rates(compared, options),
            choice=choice(compared, options),
            tokens={} if tokens is None else _token_means(compared, tokens),
            **beside(compared, cubes, options),
            **at_designs(study, "serializer"),
        )

    def notes(self, study: StudyScores, result: Serializers | None) -> list[str]:
        """What a comparison of serializers leaves out."""
        cubes = study.at_one_design("serializer")
        return [
            *design_notes(study),
            *rarely_asked_notes(cubes),
            *comparison_notes([widely_asked(cube, "serializer") for cube in cubes], "serializer"),
        ]


SERIALIZERS = SerializersFigure()
