"""What board.js shows in place of the table in the page: every data set, and label-keeping configurations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from . import schema
from .board import FIGURES, Board, BoardRow, board
from .figures import FigureText


def board_data(core: schema.Core, models: Sequence[str]) -> dict[str, Any]:
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
