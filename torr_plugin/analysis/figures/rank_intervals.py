"""Rank intervals: which places a model may take by performance."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ..charts.labels import ChartContext, require_several
from ..charts.panels import DotLayout, dot_chart
from ..charts.vega import Spec
from ..estimates import Estimate
from ..figure import Figure, FigureChart, FigureTable, Row
from ..result import FigureResult, nested_rows
from ..statistics import rank_intervals
from ..study import StudyScores

Places = tuple[int, int] | None


class RankIntervals(FigureResult):
    """Model -> its first and last place, None for a model without a figure; also data set -> the same."""

    rank_intervals: dict[str, Places]
    rank_intervals_datasets: dict[str, dict[str, Places]] = {}


def model_places(models: Sequence[str], estimate: Estimate, level: float) -> dict[str, Places]:
    """Model -> the places that it takes in resamples; None without a figure or any resample that ranks."""
    ranked = [int(model) for model in np.flatnonzero(~np.isnan(estimate.values))]
    samples = estimate.samples[ranked]
    samples = samples[:, ~np.isnan(samples).any(axis=0)]
    found: dict[str, Places] = dict.fromkeys(models)
    if not samples.size:
        return found
    bounds = rank_intervals(samples, level)
    for model, (low, high) in zip(ranked, bounds, strict=True):
        found[models[model]] = int(low), int(high)
    return found


def _rows(result: Mapping[str, Any]) -> Iterator[Row]:
    return nested_rows(result, lambda places: places or (None, None))


def _chart(result: RankIntervals, context: ChartContext) -> Spec:
    """A row a model: its place by performance, and the places that resampled examples give it."""
    models = context.model_labels()
    require_several(models, "model")
    rows = [
        {"row": label, "value": place, "low": ranks[0], "high": ranks[1]}
        for place, (model, label) in enumerate(models.items(), 1)
        if (ranks := result.rank_intervals[model])
    ]
    layout = DotLayout(
        rows=list(models.values()),
        x="rank by performance, 1 the best",
        domain=(0.5, len(models) + 0.5),
        ticks=_ticks(len(models)),
    )
    return dot_chart(rows, layout, "Rank of each model", [context.basis, context.intervals])


def _ticks(places: int) -> list[int]:
    """The first place and every fifth, or so many that they can be read; all of few."""
    step = 1 if places <= 20 else 5 * -(-places // 100)
    return sorted({1, *range(step, places + 1, step)})


class RankIntervalsFigure(Figure[RankIntervals]):
    """The places that models may take, over all data sets and on each."""

    key = "rank_intervals"
    spread = RankIntervals
    required = True
    tables = (
        FigureTable(
            "rank_intervals",
            ("model", "low", "high"),
            _rows,
            "places that a model may take",
            lambda result: result.rank_intervals,
        ),
        FigureTable(
            "rank_intervals_datasets",
            ("dataset", "model", "low", "high"),
            _rows,
            "places that a model may take on each data set",
            lambda result: result.rank_intervals_datasets,
        ),
    )
    charts = (FigureChart("rank_intervals", _chart),)

    def compute(self, study: StudyScores) -> RankIntervals:
        """Compute the places."""
        per_dataset, overall = study.estimates
        level = study.options.level
        datasets = {
            cube.dataset: model_places(cube.models, found["performance"], level)
            for cube, found in zip(study.cubes, per_dataset, strict=True)
        }
        return RankIntervals(
            rank_intervals=model_places(study.models, overall["performance"], level),
            rank_intervals_datasets=datasets,
        )


RANK_INTERVALS = RankIntervalsFigure()
