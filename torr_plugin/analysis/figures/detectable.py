"""The minimum detectable difference: how far apart two models must be for the study to tell them apart."""

from __future__ import annotations

import numpy as np

from ...core.statistics import Floats
from ..figure import Figure, FigureTable
from ..number_format import format_value
from ..paired_tests import PairedTest
from ..power import POWER, least_detectable, surely_detectable
from ..result import OVERALL, ByDataset, FigureResult, number, rows_of
from ..study import StudyScores

METHOD = (
    f"the least true difference in performance that the paired test of two models finds in {POWER:.0%} of "
    "studies like this one, from the median standard error and degrees of freedom over pairs of models: "
    "the standard error times the sum of two quantiles of Student's t, that of the two-sided test at the "
    "intervals' level and that of the power; corrected: the same for the smallest of all pairs' p-values "
    "after Holm's correction; null above 1, as no two scores differ by more; configurations are taken as "
    "given"
)

_DIGITS = 8


class DetectableDifference(FigureResult):
    """The least difference that a test of one pair finds, and one corrected for all ``pairs``.

    See ``METHOD``; None where no two models differ by more than a constant, or where it would exceed 1, which
    no two scores differ by. ``error`` and ``freedom``: the medians that it rests on, None in analyses from
    before they were kept. ``hardest``: error and freedom of the pairs of which one needs the largest
    difference, whatever the level; empty in such analyses too.
    """

    difference: float | None
    corrected: float | None
    pairs: int
    error: float | None = None
    freedom: float | None = None
    hardest: list[tuple[float, float]] = []

    def at(self, alpha: float) -> float | None:
        """The least difference that the test of the median pair finds at a level."""
        if self.error is None or self.freedom is None:
            return None
        return _possible(least_detectable(np.asarray(self.error), np.asarray(self.freedom), alpha))

    def of_every_pair(self, alpha: float) -> float | None:
        """The least difference that the test of each pair finds at a level, also at very low ones."""
        if not self.hardest:
            return None
        error, freedom = np.array(self.hardest).T
        return _possible(surely_detectable(error, freedom, alpha).max())


class Detectable(ByDataset[DetectableDifference]):
    """The minimum detectable differences over all data sets and on each, and the power they are for."""

    power: float
    method: str


def detectable_differences(study: StudyScores) -> Detectable | None:
    """The minimum detectable differences; None where no two models are compared."""
    places = [OVERALL, *(cube.dataset for cube in study.cubes)]
    found = {
        place: _detectable(tests.test)
        for place, tests in zip(places, study.pair_tests["performance"], strict=True)
    }
    if not any(one.pairs for one in found.values()):
        return None
    return Detectable(overall=found.pop(OVERALL), datasets=found, power=POWER, method=METHOD)


def _detectable(test: PairedTest) -> DetectableDifference:
    upper = np.triu_indices(len(test.error), k=1)
    error, freedom = test.error[upper], test.freedom[upper]
    differing = error > 0
    if not differing.any():
        return DetectableDifference(difference=None, corrected=None, pairs=len(error))
    middle, of_middle = (np.asarray(np.median(each[differing])) for each in (error, freedom))
    alpha, pairs = 1 - test.level, len(error)
    found = DetectableDifference(
        difference=None,
        corrected=None,
        pairs=pairs,
        error=float(middle),
        freedom=float(of_middle),
        hardest=_hardest(error[differing], freedom[differing]),
    )
    return found.model_copy(update={"difference": found.at(alpha), "corrected": found.at(alpha / pairs)})


def _hardest(error: Floats, freedom: Floats) -> list[tuple[float, float]]:
    """Without each pair beside one of a larger error and fewer degrees of freedom."""
    found: list[tuple[float, float]] = []
    for pair in sorted(zip(error.tolist(), freedom.tolist(), strict=True), key=_compared):
        if not found or _compared(pair)[1] < _compared(found[-1])[1]:
            found.append(pair)
    return found


def _compared(pair: tuple[float, float]) -> tuple[float, float]:
    """Key of an order: the largest error first, then the fewest degrees of freedom, rounded as sums vary."""
    return -round(pair[0], _DIGITS), round(pair[1], _DIGITS)


def _possible(difference: Floats) -> float | None:
    found = number(float(difference))
    return None if found is None or found > 1 else found


def format_detectable(difference: float | None) -> str:
    """A minimum detectable difference; "none" where there is none."""
    return "none" if difference is None else format_value(difference)


class DetectableFigure(Figure[Detectable]):
    """The minimum detectable difference."""

    key = "detectable"
    tables = (
        FigureTable(
            "detectable",
            ("dataset", "difference", "corrected", "pairs"),
            rows_of("difference", "corrected", "pairs"),
            "the least difference between two models that the test of a pair finds: alone, and after Holm",
        ),
    )

    def compute(self, study: StudyScores) -> Detectable | None:
        """Compute the differences."""
        return detectable_differences(study)

    def lines(self, result: Detectable) -> list[str]:
        """That over all data sets."""
        found = result.overall
        if found.difference is None:
            return [f"detectable: none ({result.power:.0%} power)"]
        difference = format_detectable(found.difference)
        if found.pairs > 1:
            difference += f" of one pair alone, {format_detectable(found.corrected)} after Holm"
        return [f"detectable: difference of {difference} ({result.power:.0%} power)"]


DETECTABLE = DetectableFigure()
