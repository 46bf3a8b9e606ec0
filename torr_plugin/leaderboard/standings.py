"""Every figure of each model, over all data sets or on one, with its tier and ranks: ToRR's tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..analysis import format_ranks
from ..analysis.result import OVERALL
from .results import StudyResults, at_limit
from .verdicts import TiedGroups
from .views import FigureText, figure_text

FIGURES = ("performance", "headline_robustness", "robustness", "robustness_solvable", "worst", "best")


@dataclass(frozen=True)
class ModelFigures:
    """A model's figures.

    Attributes:
        model: its name.
        place: by performance, from 1; models that tie keep the analysis's order.
        rank: the ranks that it may have, as text.
        tier: of models that no test separates from the best of them, from 1; None where there is none.
        styles: of the figures named in ``FIGURES``: "at-limit" of one that says little, so near is it to its
            floor or ceiling; else "".
    """

    model: str
    place: int
    rank: str
    performance: FigureText
    headline_robustness: FigureText
    robustness: FigureText
    robustness_solvable: FigureText
    worst: FigureText
    best: FigureText
    tier: int | None
    styles: Mapping[str, str]


def standings(
    core: StudyResults, places: Mapping[str, TiedGroups], scope: str = OVERALL
) -> tuple[ModelFigures, ...]:
    """The models of an analysis on a data set or ``OVERALL``, best first."""
    claimed = places[scope]
    values = {model: own.places()[scope].value for model, own in core.performance.items()}
    # those without a figure last
    order = sorted(values, key=lambda model: (values[model] is None, -(values[model] or 0.0)))
    return tuple(
        ModelFigures(
            model=model,
            place=place,
            rank=format_ranks(claimed.ranks.get(model)),
            **{name: figure_text(getattr(core, name)[model].places()[scope]) for name in FIGURES},
            tier=claimed.groups.get(model),
            styles={name: "at-limit" if at_limit(core, model, name, scope) else "" for name in FIGURES},
        )
        for place, model in enumerate(order, 1)
    )
