"""Figures at their floor or ceiling, which say nothing of a model and are never praised."""

from __future__ import annotations

from ...analysis.limits import Limit, robustness_limit, score_limit
from ...analysis.result import OVERALL
from ..results import StudyResults


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
    value = _value(analysis, model, figure, dataset)
    if figure in ("performance", "worst", "best"):
        return score_limit(value)
    return robustness_limit(value, _value(analysis, model, "performance", dataset))


def _value(analysis: StudyResults, model: str, figure: str, dataset: str | None) -> float | None:
    found = getattr(analysis, figure).get(model)
    if found is None:
        return None
    value: float | None = found.places()[dataset or OVERALL].value
    return value
