"""Where a model stands among all models on each data set."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import median

from ..analysis import format_ranks
from ..analysis.result import Everywhere, Interval
from .claims.tiers import Ranks
from .views import FigureText, figure_text


@dataclass(frozen=True)
class DatasetStanding:
    """A model's figure on a data set, and all models' least, middle and greatest.

    ``ranks``: those that it may have by what is claimed, as text; "" where that is not known.
    """

    dataset: str
    figure: Interval
    text: FigureText
    least: float | None
    middle: float | None
    greatest: float | None
    ranks: str
    models: int


def standings(
    figures: Mapping[str, Everywhere],
    model: str,
    ranks: Mapping[str, Ranks],
) -> tuple[DatasetStanding, ...]:
    """One per data set, in the figures' order.

    ``ranks``: data set -> model -> the first and the last rank that it may have; perhaps empty.
    """
    return tuple(_standing(name, figures, model, ranks.get(name) or {}) for name in figures[model].datasets)


def _standing(dataset: str, figures: Mapping[str, Everywhere], model: str, ranks: Ranks) -> DatasetStanding:
    own = figures[model].datasets[dataset]
    known = [value for each in figures.values() if (value := each.datasets[dataset].value) is not None]
    return DatasetStanding(
        dataset=dataset,
        figure=own,
        text=figure_text(own),
        least=min(known, default=None),
        middle=median(known) if known else None,
        greatest=max(known, default=None),
        ranks=format_ranks(ranks[model]) if ranks.get(model) else "",
        models=len(known),
    )
