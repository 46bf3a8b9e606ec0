"""How far the figures of a study with a single model can be trusted: rankings need two models."""

from __future__ import annotations

import math
from collections.abc import Mapping

from ..analysis.figures.configurations import ConfigurationRanges
from ..analysis.result import Interval
from .beside import place_heads
from .results import StudyResults
from .views import DASH, View, ViewCell, drawn_ends, figure_cell, number_cell, whisker

WISHED = (0.10, 0.05, 0.03, 0.02, 0.01)
"""Halves of an interval's width that the page offers."""
_UNIT = (0.0, 1.0)


def spread_view(analysis: StudyResults, model: str, links: Mapping[str, str]) -> View:
    """How far the only model's scores move with the way of writing the table, a row per data set.

    Of one configuration its performance alone.
    """
    ranges = analysis.configuration_range.get(model) or ConfigurationRanges()
    performance, robustness = (
        own[model].places() for own in (analysis.performance, analysis.headline_robustness)
    )
    rows: list[tuple[ViewCell, ...]] = []
    for name, place in place_heads(links).items():
        own = ranges.places().get(name)
        rows.append(
            (
                place,
                figure_cell(performance[name], "num", whisker(performance[name], _UNIT)),
                figure_cell(robustness[name], "num robust", whisker(robustness[name], _UNIT)),
                *(
                    figure_cell(each) if each else DASH
                    for each in ((own.worst, own.best, own.range) if own else (None,) * 3)
                ),
            )
        )
    head = (
        "Data set",
        "Performance",
        "Robustness",
        "Worst configuration",
        "Best configuration",
        "Between them",
    )
    shown = len(head) if analysis.varied else 2
    return View(head[:shown], tuple(row[:shown] for row in rows))


def widths_view(analysis: StudyResults, model: str, title: str) -> View | None:
    """How many examples of each data set an interval of a desired width takes, in the same configurations.

    The variance of a mean over n examples falls as 1 / n; that of the mean over D data sets is the sum of
    theirs over D squared. None where no interval has a width.
    """
    counts = analysis.settings.examples
    figures = analysis.performance[model]
    # of one example: the variance of a data set's mean times its examples
    single = {
        name: half**2 * counts[name]
        for name, figure in figures.datasets.items()
        if (half := _half(figure)) is not None
    }
    rows = []
    if len(counts) > 1 and len(single) == len(counts):
        rows.append(_widths(title, _half(figures.overall), sum(single.values()) / len(single) ** 2))
    rows += [_widths(name, _half(figures.datasets[name]), variance) for name, variance in single.items()]
    if not rows:
        return None
    return View(("Data set", "Now", *(f"\N{PLUS-MINUS SIGN}{half:.2f}" for half in WISHED)), tuple(rows))


def _widths(name: str, now: float | None, variance: float) -> tuple[ViewCell, ...]:
    own = DASH if now is None else number_cell(f"\N{PLUS-MINUS SIGN}{now:.3f}")
    return (
        ViewCell(name),
        own,
        *(number_cell(max(1, math.ceil(variance / half**2 - 1e-9))) for half in WISHED),
    )


def _half(figure: Interval) -> float | None:
    low, high = drawn_ends(figure)
    return None if low is None or high is None else (high - low) / 2
