"""The leaderboard itself: a row a model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..analysis import format_ranks
from . import schema
from .figures import Shown, shown


@dataclass(frozen=True)
class Row:
    """A model's figures. ``rank_sort`` is the number to sort places by; ``datasets`` are performances."""

    model: str
    rank: str
    rank_sort: str
    performance: Shown
    robustness: Shown
    robustness_solvable: Shown
    worst: Shown
    best: Shown
    datasets: tuple[Shown, ...]
    datasets_robustness: tuple[Shown, ...]


@dataclass(frozen=True)
class Board:
    """Rows, best first, and the data sets of their last columns."""

    datasets: tuple[str, ...]
    rows: tuple[Row, ...]


def board(core: schema.Core) -> Board:
    """The table of the figures of an analysis, or of its label-keeping part."""
    datasets = tuple(core.settings.examples)
    return Board(datasets, tuple(_row(core, model, datasets) for model in _ranked(core)))


def _ranked(core: schema.Core) -> list[str]:
    """Best overall performance first; models without one last."""
    values = {model: figures.overall.value for model, figures in core.performance.items()}
    return sorted(values, key=lambda model: (values[model] is None, -(values[model] or 0.0)))


def _row(core: schema.Core, model: str, datasets: Sequence[str]) -> Row:
    ranks = core.rank_intervals.get(model)
    performance, robustness = core.performance[model], core.robustness[model]
    return Row(
        model=model,
        rank=format_ranks(ranks),
        rank_sort=f"{ranks[0]}.{ranks[1]:06d}" if ranks else "",
        performance=shown(performance.overall),
        robustness=shown(robustness.overall),
        robustness_solvable=shown(core.robustness_solvable[model].overall),
        worst=shown(core.worst[model].overall),
        best=shown(core.best[model].overall),
        datasets=tuple(shown(performance.datasets[name]) for name in datasets),
        datasets_robustness=tuple(shown(robustness.datasets[name]) for name in datasets),
    )
