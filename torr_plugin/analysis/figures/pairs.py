"""Which models differ: every pair, the shares of pairs that differ, and the ranks and groups that follow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
from pydantic import model_validator

from ...core.errors import counted
from ...core.statistics import ROUNDING, Booleans, Floats
from ..charts.labels import ChartContext, NoChart
from ..charts.panels import DotLayout, dot_chart
from ..charts.vega import Spec
from ..compare import METHOD, ComparedPairs, groups, pair_place, rank_bounds
from ..estimates import Estimate
from ..figure import Figure, FigureChart, FigureTable, Row
from ..result import (
    OVERALL,
    VERDICT,
    ByDataset,
    FigureResult,
    Verdict,
    nested_rows,
    number,
    rows_of,
    verdict_cells,
    verdict_rows,
)
from ..study import COMPARED, StudyScores

MOST = 40
"""Models of which every pair is given whole; of more, each with its ``NEXT`` in the ranking."""

NEXT = 5
"""Of more than ``MOST`` models, how many that rank next each is given with whole."""

PairDifferences = ByDataset[Verdict]
"""A pair's difference over all data sets and on each."""


class ModelPair(FigureResult):
    """Two models, the one that ranks before the other first."""

    models: tuple[str, str]
    performance: PairDifferences
    robustness: PairDifferences
    robustness_5: PairDifferences | None = None

    def of(self, figure: str) -> PairDifferences | None:
        """The differences in one of ``COMPARED``; None of one that the study lacks."""
        found: PairDifferences | None = getattr(self, figure)
        return found


class EveryPair(FigureResult):
    """Overall performance of every pair of many models, in columns, which take little room.

    Of the models at the places i < j of ``models``, n in number, the first less the second stands at
    i (2n - i - 1) / 2 + j - i - 1 of each column. ``few`` and ``examples`` are empty where no pair has any.
    """

    models: list[str]
    value: list[float | None]
    low: list[float | None]
    high: list[float | None]
    p: list[float | None]
    few: list[bool] = []
    examples: list[int | None] = []

    @model_validator(mode="after")
    def _has_all(self) -> EveryPair:
        pairs = len(self.models) * (len(self.models) - 1) // 2
        for name in ("value", "low", "high", "p", "few", "examples"):
            found = len(getattr(self, name))
            if found != pairs and (found or name not in ("few", "examples")):
                raise ValueError(f"{name}: found {found:,} entries; expected one for each of {pairs:,} pairs")
        return self

    @cached_property
    def _places(self) -> dict[str, int]:
        return {model: place for place, model in enumerate(self.models)}

    def of(self, one: str, other: str) -> Verdict | None:
        """The first less the second; None where the first does not rank before it."""
        first, second = self._places.get(one), self._places.get(other)
        if first is None or second is None or first >= second:
            return None
        return self._verdict(pair_place(len(self.models), first, second))

    def verdicts(self) -> Iterator[tuple[tuple[str, str], Verdict]]:
        """The models of every pair, and the verdict on them."""
        for at, models in enumerate(combinations(self.models, 2)):
            yield models, self._verdict(at)

    def _verdict(self, at: int) -> Verdict:
        low, high = self.low[at], self.high[at]
        examples = self.examples[at] if self.examples else None
        return Verdict(
            value=self.value[at],
            low=low,
            high=high,
            complete=examples is None,
            p=self.p[at],
            differs=low is not None and high is not None and (low > 0 or high < 0),
            few=bool(self.few and self.few[at]),
            examples=examples,
        )


class ModelPairs(FigureResult):
    """Pairs of models with all that is compared; ``every_pair`` is given of more than ``MOST`` models."""

    pairs: list[ModelPair]
    every_pair: EveryPair | None = None

    def overall(self, one: str, other: str) -> Verdict | None:
        """Overall performance, the first less the second; None where the first does not rank before it."""
        if self.every_pair is not None:
            return self.every_pair.of(one, other)
        found = (pair.performance.overall for pair in self.pairs if pair.models == (one, other))
        return next(found, None)


