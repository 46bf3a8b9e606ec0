"""What is said of two models: a sentence, and how one stands beside the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from ...analysis import format_value
from ...analysis.result import OVERALL
from ..results import FigureName, at_limit
from ..views import interval_text, signed
from .cells import pair_hypothesis
from .claim import Claim
from .worded import PERFORMANCE, PERFORMANCE_ON_DATASET

if TYPE_CHECKING:
    from ..study import Study

Standing = Literal["better", "worse", "alike", "limited", "unknown"]
STANDINGS: dict[Standing, str] = {
    "better": "better",
    "worse": "worse",
    "alike": "no difference shown",
    "limited": "says little",
    "unknown": "not tested",
}
"""How a model stands beside another, in words."""


def standing(claim: Claim | None, model: str) -> Standing:
    """How a model stands beside another one, by what is claimed of the two."""
    if claim is None or claim.p is None:
        return "unknown"
    if not claim.holds:
        return "alike"
    return "better" if (claim.seen_from(model).value or 0.0) > 0 else "worse"


def verdict(study: Study, one: str, other: str) -> str:
    """Two models in plain words: by performance, and by robustness where it says something of both."""
    figures: tuple[FigureName, ...] = study.analysis.compared_figures[:2]
    limits = [at_limit(study.analysis, model, "headline_robustness") for model in (one, other)]
    return " ".join(verdict_on(study, figure, one, other) for figure in figures[: 1 if any(limits) else 2])


def verdict_on(study: Study, figure: FigureName, one: str, other: str) -> str:
    """Two models by one figure, in a sentence: the first beside the other one.

    Args:
        study: both are of.
        figure: performance, or a robustness.
        one: a model.
        other: another one.
    """
    claim = study.claims.sentences.get(pair_hypothesis(figure, one, other))

    def name(model: str) -> str:
        return study.short.get(model, model)

    found = standing(claim, one)
    kind = "performance" if figure == "performance" else "robustness"
    if claim is None or found == "unknown":
        return f"{name(one)} and {name(other)} cannot be compared in {kind}: they share too few examples."
    for model in (one, other) if kind == "robustness" else ():
        if at_limit(study.analysis, model, figure):
            return f"The robustness of {name(model)} says little, as its answers hardly can change."
    over = f"over {claim.n:,} examples" if claim.n else "over all examples"
    if found == "alike":
        seen = claim.seen_from(one)
        size = " ".join(filter(None, signed(seen)))
        # the interval is of this pair alone
        apart = seen.low is not None and seen.high is not None and not seen.low <= 0 <= seen.high
        after = " after correction for all that is compared" if apart else ""
        return (
            f"{name(one)} and {name(other)} are not shown to differ in {kind}{after}: "
            f"their difference is {size} {over}."
        )
    better = found == "better"
    size = interval_text(claim.seen_from(one if better else other))
    if kind == "performance":
        word = "scores higher" if better else "scores lower"
    else:
        word = "is more robust" if better else "is less robust"
    return f"{name(one)} {word} than {name(other)}, by {size} {over}."


def detectable(study: Study, place: str = OVERALL) -> str:
    """The least true difference of any two models' performance that the site states with the analysis' power.

    At the level of the smallest p-value of all pairs in the place; what else is found can only ease it. ""
    where no difference is large enough, none is tested, or an analysis knows the median pair alone.
    """
    found = study.analysis.detectable.places().get(place) if study.analysis.detectable else None
    one_place = place == OVERALL or len(study.datasets) == 1
    level = study.claims.sentences.levels.get(PERFORMANCE if one_place else PERFORMANCE_ON_DATASET)
    difference = found.of_every_pair(level / found.pairs) if found and level else None
    return "" if difference is None else format_value(difference)


def pair_claims(study: Study, place: str = OVERALL) -> tuple[Claim, ...]:
    """What was tested of all pairs of models' performance in a place; where it holds, they are told apart."""
    keys = [pair_hypothesis("performance", *pair.models, place) for pair in study.analysis.pairs]
    found = [study.claims.sentences.get(key) for key in keys]
    return tuple(claim for claim in found if claim is not None and claim.p is not None)


_NEARLY_ALWAYS, _RARELY = 0.9, 0.25


def weak(study: Study, model: str, who: str = "It") -> str:
    """That a model's robustness may come of its mean score: the lowest, or the highest and near 1."""
    found = {name: study.analysis.performance[name].overall.value for name in study.models}
    own = found.pop(model)
    others = [value for value in found.values() if value is not None]
    if own is None or not others:
        return ""
    if own < min(others):
        little = ", and what is rarely right can change little" if own <= _RARELY else ""
        return f" {who} also scores lowest{little}."
    if own > max(others) and own >= _NEARLY_ALWAYS:
        return f" {who} also scores highest, and what is rarely wrong can change little."
    return ""
