"""The leaderboard: a row per model, over all data sets or on one, and the same as data for ``board.js``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..analysis import format_ranks
from ..analysis.result import Everywhere, Interval
from .results import StudyResults
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
        ranks: the same as numbers; None where it has no figure.
        datasets: its performance on each data set; ``shades`` the shade of each (0 to SHADES - 1, or None).
        tier: of models that no test separates from the best of them, from 1; None where it has no figure.
    """

    model: str
    place: int
    rank: str
    ranks: tuple[int, int] | None
    performance: FigureText
    headline_robustness: FigureText
    robustness: FigureText
    robustness_solvable: FigureText
    worst: FigureText
    best: FigureText
    datasets: tuple[FigureText, ...]
    shades: tuple[int | None, ...]
    tier: int | None


@dataclass(frozen=True)
class Board:
    """Rows, best first, and the data sets of their last columns."""

    datasets: tuple[str, ...]
    rows: tuple[BoardRow, ...]


def model_tiers(core: StudyResults, dataset: str | None = None) -> Mapping[str, int]:
    """Model -> its tier, from 1, over all data sets or on one."""
    found = core.tiers.overall if dataset is None else core.tiers.datasets.get(dataset, [])
    return {model: tier for tier, models in enumerate(found, 1) for model in models}


def board(core: StudyResults, dataset: str | None = None) -> Board:
    """The table of the figures of an analysis, or of its label-keeping part.

    Args:
        core: the figures.
        dataset: take the figures on this data set instead of those over all.
    """
    datasets = tuple(core.settings.examples)
    order = _ranked(core, dataset)
    tiers = model_tiers(core, dataset)
    ranks = core.rank_intervals_datasets.get(dataset, {}) if dataset else core.rank_intervals
    columns = [shades([core.performance[model].datasets[name].value for model in order]) for name in datasets]

    def row(place: int, model: str) -> BoardRow:
        return BoardRow(
            model=model,
            place=place + 1,
            rank=format_ranks(ranks.get(model)),
            ranks=ranks.get(model),
            **{name: figure_text(_figure(getattr(core, name)[model], dataset)) for name in FIGURES},
            datasets=tuple(figure_text(core.performance[model].datasets[name]) for name in datasets),
            shades=tuple(column[place] for column in columns),
            tier=tiers.get(model),
        )

    return Board(datasets, tuple(row(place, model) for place, model in enumerate(order)))


def _ranked(core: StudyResults, dataset: str | None) -> list[str]:
    """Best performance first; models without one last."""
    values = {model: _figure(figures, dataset).value for model, figures in core.performance.items()}
    return sorted(values, key=lambda model: (values[model] is None, -(values[model] or 0.0)))


def _figure(figures: Everywhere, dataset: str | None) -> Interval:
    return figures.overall if dataset is None else figures.datasets[dataset]


def shades(values: Sequence[float | None]) -> list[int | None]:
    """The shade of each value between the lowest and the highest; None where there is none.

    Values that lie closer together than 0.05 share the lighter shades, so that noise is not painted.
    """
    known = [value for value in values if value is not None]
    return [
        None if value is None else shade(value, min(known), max(known), SHADES, _LEAST_SPAN)
        for value in values
    ]


def board_data(core: StudyResults, models: Sequence[str]) -> dict[str, Any]:
    """The boards over all data sets and on each, ready for JSON.

    Args:
        core: the figures.
        models: in the order of the page's rows, to which all indices refer.

    Returns:
        ``scopes``: a list, over all data sets first, then each data set; ``figures`` is a list a model of
        ``[rank, first place, last place, figure...]`` with the figures of :data:`FIGURES`, each
        ``[text, bounds, value, low, high, complete]``; ``order`` models best first; ``tiers`` the tier of
        each model, or null. ``cells``: a list a model of its figure on each data set, the shade added.
    """
    datasets = tuple(core.settings.examples)
    place = {model: index for index, model in enumerate(models)}
    scopes = [board(core), *(board(core, name) for name in datasets)]
    by_model = {row.model: row for row in scopes[0].rows}
    rows = [by_model[model] for model in models]
    return {
        "scopes": [_scope(each, place) for each in scopes],
        "cells": [
            [[*_figure_data(figure), own] for figure, own in zip(row.datasets, row.shades, strict=True)]
            for row in rows
        ],
    }


def _scope(found: Board, place: dict[str, int]) -> dict[str, Any]:
    rows = sorted(found.rows, key=lambda row: place[row.model])
    return {
        "figures": [_row_data(row) for row in rows],
        "order": [place[row.model] for row in found.rows],
        "tiers": [row.tier for row in rows],
    }


def _row_data(row: BoardRow) -> list[Any]:
    first, last = row.ranks or (None, None)
    return [row.rank, first, last, *(_figure_data(getattr(row, name)) for name in FIGURES)]


def _figure_data(figure: FigureText) -> list[Any]:
    return [
        figure.value,
        figure.bounds,
        *(None if value is None else round(value, 4) for value in figure.numbers),
        int(figure.complete),
    ]
