"""Figures at their floor or ceiling, which say nothing of a model and are never praised."""

from __future__ import annotations

from ...analysis.limits import Limit, robustness_limit, score_limit
from ...analysis.result import OVERALL
from ..results import StudyResults


def at_limit(analysis: StudyResults, model: str, figure: str, place: str = OVERALL) -> Limit | None:
    """Where a model's figure says nothing; None where it does.

    A model that is nearly always wrong, or right, has no scores to change, so that its robustness says
    nothing either.

    Args:
        analysis: of the study.
        model: its name.
        figure: ``performance``, ``robustness``, ``robustness_5``, ``headline_robustness``, ...
        place: a data set, or all of them.
    """
    value = _value(analysis, model, figure, place)
    if figure in ("performance", "worst", "best"):
        return score_limit(value)
    return robustness_limit(value, _value(analysis, model, "performance", place))


def _value(analysis: StudyResults, model: str, figure: str, place: str) -> float | None:
    found = getattr(analysis, figure).get(model)
    value: float | None = found.places()[place].value if found else None
    return value
