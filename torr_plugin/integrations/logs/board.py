"""The scores of a leaderboard, as any log or table gives them: item by item, or as aggregates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

import pandas as pd

Status = Literal["scored", "failed", "unscored"]
"""Of an item: it has a score; the request failed; there is an answer, but the harness gave it no score."""

ITEM_COLUMNS = (
    *("model", "task", "config", "item", "replicate", "metric"),
    *("score", "status", "cluster", "same"),
)
"""A row a model, task, configuration, item, replicate and metric.

``config`` is empty where a task is asked in one way. ``item`` is a text, the same for all models.
``replicate`` counts from 0 (epochs, samples, trials). ``score`` is as the harness wrote it, NaN exactly where
``status`` is not ``scored``. ``cluster`` names what items share (a table, a passage), empty where nothing is
known. ``same`` is a digest of the question and its target, empty where the log has neither: one item with two
of them is not one item.
"""

AGGREGATE_COLUMNS = ("model", "task", "config", "metric", "score", "n", "error", "digits")
"""A row a model, task, configuration and metric of which there are no items.

``n`` is the number of items and ``error`` the standard error, both NaN where unknown; ``digits`` how many
decimals were written, so that n can be recovered from rounding, -1 where unknown.
"""


@dataclass(frozen=True)
class MetricScale:
    """How to read the scores of a metric.

    Attributes:
        low: the least score there can be.
        high: the greatest; None where there is none.
        higher_is_better: otherwise a lower score is better.
    """

    low: float = 0.0
    high: float | None = 1.0
    higher_is_better: bool = True


@dataclass(frozen=True)
class BoardScores:
    """What a reader finds in a path.

    Attributes:
        items: with ``ITEM_COLUMNS``.
        aggregates: with ``AGGREGATE_COLUMNS``; never of a model, task, configuration and metric in ``items``.
        scales: of the metrics, by name; one that is not here has scores from 0 to 1, the more the better.
        main: the metric that counts, by task; a task with one metric need not be here.
        notes: what was chosen, left out or repaired, a line each.
    """

    items: pd.DataFrame = field(default_factory=lambda: pd.DataFrame(columns=list(ITEM_COLUMNS)))
    aggregates: pd.DataFrame = field(default_factory=lambda: pd.DataFrame(columns=list(AGGREGATE_COLUMNS)))
    scales: Mapping[str, MetricScale] = field(default_factory=dict)
    main: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def joined(parts: Iterable[BoardScores]) -> BoardScores:
    """The scores of several paths as those of one board; what stands in more than one note is said once."""
    every = list(parts)
    return BoardScores(
        items=_stacked((part.items for part in every), ITEM_COLUMNS),
        aggregates=_stacked((part.aggregates for part in every), AGGREGATE_COLUMNS),
        scales={name: scale for part in every for name, scale in part.scales.items()},
        main={task: metric for part in every for task, metric in part.main.items()},
        notes=tuple(dict.fromkeys(note for part in every for note in part.notes)),
    )


def _stacked(frames: Iterable[pd.DataFrame], columns: tuple[str, ...]) -> pd.DataFrame:
    some = [frame for frame in frames if len(frame)]
    return pd.concat(some, ignore_index=True) if some else pd.DataFrame(columns=list(columns))
