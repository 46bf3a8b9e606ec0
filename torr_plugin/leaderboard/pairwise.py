"""Pairs of models: their differences as text from either side, and what the paired test says of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from ..analysis import format_value
from ..analysis.figures.pairs import ModelPair, PairDifference
from ..analysis.result import Interval
from .views import interval_text, negated

FigureName = Literal["performance", "robustness_5", "robustness"]

SEPARATED, INTERVALS_APART, NOT_SEPARATED, NO_TEST = 2, 1, 0, -1
WORDS = {
    SEPARATED: "significant difference",
    INTERVALS_APART: "intervals apart, not significant",
    NOT_SEPARATED: "no significant difference",
    NO_TEST: "not tested",
}
"""The words for a difference, by its state."""


@dataclass(frozen=True)
class PairedDifference:
    """A difference as one of the two models sees it, itself less the other.

    ``text`` has the interval with the digits that it supports; ``state`` is a key of ``WORDS``.
    """

    text: str
    difference: float | None
    low: float | None
    high: float | None
    p: str
    state: int

    @property
    def words(self) -> str:
        """Its state in words."""
        return WORDS[self.state]

    def plain(self) -> list[str | float | int | None]:
        """The same as a list, for script data."""
        return [self.text, self.difference, self.low, self.high, self.p, self.state]


UNTESTED = PairedDifference(format_value(None), None, None, None, "", NO_TEST)


def paired_difference(found: PairDifference, *, swap: bool = False) -> PairedDifference:
    """A difference from the first model's side, or from the second's."""
    figure = signed_difference(found, swap=swap)
    if figure.value is None:
        return UNTESTED
    if found.p is None:
        state = NO_TEST
    else:
        state = SEPARATED if found.paired else INTERVALS_APART if found.apart else NOT_SEPARATED
    p = f"{p_text(found.p)}{', few questions differ' if found.few else ''}"
    return PairedDifference(interval_text(figure), figure.value, figure.low, figure.high, p, state)


def signed_difference(found: PairDifference, *, swap: bool) -> Interval:
    """The first model less the second, or the second less the first."""
    own = Interval(value=found.difference, low=found.low, high=found.high, complete=found.complete)
    return negated(own) if swap else own


def p_text(p: float | None) -> str:
    """``p = 0.012``, ``p < 0.001``; "" where there is none."""
    if p is None:
        return ""
    if p < 0.001:
        return "p < 0.001"
    return f"p = {p:.2f}" if p >= 0.1 else f"p = {p:.3f}"


def verdict(found: PairDifference, models: Sequence[str], what: FigureName) -> str:
    """Sum up a pair in a sentence.

    Args:
        found: of the two, first less second.
        models: both names.
        what: the figure.
    """
    one = paired_difference(found)
    first, second = models
    kind = "performance" if what == "performance" else "robustness"
    if one.difference is not None and one.difference < 0:
        one, first, second = paired_difference(found, swap=True), second, first
    if one.state == NO_TEST:
        return f"{first} and {second} cannot be compared in {kind}: they share too few examples."
    test = f"paired {'bootstrap' if found.skewed else 't'} test with Holm's correction, {one.p}"
    if one.state == SEPARATED:
        better = "better" if what == "performance" else "more robust"
        return f"{first} is {better} by {one.text}, a significant difference ({test})."
    return f"{first} and {second} do not differ significantly in {kind}: they differ by {one.text} ({test})."


Pairs = Mapping[tuple[str, str], ModelPair]


def by_models(pairs: Iterable[ModelPair]) -> Pairs:
    """The pairs by their two names."""
    return {(pair.models[0], pair.models[1]): pair for pair in pairs}


@dataclass(frozen=True)
class ModelComparison:
    """Two models, the first one's side: verdicts, and sides by data set, all of them first; by figure."""

    models: tuple[str, str]
    verdicts: Mapping[FigureName, str]
    sides: Mapping[FigureName, tuple[PairedDifference, ...]]

    def plain(self) -> list[object]:
        """For script data: the verdicts, then the sides, figures in their order."""
        return [*self.verdicts.values(), *([each.plain() for each in own] for own in self.sides.values())]


def compare_models(
    pairs: Pairs, one: str, other: str, datasets: Sequence[str], figures: Sequence[FigureName]
) -> ModelComparison | None:
    """The comparison of two models from the side of ``one``; None where the analysis lacks this pair."""
    swap = (one, other) not in pairs
    pair = pairs.get((other, one) if swap else (one, other))
    if pair is None:
        return None
    sides: dict[FigureName, tuple[PairedDifference, ...]] = {}
    verdicts: dict[FigureName, str] = {}
    for what in figures:
        found = pair.of(what)
        if found is None:
            verdicts[what], sides[what] = _NOT_COMPARED, (UNTESTED,) * (1 + len(datasets))
            continue
        verdicts[what] = verdict(found.overall, pair.models, what)
        of_datasets = [found.datasets.get(name) for name in datasets]
        sides[what] = (
            paired_difference(found.overall, swap=swap),
            *(UNTESTED if each is None else paired_difference(each, swap=swap) for each in of_datasets),
        )
    return ModelComparison((one, other), verdicts, sides)


_NOT_COMPARED = (
    "This analysis compares no robustness over 5 configurations; run torr analyse again to get it."
)
