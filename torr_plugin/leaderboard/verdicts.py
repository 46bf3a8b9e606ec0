"""What the analysis decided, as pages say it: tied groups, two models beside each other.

Nothing is decided here: every word, colour and group is a verdict of the analysis, printed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from ..analysis import format_size
from ..analysis.compare import group_numbers
from ..analysis.result import OVERALL, Verdict
from .percents import PercentText, flipped, percent_text, points_text
from .results import StudyResults, at_limit

if TYPE_CHECKING:
    from .study import Study

Groups = Mapping[str, int]
"""Model -> the number of its group, 1 for the best; empty where there is one model."""


def tied_groups(analysis: StudyResults) -> dict[str, Groups]:
    """Data set or "overall" -> its tied groups by performance."""
    places = analysis.tiers.places()
    found = {place: group_numbers(groups) for place, groups in places.items()}
    return {place: own if len(own) > 1 else {} for place, own in found.items()}


def error_rule(level: str) -> str:
    """What a reader must know beside verdicts."""
    return f"Each question is answered with {level} confidence, for tables like these."


Standing = Literal["better", "worse", "alike", "few", "limited", "unknown"]

STANDINGS: dict[Standing, str] = {
    "better": "better",
    "worse": "worse",
    "alike": "no difference shown",
    "few": "too few differ to say",
    "limited": "says little",
    "unknown": "not compared",
}
"""How one stands beside another, in words."""


def standing(verdict: Verdict | None) -> Standing:
    """How the first stands beside the second."""
    if verdict is None or (verdict.p is None and not verdict.few):
        return "unknown"
    if verdict.few:
        return "few"
    if not verdict.differs:
        return "alike"
    return "better" if (verdict.value or 0.0) > 0 else "worse"


class PairVerdicts:
    """The verdicts on pairs of models that an analysis gives.

    Attributes:
        figures: by which models are compared.
    """

    def __init__(self, analysis: StudyResults) -> None:
        self.figures = analysis.compared_figures
        self._every = analysis.pairs.every_pair
        self._known: dict[tuple[str, str, str], Mapping[str, Verdict]] = {
            (figure, *pair.models): own.places()
            for pair in analysis.pairs.pairs
            for figure in self.figures
            if (own := pair.of(figure))
        }

    def of(self, figure: str, one: str, other: str, place: str = OVERALL) -> Verdict | None:
        """The first model less the second; None where the pair is not given."""
        if found := self._given(figure, one, other, place):
            return found
        turned = self._given(figure, other, one, place)
        return turned and swapped(turned)

    def _given(self, figure: str, one: str, other: str, place: str) -> Verdict | None:
        """The verdict as the analysis gives it: of the one that ranks first, less the other."""
        if self._every is not None and (figure, place) == ("performance", OVERALL):
            return self._every.of(one, other)
        return self._known.get((figure, one, other), {}).get(place)


def swapped(verdict: Verdict) -> Verdict:
    """The second less the first."""
    value, low, high = (
        None if each is None else 0.0 - each for each in (verdict.value, verdict.high, verdict.low)
    )
    return verdict.model_copy(update={"value": value, "low": low, "high": high})


def pairs_apart(analysis: StudyResults, place: str = OVERALL) -> tuple[int, int]:
    """How many pairs of models differ in performance in a place, and how many there are."""
    found = analysis.separability.places()[place]
    return round((found.paired or 0.0) * found.pairs), found.pairs


@dataclass(frozen=True)
class ComparedLine:
    """Two models by one figure in one place.

    Attributes:
        what: ``All questions``, a data set, ``Flips``.
        said: the verdict, in words.
        claimed: whether they differ.
        figures: of either.
    """

    what: str
    said: str
    claimed: bool
    figures: tuple[str, str]


def compared(study: Study, one: str, other: str) -> tuple[ComparedLine, ...]:
    """Two models beside each other, a verdict a line: over all questions, on each data set, and flips.

    Of many models two that are far apart have the first alone.
    """
    models, datasets = (one, other), study.datasets if len(study.datasets) > 1 else ()
    lines = [_right(study, models, OVERALL, "All questions", study.pairs.of("performance", *models))]
    for name in datasets:
        if verdict := study.pairs.of("performance", *models, name):
            lines.append(_right(study, models, name, study.short[name], verdict))
    for figure in study.pairs.figures[1:2]:
        if verdict := study.pairs.of(figure, *models):
            lines.append(_flips(study, models, figure, verdict))
    return tuple(lines)


def _right(
    study: Study, models: tuple[str, str], place: str, what: str, verdict: Verdict | None
) -> ComparedLine:
    stands = standing(verdict)
    said = _said(study, models, verdict, stands, "is better") if verdict else STANDINGS[stands]
    shares = [percent_text(study.analysis.performance[model].places()[place]) for model in models]
    return ComparedLine(what, said, stands in ("better", "worse"), _texts(shares))


def _flips(study: Study, models: tuple[str, str], figure: str, verdict: Verdict) -> ComparedLine:
    """Flips are 1 less the headline robustness: of two models, the more robust flips less."""
    limited = any(at_limit(study.analysis, model, figure) for model in models)
    stands: Standing = "limited" if limited else standing(verdict)
    said = _said(study, models, verdict, stands, "flips less")
    robust = study.analysis.headline_robustness
    shares = [percent_text(flipped(robust[model].overall)) for model in models]
    return ComparedLine("Flips", said, stands in ("better", "worse"), _texts(shares))


def _said(study: Study, models: tuple[str, str], verdict: Verdict, stands: Standing, better: str) -> str:
    if stands not in ("better", "worse", "alike"):
        return STANDINGS[stands]
    if stands == "alike":
        points = points_text(swapped(verdict) if better == "flips less" else verdict)
        return f"no difference shown ({points.value} [{points.bounds}])"
    turned = verdict if stands == "better" else swapped(verdict)
    who = models[0] if stands == "better" else models[1]
    size = format_size(turned.value or 0.0, turned.low, turned.high)
    return f"{study.short.get(who, who)} {better}, by {size}"


def _texts(shares: Sequence[PercentText]) -> tuple[str, str]:
    one, other = (share.value + ("" if share.complete else "*") for share in shares)
    return one, other
