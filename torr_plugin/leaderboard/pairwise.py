"""Pairs of models: their differences as text from either side, and what is claimed of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ..analysis import format_value
from ..analysis.figures.pairs import PairDifference
from ..analysis.result import Interval
from .views import interval_text, negated

FigureName = Literal["performance", "robustness_5", "robustness"]

SEPARATED, NOT_SEPARATED, NO_TEST = 2, 0, -1
WORDS = {SEPARATED: "different", NOT_SEPARATED: "no difference shown", NO_TEST: "not tested"}
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


def paired_difference(
    found: PairDifference, *, claimed: bool = False, swap: bool = False
) -> PairedDifference:
    """A difference from the first model's side, or from the second's; ``claimed``: that there is one."""
    figure = signed_difference(found, swap=swap)
    if figure.value is None:
        return UNTESTED
    state = NO_TEST if found.p is None else SEPARATED if claimed else NOT_SEPARATED
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
