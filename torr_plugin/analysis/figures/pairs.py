"""Every pair of models: how far they lie apart in performance and robustness, and whether that is real."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...core.statistics import ROUNDING, Booleans, Floats
from ..estimates import Estimate
from ..figure import Figure, FigureTable, Row
from ..paired_scores import COMPARED, ModelTests
from ..rarefaction import HEADLINE
from ..result import OVERALL, ByDataset, FigureResult, given_marks, marked, number, rows_of
from ..studentized_bootstrap import FEW
from ..study import StudyScores
from .separability import separable

MOST = 40
"""Models of which every pair is given; of more, each with its ``NEXT`` in the ranking."""

NEXT = 5

METHOD = (
    "difference of two models' means over examples, paired: of an example's mean score over the "
    "configurations that both have, or of its robustness (1 less the range over them; robustness_5: less the "
    f"expected range over {HEADLINE} of them, of the examples that have so many); low and high are its "
    "own two-sided t interval, p is Holm's over all pairs of models of that data set or overall, made as "
    "separability's paired is; skewed: both by the symmetric studentized bootstrap; few: and the two differ "
    f"on fewer than {FEW} tables, so that the interval is too short; apart: the two models' own intervals do "
    "not overlap"
)


class PairDifference(FigureResult):
    """The first model less the second, its interval, and p after Holm's correction; see ``METHOD``.

    ``examples``, where one of the two lacks a score: how many examples both have a score of.
    """

    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    paired: bool = False
    apart: bool = False
    complete: bool = True
    skewed: bool = False
    few: bool = False
    examples: int | None = None


PairDifferences = ByDataset[PairDifference]
"""A pair's difference over all data sets and on each."""


class ModelPair(FigureResult):
    """Two models, the one that ranks before the other first."""

    models: tuple[str, str]
    performance: PairDifferences
    robustness: PairDifferences
    robustness_5: PairDifferences | None = None

    def of(self, figure: str) -> PairDifferences | None:
        """The differences in one of ``COMPARED``; None in an analysis from before it was compared."""
        found: PairDifferences | None = getattr(self, figure)
        return found


@dataclass(frozen=True)
class _Tests:
    """All pairs on one data set, or overall; (models x models) each, row less column.

    ``complete`` is False where one of the two lacks a score; NaN and False: not comparable.
    """

    difference: Floats
    low: Floats
    high: Floats
    p: Floats
    paired: Booleans
    apart: Booleans
    complete: Booleans
    skewed: Booleans
    few: Booleans
    count: Floats

    def pair(self, first: int, second: int) -> PairDifference:
        """The first model less the second."""
        at = first, second
        marks: dict[str, Any] = {
            **marked(bool(self.complete[at])),
            **given_marks(skewed=self.skewed[at], few=self.few[at]),
        }
        if not self.complete[at] and not np.isnan(self.count[at]):
            marks["examples"] = int(self.count[at])
        return PairDifference(
            difference=number(self.difference[at]),
            low=number(self.low[at]),
            high=number(self.high[at]),
            p=number(self.p[at]),
            paired=bool(self.paired[at]),
            apart=bool(self.apart[at]),
            **marks,
        )


def model_pairs(study: StudyScores) -> list[ModelPair]:
    """The differences between models, overall and per data set, in the order of the ranking by performance.

    Of more than ``MOST`` models each stands with its ``NEXT`` in the ranking alone; ``p`` is for all pairs
    anyhow.
    """
    # a study of fewer configurations than that has no robustness over 5 of them
    given = [name for name in COMPARED if name != "robustness_5" or _is_known(name, study)]
    tests = {name: dict(_tests(name, study)) for name in given}
    return [
        ModelPair(
            models=(study.models[first], study.models[second]),
            **{name: _differences(places, first, second) for name, places in tests.items()},
        )
        for first, second in _listed(_ranking(study.estimates[1]["performance"].values))
    ]


def _is_known(name: str, study: StudyScores) -> bool:
    return any(tests.known.any() for tests in study.pair_tests[name])


def _differences(places: dict[str, _Tests], first: int, second: int) -> PairDifferences:
    found = {place: tests.pair(first, second) for place, tests in places.items()}
    return PairDifferences(overall=found.pop(OVERALL), datasets=found)


def _ranking(performance: Floats) -> list[int]:
    """Places in the array, the best first, then in the study's order; those without a figure last."""
    return [int(model) for model in np.argsort(-np.round(performance, ROUNDING), kind="stable")]


def _listed(ranked: Sequence[int]) -> Iterator[tuple[int, int]]:
    """The pairs that are given."""
    reach = len(ranked) if len(ranked) <= MOST else NEXT
    for place, first in enumerate(ranked):
        for second in ranked[place + 1 : place + 1 + reach]:
            yield first, second


def _tests(name: str, study: StudyScores) -> Iterator[tuple[str, _Tests]]:
    """Of one figure: overall, and of each data set."""
    per_dataset, overall = study.estimates
    places = [OVERALL, *(cube.dataset for cube in study.cubes)]
    estimates = [overall[name], *(found[name] for found in per_dataset)]
    for place, estimate, tests in zip(places, estimates, study.pair_tests[name], strict=True):
        yield place, _of_all_models(tests, estimate, study.options.level)


def _of_all_models(tests: ModelTests, estimate: Estimate, level: float) -> _Tests:
    """The tests among the models that have a figure, spread to all models."""
    known, test = tests.known, tests.test

    def spread(found: Floats | Booleans) -> Floats:
        whole = np.full((len(known), len(known)), np.nan)
        whole[np.ix_(known, known)] = found
        return whole

    p_values = spread(test.adjusted())
    low, high = test.bounds()
    return _Tests(
        difference=spread(test.difference),
        low=spread(low),
        high=spread(high),
        p=p_values,
        paired=p_values <= 1 - level,
        apart=separable(*estimate.bounds(level)),
        complete=estimate.complete[:, None] & estimate.complete,
        skewed=spread(test.skewed) == 1,
        few=spread(test.few) == 1,
        count=spread(test.count),
    )


_COLUMNS = ("difference", "low", "high", "p", "paired", "apart", "complete", "skewed", "few")


def _rows(result: Sequence[ModelPair]) -> Iterator[Row]:
    for pair in result:
        for name in COMPARED:
            for dataset, *cells in rows_of(*_COLUMNS)(pair.of(name) or {}):
                yield name, dataset, *pair.models, *cells


class PairsFigure(Figure[list[ModelPair]]):
    """Every pair of models."""

    key = "pairs"
    tables = (
        FigureTable(
            "pairs",
            ("figure", "dataset", "model", "other", *_COLUMNS),
            _rows,
            "every pair of models: difference, interval and corrected p-value",
        ),
    )

    def compute(self, study: StudyScores) -> list[ModelPair]:
        """Compute the differences."""
        return model_pairs(study)

    def notes(self, study: StudyScores, result: list[ModelPair] | None) -> list[str]:
        """What is left out where there are many models."""
        models = len(study.models)
        if models <= MOST:
            return []
        given, every = sum(1 for _ in _listed(range(models))), models * (models - 1) // 2
        return [
            f"pairs: of {models} models, each is given with the {NEXT} next in the ranking ({given:,} of "
            f"{every:,} pairs); their p-values are corrected for all pairs"
        ]


PAIRS = PairsFigure()