def every_pair(study: StudyScores) -> EveryPair:
    """Overall performance of all pairs."""
    estimate, pairs = study.estimates[1]["performance"], study.model_pairs["performance"][0]
    complete = np.broadcast_to(estimate.complete, estimate.values.shape)
    ranked = _ranking(estimate.values)
    verdicts = (_verdict(pairs, first, second, complete) for first, second in combinations(ranked, 2))
    value, low, high, p, few, examples = map(
        list, zip(*((v.value, v.low, v.high, v.p, v.few, v.examples) for v in verdicts), strict=True)
    )
    marks: dict[str, Any] = {"few": few} if any(few) else {}
    if any(number is not None for number in examples):
        marks["examples"] = examples
    models = [study.models[model] for model in ranked]
    return EveryPair(models=models, value=value, low=low, high=high, p=p, **marks)


def model_pairs(study: StudyScores) -> list[ModelPair]:
    """The differences between models, overall and per data set, in the order of the ranking by performance.

    Of more than ``MOST`` models each stands with its ``NEXT`` in the ranking alone; the verdict is that among
    all pairs anyhow.
    """
    # a study of fewer configurations than that has no robustness over 5 of them
    given = [
        name
        for name in COMPARED
        if name != "robustness_5" or any(one.known.any() for one in study.model_pairs[name])
    ]
    places = [OVERALL, *(cube.dataset for cube in study.cubes)]
    per_dataset, overall = study.estimates
    listed = list(_listed(_ranking(overall["performance"].values)))
    found: dict[str, list[dict[str, Verdict]]] = {name: [{} for _ in listed] for name in given}
    for name in given:
        estimates = [overall[name], *(own[name] for own in per_dataset)]
        for place, estimate, pairs in zip(places, estimates, study.model_pairs[name], strict=True):
            complete = np.broadcast_to(estimate.complete, estimate.values.shape)
            for own, (first, second) in zip(found[name], listed, strict=True):
                own[place] = _verdict(pairs, first, second, complete)
    return [
        ModelPair(
            models=(study.models[first], study.models[second]),
            **{
                name: PairDifferences(overall=own[at].pop(OVERALL), datasets=own[at])
                for name, own in found.items()
            },
        )
        for at, (first, second) in enumerate(listed)
    ]


def _verdict(pairs: ComparedPairs, first: int, second: int, complete: Booleans) -> Verdict:
    """On two models, the first less the second."""
    at = pairs.at(first, second)
    if at is None:
        return Verdict(value=None, low=None, high=None)
    whole = bool(complete[first] and complete[second])
    return pairs.verdicts.verdict(at, complete=whole, swapped=first > second)


def _ranking(performance: Floats) -> list[int]:
    """Places in the array, the best first, then in the study's order; those without a figure last."""
    return [int(model) for model in np.argsort(-np.round(performance, ROUNDING), kind="stable")]


def _listed(ranked: Sequence[int]) -> Iterator[tuple[int, int]]:
    """The pairs that are given whole."""
    reach = len(ranked) if len(ranked) <= MOST else NEXT
    for place, first in enumerate(ranked):
        for second in ranked[place + 1 : place + 1 + reach]:
            yield first, second


def _pair_rows(result: ModelPairs) -> Iterator[Row]:
    for pair in result.pairs:
        for name in COMPARED:
            for dataset, *cells in verdict_rows(pair.of(name) or {}):
                yield name, dataset, *pair.models, *cells
    if result.every_pair is not None:
        whole = {pair.models for pair in result.pairs}
        for models, verdict in result.every_pair.verdicts():
            if models not in whole:
                yield "performance", OVERALL, *models, *verdict_cells(verdict)


