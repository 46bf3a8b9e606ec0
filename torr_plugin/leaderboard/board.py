"""The leaderboard: a row per model, over all data sets or on one, and the same as data for ``board.js``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..analysis import format_ranks
from ..analysis.result import OVERALL
from .claims.tiers import ClaimedPlaces
from .coverage import Bases
from .results import StudyResults, at_limit
from .views import FigureText, figure_text, shade

SHADES = 5
"""Steps in which the cells of a data set are shaded, from its lowest figure to its highest."""
_LEAST_SPAN = 0.05
FIGURES = ("performance", "headline_robustness", "robustness", "robustness_solvable", "worst", "best")


@dataclass(frozen=True)
class BoardRow:
    """A model's figures.

    Attributes:
        model: its name.
        place: by performance, from 1; models that tie keep the analysis's order.
        rank: the ranks that it may have, as text.
        datasets: its performance on each data set.
        tier: of models that no test separates from the best of them, from 1; None where there is none.
        styles: of the figures named in ``FIGURES``: the class of its cell, ours alone; "at-limit" of one that
            says little, so near is it to its floor or ceiling. ``dataset_styles``: likewise, else its shade.
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
    datasets: tuple[FigureText, ...]
    tier: int | None
    styles: Mapping[str, str]
    dataset_styles: tuple[str, ...]


@dataclass(frozen=True)
class Board:
    """Rows, best first, and the data sets of their last columns."""

    datasets: tuple[str, ...]
    rows: tuple[BoardRow, ...]


def board(core: StudyResults, places: Mapping[str, ClaimedPlaces], scope: str = OVERALL) -> Board:
    """The table of an analysis, or of its label-keeping part, on a data set or ``OVERALL``."""
    datasets, claimed = tuple(core.settings.examples), places[scope]
    values = {model: own.places()[scope].value for model, own in core.performance.items()}
    # those without a figure last
    order = sorted(values, key=lambda model: (values[model] is None, -(values[model] or 0.0)))
    columns = [shades([core.performance[model].datasets[name].value for model in order]) for name in datasets]

    def row(place: int, model: str) -> BoardRow:
        return BoardRow(
            model=model,
            place=place + 1,
            rank=format_ranks(claimed.ranks.get(model)),
            **{name: figure_text(getattr(core, name)[model].places()[scope]) for name in FIGURES},
            datasets=tuple(figure_text(core.performance[model].datasets[name]) for name in datasets),
            tier=claimed.tiers.get(model),
            styles={name: _limit(core, model, name, scope) for name in FIGURES},
            dataset_styles=tuple(
                _limit(core, model, "performance", name) or ("" if own is None else f"tint-{own}")
                for name, own in zip(datasets, (column[place] for column in columns), strict=True)
            ),
        )

    return Board(datasets, tuple(row(place, model) for place, model in enumerate(order)))


def _limit(core: StudyResults, model: str, figure: str, scope: str) -> str:
    return "at-limit" if at_limit(core, model, figure, scope) else ""


def shades(values: Sequence[float | None]) -> list[int | None]:
    """The shade of each value between the lowest and the highest; None where there is none."""
    known = [value for value in values if value is not None]
    return [
        None if value is None else shade(value, min(known), max(known), SHADES, _LEAST_SPAN)
        for value in values
    ]


def board_data(
    core: StudyResults,
    places: Mapping[str, ClaimedPlaces],
    bases: Bases,
    models: Sequence[str],
    figures: Sequence[str] = FIGURES,
) -> dict[str, Any]:
    """The boards over all data sets and on each, ready for JSON.

    ``models`` are in the order of the page's rows, to which all indices refer; ``figures`` are those of
    :data:`FIGURES` that the page has.

    Returns:
        ``scopes``: a list, over all data sets first, then each data set; ``rows`` is a list a model of
        ``[rank, tier, figure...]`` with the figures, each ``[text, bounds, value,
        complete, no width, class]``; ``order`` models best first; ``over`` the bases of the figures, ""
        where that is all. ``cells``: a list a model of its figure on each data set.
    """
    place = {model: index for index, model in enumerate(models)}
    scopes = {name: board(core, places, name) for name in (OVERALL, *core.settings.examples)}

    def in_order(found: Board) -> list[BoardRow]:
        return sorted(found.rows, key=lambda row: place[row.model])

    return {
        "scopes": [
            {
                "rows": [
                    [
                        row.rank,
                        row.tier,
                        *(_figure_data(getattr(row, key), row.styles[key]) for key in figures),
                    ]
                    for row in in_order(found)
                ],
                "order": [place[row.model] for row in found.rows],
                "over": [bases.get(name, {}).get(key, "") for key in figures],
            }
            for name, found in scopes.items()
        ],
        "cells": [
            [*map(_figure_data, row.datasets, row.dataset_styles)] for row in in_order(scopes[OVERALL])
        ],
    }


def _figure_data(figure: FigureText, style: str) -> list[Any]:
    value = figure.numbers[0]
    return [
        figure.value,
        figure.bounds,
        None if value is None else round(value, 4),
        int(figure.complete),
        int(figure.no_width),
        style,
    ]
