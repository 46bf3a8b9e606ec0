"""Pairs of models: by which figures they are compared, and their differences from either side."""

from __future__ import annotations

from typing import Literal

from ..analysis.figures.pairs import PairDifference
from ..analysis.result import Interval
from .views import negated

FigureName = Literal["performance", "robustness_5", "robustness"]


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
