"""What the analysis decided, as pages say it: groups and ranks, two models beside each other.

Nothing is decided here: every word, colour and group is a verdict of the analysis, printed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from ..analysis import format_value
from ..analysis.compare import group_numbers
from ..analysis.result import OVERALL, Verdict
from ..core.errors import counted
from .results import FigureName, StudyResults, at_limit
from .views import interval_text, negated, signed

if TYPE_CHECKING:
    from .study import Study

Ranks = Mapping[str, tuple[int, int] | None]
"""Model -> its first and last rank."""


@dataclass(frozen=True)
class TiedGroups:
    """Tied groups and ranks of models in a place.

    Attributes:
        groups: model -> the number of its group, 1 for the best; none where there is one model.
        ranks: those that are possible.
    """

    groups: Mapping[str, int] = field(default_factory=dict)
    ranks: Ranks = field(default_factory=dict)


def tied_groups(analysis: StudyResults) -> dict[str, TiedGroups]:
    """Data set or "overall" -> its groups and ranks by performance; of one model nothing."""
    ranks = {OVERALL: analysis.rank_intervals, **analysis.rank_intervals_datasets}
    found = {}
    for place, groups in analysis.tiers.places().items():
        known = group_numbers(groups)
        own = {model: own for model, own in ranks.get(place, {}).items() if own is not None}
        found[place] = TiedGroups(known, own) if len(known) > 1 else TiedGroups()
    return found


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
    """The verdicts on pairs of models that an analysis gives."""

    def __init__(self, analysis: StudyResults) -> None:
        self._known: dict[tuple[str, str, str], Mapping[str, Verdict]] = {
            (figure, *pair.models): own.places()
            for pair in analysis.pairs
            for figure in analysis.compared_figures
            if (own := pair.of(figure))
        }

    def of(self, figure: str, one: str, other: str, place: str = OVERALL) -> Verdict | None:
        """The first model less the second; None where the pair is not given."""
        if (found := self._known.get((figure, one, other))) and place in found:
            return found[place]
        if (found := self._known.get((figure, other, one))) and place in found:
            return swapped(found[place])
        return None


def swapped(verdict: Verdict) -> Verdict:
    """The second less the first."""
    turned = negated(verdict)
    return verdict.model_copy(update={"value": turned.value, "low": turned.low, "high": turned.high})


def verdict(study: Study, one: str, other: str) -> str:
    """Two models in plain words: by performance, and by robustness where it says something of both."""
    figures: tuple[FigureName, ...] = study.analysis.compared_figures[:2]
    limits = [at_limit(study.analysis, model, "headline_robustness") for model in (one, other)]
    return " ".join(verdict_on(study, figure, one, other) for figure in figures[: 1 if any(limits) else 2])


def verdict_on(study: Study, figure: FigureName, one: str, other: str) -> str:
    """Two models by one figure, in a sentence: the first beside the other one."""
    found = study.pairs.of(figure, one, other)
    stands = standing(found)
    kind = "performance" if figure == "performance" else "robustness"
    first, second = (study.short.get(model, model) for model in (one, other))
    if found is None or stands == "unknown":
        return f"{first} and {second} cannot be compared in {kind}: they share too few examples."
    for model in (one, other) if kind == "robustness" else ():
        if at_limit(study.analysis, model, figure):
            short = study.short.get(model, model)
            return f"The robustness of {short} says little, as its answers hardly can change."
    every = sum(study.analysis.settings.examples.values())
    over = f"over {counted(every if found.examples is None else found.examples, 'example')}"
    if stands in ("alike", "few"):
        size = " ".join(filter(None, signed(found)))
        why = ": too few answers differ to say" if stands == "few" else ""
        return (
            f"{first} and {second} are not shown to differ in {kind}{why}: their difference is {size} {over}."
        )
    better = stands == "better"
    size = interval_text(found if better else swapped(found))
    if kind == "performance":
        word = "scores higher" if better else "scores lower"
    else:
        word = "is more robust" if better else "is less robust"
    return f"{first} {word} than {second}, by {size} {over}."


def detectable(study: Study, place: str = OVERALL) -> str:
    """The least true difference of any two models' performance that is found with the analysis' power."""
    found = study.analysis.detectable.places().get(place) if study.analysis.detectable else None
    return "" if found is None or found.hardest is None else format_value(found.hardest)


def pairs_apart(analysis: StudyResults, place: str = OVERALL) -> tuple[int, int]:
    """How many pairs of models differ in performance in a place, and how many there are."""
    found = analysis.separability.places()[place]
    return round((found.paired or 0.0) * found.pairs), found.pairs


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


def against_others(study: Study, model: str, figure: str) -> Iterator[tuple[str, Verdict]]:
    """The other models that a model differs from."""
    for other in study.models:
        if other != model and (found := study.pairs.of(figure, model, other)) and found.differs:
            yield other, found
