"""Ranks by performance: which each model may have, all of them at once, and the tiers that follow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...core.statistics import ROUNDING
from ..charts.labels import ChartContext, require_several
from ..charts.panels import DotLayout, dot_chart
from ..charts.vega import Spec
from ..estimates import Estimate
from ..figure import Figure, FigureChart, FigureTable, Row
from ..paired_scores import ModelTests
from ..result import ByDataset, FigureResult, nested_rows
from ..simultaneous_ranks import rank_bounds, separated, tiers
from ..study import StudyScores

METHOD: dict[str, str] = {
    "rank_intervals": (
        "the ranks by performance that each model may have, all models at once: a rank below all models that "
        "are better and above all that are worse, by paired tests of all pairs whose largest statistic is "
        "compared with its resamples (max-t, step-down; Mogstad et al. 2024)"
    ),
    "tiers": (
        "models in the order of their ranking; a new tier begins with the first model that is worse than the "
        "tier's best by the same tests, so two neighbours in different tiers need not differ"
    ),
}

Ranks = tuple[int, int] | None


class RankIntervals(FigureResult):
    """Model -> its first and last rank, None for a model without a figure; also data set -> the same.

    ``tiers``: the names of the models of each tier, the best first; models without a figure are in none.
    """

    rank_intervals: dict[str, Ranks]
    rank_intervals_datasets: dict[str, dict[str, Ranks]] = {}
    tiers: ByDataset[list[list[str]]] | None = None


@dataclass(frozen=True)
class Ranking:
    """The ranks that models may have, and their tiers, in one place."""

    ranks: dict[str, Ranks]
    tiers: list[list[str]]


def ranking(models: Sequence[str], estimate: Estimate, tests: ModelTests, level: float) -> Ranking:
    """Rank the models that have a figure.

    Args:
        models: their names.
        estimate: of a figure, with resamples that models share.
        tests: of the same figure.
        level: the probability that all ranks hold.
    """
    known = tests.known
    names = [name for name, there in zip(models, known, strict=True) if there]
    better = separated(tests.test, estimate.samples[known], level)
    ranks: dict[str, Ranks] = dict.fromkeys(models)
    for name, (low, high) in zip(names, rank_bounds(better), strict=True):
        ranks[name] = int(low), int(high)
    ordered = np.argsort(-np.round(estimate.values[known], ROUNDING), kind="stable")
    return Ranking(ranks, [[names[one] for one in tier] for tier in tiers(ordered.tolist(), better)])


def _rows(result: Mapping[str, Any]) -> Iterator[Row]:
    return nested_rows(result, lambda ranks: ranks or (None, None))


def _tier_rows(result: ByDataset[list[list[str]]]) -> Iterator[Row]:
    for dataset, found in result.places().items():
        for tier, models in enumerate(found, 1):
            for model in models:
                yield dataset, tier, model


def _chart(result: RankIntervals, context: ChartContext) -> Spec:
    """A row a model: its rank by performance, and the ranks that it may have."""
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
    lines = [
        context.basis,
        f"Lines: simultaneous {context.level} intervals, which hold for all models at once",
    ]
    return dot_chart(rows, layout, "Rank of each model", lines)


def _ticks(places: int) -> list[int]:
    """The first place and every fifth, or so many that they can be read; all of few."""
    step = 1 if places <= 20 else 5 * -(-places // 100)
    return sorted({1, *range(step, places + 1, step)})


class RankIntervalsFigure(Figure[RankIntervals]):
    """The ranks that models may have and their tiers, over all data sets and on each."""

    key = "rank_intervals"
    spread = RankIntervals
    required = True
    tables = (
        FigureTable(
            "rank_intervals",
            ("model", "low", "high"),
            _rows,
            "ranks that a model may have, all models at once",
            lambda result: result.rank_intervals,
        ),
        FigureTable(
            "rank_intervals_datasets",
            ("dataset", "model", "low", "high"),
            _rows,
            "ranks that a model may have on each data set",
            lambda result: result.rank_intervals_datasets,
        ),
        FigureTable(
            "tiers",
            ("dataset", "tier", "model"),
            _tier_rows,
            "the best model and the next ones, until a test separates one from it, then the same of the rest",
            lambda result: result.tiers,
        ),
    )
    charts = (FigureChart("rank_intervals", _chart),)

    def compute(self, study: StudyScores) -> RankIntervals:
        """Compute them."""
        per_dataset, overall = study.estimates
        estimates = [found["performance"] for found in (overall, *per_dataset)]
        together, *each = (
            ranking(study.models, estimate, tests, study.options.level)
            for estimate, tests in zip(estimates, study.pair_tests["performance"], strict=True)
        )
        datasets = {cube.dataset: found for cube, found in zip(study.cubes, each, strict=True)}
        return RankIntervals(
            rank_intervals=together.ranks,
            rank_intervals_datasets={name: found.ranks for name, found in datasets.items()},
            tiers=ByDataset[list[list[str]]](
                overall=together.tiers, datasets={name: found.tiers for name, found in datasets.items()}
            ),
        )


RANK_INTERVALS = RankIntervalsFigure()
