"""Serializers: scores, win rates, range, choice and deviations (ToRR, Table 5, Fig. 10 and 11)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from ..charts.heat import HeatLayout, heat_map
from ..charts.labels import ChartContext, NoChart, bounds_row
from ..charts.panels import DotLayout, dot_chart, panel_labels
from ..charts.vega import SEQUENTIAL, ChartRow, Spec
from ..cube import Cube, by_factor, lacking_models
from ..estimates import resampled
from ..extremes import best_and_worst
from ..figure import Figure, FigureChart, FigureTable, Row
from ..options import Options
from ..result import INTERVAL, FigureResult, Interval, interval_cells, interval_fields
from ..statistics import example_means, mean_over_examples
from ..study import StudyScores
from .factor_scores import (
    Deviations,
    LevelScores,
    WinRates,
    deviation_table,
    deviations,
    level_scores,
    score_table,
    unnamed,
    win_rate_chart,
    win_rate_chart_by,
    win_rate_table,
    win_rates,
)
from .serializer_choice import SerializerChoice, choice_rows, serializer_choice


class SerializerRange(Interval):
    """A model's best serializer less its worst, and which they are."""

    best: str | None = None
    worst: str | None = None


class Serializers(FigureResult):
    """Figures of serializers.

    ``range``: model -> data set -> best less worst; ``choice``: model -> its serializers, best first;
    ``deviations``: data set or "overall" -> how far each lies from the mean over them.
    """

    scores: LevelScores
    win_rates: WinRates | None = None
    range: dict[str, dict[str, SerializerRange]] = {}
    choice: dict[str, SerializerChoice] = {}
    deviations: dict[str, Deviations] = {}


def serializer_range(cubes: Sequence[Cube], options: Options) -> dict[str, dict[str, SerializerRange]]:
    """The difference between the best and the worst serializer, each a mean over its configurations.

    Values are those of the data, intervals allow for the choice of the best and the worst, see
    :mod:`.extremes`. Of equal serializers the first by name is taken.

    Args:
        cubes: of all data sets.
        options: resamples, level and seed are used; configurations are taken as given.

    Returns:
        model -> data set -> range, without the data sets that have one serializer, or whose scores do not say
        them; empty if all are so.
    """
    found: dict[str, dict[str, SerializerRange]] = {model: {} for model in cubes[0].models}
    for cube in cubes:
        for model, figure in _dataset_range(cube, options).items():
            found[model][cube.dataset] = figure
    return found if any(found.values()) else {}


def _dataset_range(cube: Cube, options: Options) -> dict[str, SerializerRange]:
    groups = by_factor(cube, "serializer")
    if len(groups) < 2:
        return {}
    names = sorted(groups)
    means = np.stack([example_means(groups[name].scores) for name in names], axis=1)
    samples = resampled(means, cube, options)
    ends = best_and_worst(mean_over_examples(means), samples, options.level)
    lacks = lacking_models(cube)
    return {
        model: SerializerRange(
            **interval_fields(*ends.range[m], complete=not lacks[m]), **ends.names(names, m)
        )
        for m, model in enumerate(cube.models)
    }


def _range_rows(result: Mapping[str, Mapping[str, SerializerRange]]) -> Iterator[Row]:
    for model, datasets in result.items():
        for dataset, own in datasets.items():
            yield model, dataset, *interval_cells(own), own.best, own.worst


MOST_CELLS = 300
"""Of a heat map; texts take long to draw, and more of them nobody reads."""

_WIDTH = 105
_TITLE = "Best less worst serializer, per model and data set"


def _range_chart(result: Mapping[str, Mapping[str, SerializerRange]], context: ChartContext) -> Spec:
    """A row a model, a column a data set."""
    models, datasets = context.model_labels(), context.dataset_labels()
    rows = [
        {"row": label, "column": datasets[dataset], **figure}
        for model, label in models.items()
        for dataset, own in result.get(model, {}).items()
        if dataset in datasets and (figure := bounds_row(own))
    ]
    if not rows:
        raise NoChart("there is one serializer only")
    if len(rows) > MOST_CELLS:
        return _range_panels(rows, context)
    top = max(row["value"] for row in rows) or 1.0
    layout = HeatLayout(
        list(models.values()),
        list(datasets.values()),
        "range of scores",
        SEQUENTIAL,
        (0.0, top),
        (0.55 * top, 2.0),
    )
    lines = [_meaning(context), context.intervals.replace("Lines", "Small figures")]
    return heat_map(rows, layout, _TITLE, lines)


def _range_panels(rows: Sequence[ChartRow], context: ChartContext) -> Spec:
    """The same for many models: a panel a data set, a row a model."""
    names = context.dataset_labels(panel_labels(_WIDTH))
    shorter = dict(zip(context.dataset_labels().values(), names.values(), strict=True))
    layout = DotLayout(
        rows=list(context.model_labels().values()),
        panels=list(names.values()),
        x="range of scores",
        width=_WIDTH,
    )
    placed = [{**row, "panel": shorter[row["column"]]} for row in rows]
    return dot_chart(placed, layout, _TITLE, [_meaning(context), context.intervals])


def _meaning(context: ChartContext) -> str:
    picked = "The mean score with the best serializer less that with the worst, both picked on these scores"
    return f"{context.basis}. {picked}"


class SerializersFigure(Figure[Serializers]):
    """Scores by serializer."""

    key = "serializers"
    tables = (
        score_table("serializer", "mean score of each model with each serializer"),
        win_rate_table("serializer"),
        FigureTable(
            "choice",
            (
                "model",
                "dataset",
                "serializer",
                *INTERVAL,
                *("behind", "behind_low", "behind_high", "p", "worse"),
            ),
            choice_rows,
            "which serializer to use for a model, and which are worse than its best",
            lambda result: result.choice,
        ),
        FigureTable(
            "serializer_range",
            ("model", "dataset", *INTERVAL, "best", "worst"),
            _range_rows,
            "best less worst serializer",
            lambda result: result.range,
        ),
        deviation_table(
            "serializer", "how far each model's mean with a serializer lies from its mean over all"
        ),
    )
    charts = (
        win_rate_chart("serializer"),
        win_rate_chart_by("serializer", "models", "Win rates of serializers per model", "Fig. 10"),
        win_rate_chart_by("serializer", "datasets", "Win rates of serializers per data set", "Fig. 11"),
        FigureChart(
            "serializer_range", _range_chart, "Table 5", unnamed("serializer"), lambda result: result.range
        ),
    )

    def compute(self, study: StudyScores) -> Serializers | None:
        """Compute all of it, where the scores say the serializer of every configuration."""
        cubes, options = study.cubes, study.options
        scores = level_scores(cubes, "serializer", options)
        if not scores:
            return None
        return Serializers(
            scores=scores,
            win_rates=win_rates(cubes, "serializer", options),
            range=serializer_range(cubes, options),
            choice=serializer_choice(cubes, options),
            deviations=deviations(cubes, "serializer", options),
        )


SERIALIZERS = SerializersFigure()
