"""Which pages a study has, in the order of its navigation: what says nothing of it is absent."""

from __future__ import annotations

from .study import Study

PAGES = (
    ("overview", "Models"),
    ("formats", "Formats"),
    ("examples", "Examples"),
    ("compare", "Compare"),
    ("method", "Method & data"),
)
"""A page as ``current`` names it, and what one gets there."""


def navigation(study: Study) -> tuple[tuple[str, str, str], ...]:
    """Name, label and path of the pages that the study has; all else opens from a row of one of them."""
    says = {"formats": study.analysis.varied, "compare": len(study.models) > 1}
    return tuple((name, label, getattr(study.paths, name)) for name, label in PAGES if says.get(name, True))
