"""Figures at their floor or ceiling, which say nothing of a model."""

from __future__ import annotations

from typing import Literal

Limit = Literal["floor", "ceiling"]

NEARLY = 0.02
"""A mean score so near 0 or 1 is that of a model that is nearly always wrong, or right."""

UNMOVED = 0.995
"""A robustness from which on nothing changes, as that of a constant answer."""


def score_limit(score: float | None) -> Limit | None:
    """Where a mean score says nothing; None where it does, or there is none."""
    if score is None:
        return None
    return "floor" if score <= NEARLY else "ceiling" if score >= 1 - NEARLY else None


def robustness_limit(robustness: float | None, performance: float | None) -> Limit | None:
    """Likewise of a robustness: a model that is nearly always wrong, or right, has no scores to change."""
    if robustness is None:
        return None
    return "ceiling" if score_limit(performance) or robustness >= UNMOVED else None
