"""The leaderboard: a row per model, over all data sets or on one, and the same as data for ``board.js``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..analysis import format_ranks
from ..analysis.result import Everywhere, Interval
from .pairwise import Bar, Separated, bars, not_separated, separated
from .results import StudyResults
from .views import FigureText, figure_text

SHADES = 5
"""Steps in which the cells of a data set are shaded, from its lowest figure to its highest."""
_LEAST_SPAN = 0.05
FIGURES = ("performance", "robustness", "robustness_solvable", "worst", "best")


@dataclass(frozen=True)
class BoardRow:
    """A model's figures.

    Attributes:
        model: its name.
        place: by performance, from 1; models that tie stand in the analysis's order.
        rank: the places that it takes in resamples, as text.
        ranks: the same as numbers; None where it has no figure.
        datasets: its performance on each data set; ``shades`` the shade of each (0 to SHADES - 1, or None).
        same: the other models that the paired test does not separate from it.
        cut: whether the paired test separates it from the row above; None for the first, or if not tested.
        bars: those that pass this row.
    """

    model: str
    place: int
    rank: str
    ranks: tuple[int, int] | None
    performance: FigureText
    robustness: FigureText
    robustness_solvable: FigureText
    worst: FigureText
    best: FigureText
    datasets: tuple[FigureText, ...]
    shades: tuple[int | None, ...]
    same: tuple[str, ...]
    cut: bool | None
    bars: tuple[Bar, ...]


@dataclass(frozen=True)
class Board:
    """Rows, best first, the data sets of their last columns, the bars, and how many stand side by side."""

    datasets: tuple[str, ...]
    rows: tuple[BoardRow, ...]
    bars: tuple[Bar, ...]
    lanes: int


@dataclass(frozen=True)
class _Scope:
    """What all rows share."""

    core: StudyResults
    dataset: str | None
    order: Sequence[str]
    apart: Separated
    same: Mapping[str, tuple[str, ...]]
    bars: tuple[Bar, ...]
    shades: Mapping[str, tuple[int | None, ...]]


def board(core: StudyResults, dataset: str | None = None) -> Board:
    """The table of the figures of an analysis, or of its label-keeping part.

    Args:
        core: the figures.
        dataset: whose figures stand in the columns that are over all data sets otherwise.
    """
    datasets = tuple(core.settings.examples)
    order = _ranked(core, dataset)
    known = [model for model in order if _figure(core.performance[model], dataset).value is not None]
    apart = separated(core, dataset)
    found = bars(known, apart)
    scope = _Scope(
        core, dataset, order, apart, not_separated(known, apart), found, _shades(core, order, datasets)
    )
    rows = tuple(_row(scope, place) for place in range(len(order)))
    return Board(datasets, rows, found, 1 + max((bar.lane for bar in found), default=-1))


def _ranked(core: StudyResults, dataset: str | None) -> list[str]:
    """Best performance first; models without one last."""
    values = {model: _figure(figures, dataset).value for model, figures in core.performance.items()}
    return sorted(values, key=lambda model: (values[model] is None, -(values[model] or 0.0)))


def _figure(figures: Everywhere, dataset: str | None) -> Interval:
    return figures.overall if dataset is None else figures.datasets[dataset]


def _row(scope: _Scope, place: int) -> BoardRow:
    core, dataset, model = scope.core, scope.dataset, scope.order[place]
    of_scope = core.rank_intervals_datasets.get(dataset, {}) if dataset else core.rank_intervals
    ranks = of_scope.get(model)
    datasets = tuple(core.settings.examples)

    def of(figures: Mapping[str, Everywhere]) -> FigureText:
        return figure_text(_figure(figures[model], dataset))

    return BoardRow(
        model=model,
        place=place + 1,
        rank=format_ranks(ranks),
        ranks=ranks,
        performance=of(core.performance),
        robustness=of(core.robustness),
        robustness_solvable=of(core.robustness_solvable),
        worst=of(core.worst),
        best=of(core.best),
        datasets=tuple(figure_text(core.performance[model].datasets[name]) for name in datasets),
        shades=scope.shades[model],
        same=scope.same.get(model, ()),
        cut=_cut(scope, place),
        bars=tuple(bar for bar in scope.bars if bar.first <= place <= bar.last),
    )


def _cut(scope: _Scope, place: int) -> bool | None:
    """Whether the model at this place is separated from the one above."""
    pair = scope.order[place - 1 : place + 1] if place else ()
    return scope.apart(*pair) if pair and all(model in scope.same for model in pair) else None


def _shades(
    core: StudyResults, models: Sequence[str], datasets: Sequence[str]
) -> Mapping[str, tuple[int | None, ...]]:
    columns = [
        shades([core.performance[model].datasets[name].value for model in models]) for name in datasets
    ]
    return {model: tuple(column[place] for column in columns) for place, model in enumerate(models)}


def shades(values: Sequence[float | None]) -> list[int | None]:
    """The shade of each value between the lowest and the highest; None where there is none.

    Values that lie closer together than 0.05 share the lighter shades, so that noise is not painted.
    """
    known = [value for value in values if value is not None]
    if not known:
        return [None] * len(values)
    low, span = min(known), max(max(known) - min(known), _LEAST_SPAN)
    return [
        None if value is None else min(SHADES - 1, int((value - low) / span * SHADES)) for value in values
    ]


def board_data(core: StudyResults, models: Sequence[str]) -> dict[str, Any]:
    """The boards over all data sets and on each, ready for JSON.

    Args:
        core: the figures.
        models: in the order of the page's rows, to which all indices refer.

    Returns:
        ``scopes``: a list, over all data sets first, then each data set; ``figures`` is a list a model of
        ``[rank, first place, last place, figure...]`` with the figures of :data:`FIGURES`, each
        ``[text, bounds, value, low, high, complete]``; ``order`` models best first; ``same`` a list a
        model of those not separated from it; ``bars`` ``[first place, last place, lane]``. ``cells``: a list
        a model of its figure on each data set, the shade added.
    """
    datasets = tuple(core.settings.examples)
    place = {model: index for index, model in enumerate(models)}
    scopes = [board(core), *(board(core, name) for name in datasets)]
    by_model = {row.model: row for row in scopes[0].rows}
    return {
        "scopes": [_scope(each, place) for each in scopes],
        "cells": [
            [
                [*_figure_data(figure), shade]
                for figure, shade in zip(by_model[model].datasets, by_model[model].shades, strict=True)
            ]
            for model in models
        ],
    }


def _scope(found: Board, place: dict[str, int]) -> dict[str, Any]:
    rows = sorted(found.rows, key=lambda row: place[row.model])
    return {
        "figures": [_row_data(row) for row in rows],
        "order": [place[row.model] for row in found.rows],
        "same": [[place[model] for model in row.same] for row in rows],
        "known": [int(row.performance.x is not None) for row in rows],
        "bars": [[bar.first, bar.last, bar.lane] for bar in found.bars],
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