class PairsFigure(Figure[ModelPairs]):
    """Every pair of models."""

    key = "pairs"
    spread = ModelPairs
    tables = (
        FigureTable(
            "pairs",
            ("figure", "dataset", "model", "other", *VERDICT),
            _pair_rows,
            "pairs of models: difference, simultaneous interval, and whether they differ; of more than "
            f"{MOST} models, robustness and single data sets of each with the {NEXT} that rank next alone",
        ),
    )

    def compute(self, study: StudyScores) -> ModelPairs:
        """Compute the differences."""
        if len(study.models) <= MOST:
            return ModelPairs(pairs=model_pairs(study))
        return ModelPairs(pairs=model_pairs(study), every_pair=every_pair(study))

    def notes(self, study: StudyScores, result: ModelPairs | None) -> list[str]:
        """What is left out where there are many models."""
        models = len(study.models)
        if models <= MOST:
            return []
        given, every = sum(1 for _ in _listed(range(models))), models * (models - 1) // 2
        return [
            f"pairs: overall performance is given of all {every:,} pairs of the {models} models; robustness "
            f"and single data sets of each model with the {NEXT} next in the ranking ({given:,} pairs), also "
            "corrected for all pairs"
        ]


SHARES: dict[str, str] = {
    "value": "share of model pairs whose performance intervals do not overlap (intervals that touch overlap)",
    "paired": f"share of model pairs that differ in performance: {METHOD}",
}


def separable(low: Floats, high: Floats) -> Booleans:
    """Which pairs of models have intervals that do not overlap (ToRR, Fig. 4).

    Args:
        low: lower bounds, (models,).
        high: upper bounds, (models,).

    Returns:
        (models x models), symmetric; False where a bound is NaN.
    """
    apart: Booleans = low[:, None] > high[None, :]
    either: Booleans = np.logical_or(apart, apart.T)
    return either


class PairShares(FigureResult):
    """Shares of the pairs of models that differ, see ``SHARES``, and how many pairs there are."""

    value: float | None
    paired: float | None
    pairs: int


class Separability(ByDataset[PairShares]):
    """The shares of pairs over all data sets and on each."""

    method: dict[str, str]


def _shares(pairs: ComparedPairs, performance: Estimate, level: float) -> PairShares:
    if not len(pairs.first):
        return PairShares(value=None, paired=None, pairs=0)
    apart = separable(*performance.bounds(level))[pairs.first, pairs.second]
    return PairShares(
        value=number(apart.mean()), paired=number(pairs.verdicts.differs.mean()), pairs=len(pairs.first)
    )


_SERIES = {"value": "intervals apart", "paired": "paired differences"}


def _shares_chart(result: Separability, context: ChartContext) -> Spec:
    """A row a data set and one for all together, by both criteria."""
    datasets = context.place_labels()
    rows = [
        {"row": label, "series": series, "value": share, "low": share, "high": share}
        for dataset, label in datasets.items()
        for key, series in _SERIES.items()
        if (share := getattr(result.datasets.get(dataset, result.overall), key)) is not None
    ]
    if not rows:
        raise NoChart("there is one model only")
    layout = DotLayout(
        rows=list(datasets.values()),
        series=list(_SERIES.values()),
        x="share of separable model pairs",
        domain=(0, 1),
        format="~%",
        step=11,
    )
    lines = [
        f"{context.basis}; {result.overall.pairs:,} pairs. Intervals apart: the "
        f"{context.level} intervals of performance do not overlap."
    ]
    title = "Separability: the share of model pairs that a data set separates"
    return dot_chart(rows, layout, title, lines)


class SeparabilityFigure(Figure[Separability]):
    """Shares of pairs of models that differ."""

    key = "separability"
    required = True
    tables = (
        FigureTable(
            "separability",
            ("dataset", "value", "paired", "pairs"),
            rows_of("value", "paired", "pairs"),
            "shares of model pairs that are told apart",
        ),
    )
    charts = (FigureChart("separability", _shares_chart, "Fig. 4"),)

    def compute(self, study: StudyScores) -> Separability:
        """Compute the shares."""
        per_dataset, overall = study.estimates
        estimates = [own["performance"] for own in (overall, *per_dataset)]
        together, *each = (
            _shares(pairs, own, study.options.level)
            for pairs, own in zip(study.model_pairs["performance"], estimates, strict=True)
        )
        datasets = {cube.dataset: own for cube, own in zip(study.cubes, each, strict=True)}
        return Separability(overall=together, datasets=datasets, method=SHARES)

    def lines(self, result: Separability) -> list[str]:
        """The share over all data sets."""
        found = result.overall
        if not found.pairs or found.paired is None:
            return []
        return [f"{found.paired:.0%} of {counted(found.pairs, 'pair')} of models differ"]


