"""Where a model stands among all models on each data set."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import median

from ..analysis import format_ranks
from ..analysis.result import Everywhere, Interval
from .views import FigureText, figure_text


@dataclass(frozen=True)
class DatasetStanding:
    """A model's figure on a data set, and all models' least, middle and greatest.

    ``rank`` is its place by the value (equal values share the better place), None without one or without
    another model; ``ranks``: those that it may have, as text; "" where that is not known.
    """

    dataset: str
    figure: Interval
    text: FigureText
    least: float | None
    middle: float | None
    greatest: float | None
    rank: int | None
    ranks: str
    models: int


def standings(
    figures: Mapping[str, Everywhere],
    model: str,
    intervals: Mapping[str, Mapping[str, tuple[int, int] | None]],
) -> tuple[DatasetStanding, ...]:
    """One per data set, in the figures' order.

    Args:
        figures: model -> its figures, of performance or of robustness; higher is better.
        model: whose standing it is.
        intervals: data set -> model -> the first and the last rank that it may have; perhaps empty.
    """
    return tuple(
        _standing(name, figures, model, intervals.get(name) or {}) for name in figures[model].datasets
    )


def _standing(
    dataset: str,
    figures: Mapping[str, Everywhere],
    model: str,
    ranks: Mapping[str, tuple[int, int] | None],
) -> DatasetStanding:
    own = figures[model].datasets[dataset]
    known = [value for each in figures.values() if (value := each.datasets[dataset].value) is not None]
    return DatasetStanding(
        dataset=dataset,
        figure=own,
        text=figure_text(own),
        least=min(known, default=None),
        middle=median(known) if known else None,
        greatest=max(known, default=None),
        rank=None if own.value is None or len(known) < 2 else 1 + sum(value > own.value for value in known),
        ranks=format_ranks(ranks.get(model)) if ranks else "",
        models=len(known),
    )
