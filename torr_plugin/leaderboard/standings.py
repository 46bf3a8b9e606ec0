"""ToRR's figures of each model, over all data sets or on one: its Table 2."""

from __future__ import annotations

from dataclasses import dataclass

from ..analysis.result import NOTHING, OVERALL
from .results import StudyResults
from .views import FigureText, figure_text

FIGURES = {
    "performance": "Performance",
    "robustness": "Robustness",
    "robustness_solvable": "Robustness, solvable",
    "worst": "Worst",
    "best": "Best",
}
"""Name -> what ToRR calls it."""


@dataclass(frozen=True)
class TorrRow:
    """A model's figures, in the order of ``FIGURES``."""

    model: str
    figures: tuple[FigureText, ...]


def torr_rows(core: StudyResults, place: str = OVERALL) -> tuple[TorrRow, ...]:
    """The models on a data set or ``OVERALL``, best performance first, those without one last."""
    values = {model: own.places()[place].value for model, own in core.performance.items()}
    order = sorted(values, key=lambda model: (values[model] is None, -(values[model] or 0.0)))
    return tuple(
        TorrRow(
            model,
            tuple(figure_text(getattr(core, name)[model].places().get(place, NOTHING)) for name in FIGURES),
        )
        for model in order
    )
