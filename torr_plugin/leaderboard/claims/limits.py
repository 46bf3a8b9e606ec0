"""Figures at their floor or ceiling, which say nothing of a model and are never praised."""

from __future__ import annotations

from typing import Literal

from ...analysis.result import OVERALL
from ..results import StudyResults

Limit = Literal["floor", "ceiling"]

NEARLY = 0.02
"""A mean score so near 0 or 1 is that of a model that is nearly always wrong, or right."""

UNMOVED = 0.995
"""A robustness from which on nothing changes, as that of a constant answer."""


def at_limit(analysis: StudyResults, model: str, figure: str, dataset: str | None = None) -> Limit | None:
    """Where a model's figure says nothing; None where it does.

    A model that is nearly always wrong, or right, has no scores to change, so that its robustness says
    nothing either.

    Args:
        analysis: of the study.
        model: its name.
        figure: ``performance``, ``robustness``, ``robustness_5``, ``headline_robustness``, ...
        dataset: on which; None: over all.
    """
    performance = _value(analysis, model, "performance", dataset)
    extreme = _extreme(performance)
    if figure == "performance":
        return extreme
    if figure in ("worst", "best"):
        return _extreme(_value(analysis, model, figure, dataset))
    value = _value(analysis, model, figure, dataset)
    return "ceiling" if value is not None and (extreme or value >= UNMOVED) else None


def _extreme(score: float | None) -> Limit | None:
    if score is None:
        return None
    return "floor" if score <= NEARLY else "ceiling" if score >= 1 - NEARLY else None


def _value(analysis: StudyResults, model: str, figure: str, dataset: str | None) -> float | None:
    found = getattr(analysis, figure).get(model)
    if found is None:
        return None
    value: float | None = found.places()[dataset or OVERALL].value
    return value