Ranks = tuple[int, int] | None


class RankIntervals(FigureResult):
    """Model -> its first and last rank, None for a model without a figure; also data set -> the same.

    ``tiers``: the names of the models of each group, the best first; models without a figure are in none.
    """

    rank_intervals: dict[str, Ranks]
    rank_intervals_datasets: dict[str, dict[str, Ranks]] = {}
    tiers: ByDataset[list[list[str]]]


RANKS: dict[str, str] = {
    "rank_intervals": (
        "the ranks by performance that each model may have, all models at once: below all models that are "
        "better and above all that are worse, by the verdicts on pairs of models"
    ),
    "tiers": (
        "models in the order of their ranking; a new group begins with the first model that differs from the "
        "best of the current one, so two models of one group may still differ from each other"
    ),
}


def _ranks(models: Sequence[str], pairs: ComparedPairs) -> dict[str, Ranks]:
    places = np.flatnonzero(pairs.known)
    bounds = rank_bounds(pairs.better[np.ix_(places, places)])
    found: dict[str, Ranks] = dict.fromkeys(models)
    for place, (low, high) in zip(places, bounds, strict=True):
        found[models[int(place)]] = int(low), int(high)
    return found


def _tiers(models: Sequence[str], pairs: ComparedPairs, estimate: Estimate) -> list[list[str]]:
    ranked = [model for model in _ranking(estimate.values) if pairs.known[model]]
    return [[models[model] for model in group] for group in groups(ranked, pairs.better)]


def _rank_rows(result: Mapping[str, Any]) -> Iterator[Row]:
    return nested_rows(result, lambda ranks: ranks or (None, None))


def _tier_rows(result: ByDataset[list[list[str]]]) -> Iterator[Row]:
    for dataset, found in result.places().items():
        for tier, models in enumerate(found, 1):
            for model in models:
                yield dataset, tier, model


class RankIntervalsFigure(Figure[RankIntervals]):
    """The ranks that models may have and their groups, over all data sets and on each."""

    key = "rank_intervals"
    spread = RankIntervals
    required = True
    tables = (
        FigureTable(
            "rank_intervals",
            ("model", "low", "high"),
            _rank_rows,
            "ranks that a model may have, all models at once",
            lambda result: result.rank_intervals,
        ),
        FigureTable(
            "rank_intervals_datasets",
            ("dataset", "model", "low", "high"),
            _rank_rows,
            "ranks that a model may have on each data set",
            lambda result: result.rank_intervals_datasets,
        ),
        FigureTable(
            "tiers",
            ("dataset", "tier", "model"),
            _tier_rows,
            "tied groups: the best model and the next ones, until one differs from it, then the same again",
            lambda result: result.tiers,
        ),
    )

    def compute(self, study: StudyScores) -> RankIntervals:
        """Compute them."""
        per_dataset, overall = study.estimates
        estimates = [own["performance"] for own in (overall, *per_dataset)]
        pairs = study.model_pairs["performance"]
        ranks = [_ranks(study.models, one) for one in pairs]
        tiers = [_tiers(study.models, *both) for both in zip(pairs, estimates, strict=True)]
        names = [cube.dataset for cube in study.cubes]
        return RankIntervals(
            rank_intervals=ranks[0],
            rank_intervals_datasets=dict(zip(names, ranks[1:], strict=True)),
            tiers=ByDataset[list[list[str]]](
                overall=tiers[0], datasets=dict(zip(names, tiers[1:], strict=True))
            ),
        )


PAIRS, SEPARABILITY, RANK_INTERVALS = PairsFigure(), SeparabilityFigure(), RankIntervalsFigure()
