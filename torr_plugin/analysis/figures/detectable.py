"""The minimum detectable difference: how far apart two models must be for the study to tell them apart."""

from __future__ import annotations

import numpy as np

from ...core.statistics import Floats
from ..compare import VerdictFamily
from ..figure import Figure, FigureTable
from ..number_format import format_value
from ..power import POWER, least_detectable, surely_detectable
from ..result import OVERALL, ByDataset, FigureResult, number, rows_of
from ..study import StudyScores

METHOD = (
    f"the least true difference in performance that the paired test of two models finds in {POWER:.0%} of "
    "studies like this one, from the median standard error and degrees of freedom over pairs of models: "
    "the standard error times the sum of two quantiles of Student's t, that of the two-sided test at the "
    "intervals' level and that of the power; corrected: the same at Bonferroni's level for all pairs, as the "
    "verdict is; hardest: that of the pair of which it is largest; null above 1, as no two scores differ by "
    "more; configurations are taken as given"
)


class DetectableDifference(FigureResult):
    """The least difference that a test of one pair finds, and one corrected for all ``pairs``.

    See ``METHOD``; None where no two models differ by more than a constant, or where it would exceed 1, which
    no two scores differ by. ``hardest``: the corrected one of the pair that needs the largest difference.
    """

    difference: float | None
    corrected: float | None
    hardest: float | None = None
    pairs: int


class Detectable(ByDataset[DetectableDifference]):
    """The minimum detectable differences over all data sets and on each, and the power they are for."""

    power: float
    method: str


def detectable_differences(study: StudyScores) -> Detectable | None:
    """The minimum detectable differences; None where no two models are compared."""
    places = [OVERALL, *(cube.dataset for cube in study.cubes)]
    found = {
        place: detectable_of(pairs.verdicts, study.options.level)
        for place, pairs in zip(places, study.model_pairs["performance"], strict=True)
    }
    if not any(one.pairs for one in found.values()):
        return None
    return Detectable(overall=found.pop(OVERALL), datasets=found, power=POWER, method=METHOD)


def detectable_of(verdicts: VerdictFamily, level: float) -> DetectableDifference:
    """The minimum detectable differences of one question."""
    error, freedom = verdicts.error, verdicts.freedom
    differing = error > 0
    if not differing.any():
        return DetectableDifference(difference=None, corrected=None, hardest=None, pairs=len(error))
    alpha = (1 - level) / max(verdicts.tested, 1)
    middle, of_middle = (np.asarray(np.median(each[differing])) for each in (error, freedom))
    return DetectableDifference(
        difference=_possible(least_detectable(middle, of_middle, 1 - level)),
        corrected=_possible(least_detectable(middle, of_middle, alpha)),
        hardest=_possible(surely_detectable(error[differing], freedom[differing], alpha).max()),
        pairs=len(error),
    )


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
            ("dataset", "difference", "corrected", "hardest", "pairs"),
            rows_of("difference", "corrected", "hardest", "pairs"),
            "the least difference between two models that is found: of a pair alone, and among all pairs",
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
        if found.pairs == 1:
            return [
                f"detectable: difference of {format_detectable(found.difference)} ({result.power:.0%} power)"
            ]
        middle, hardest = format_detectable(found.corrected), format_detectable(found.hardest)
        return [f"detectable: {middle} for the median pair, {hardest} for any ({result.power:.0%} power)"]


DETECTABLE = DetectableFigure()
