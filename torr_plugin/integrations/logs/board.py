"""The scores of a leaderboard, as any log or table gives them: item by item, or as aggregates."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace

import pandas as pd

from ...core.errors import InputError

USUAL_METRICS = ("exact_match", "acc", "accuracy", "acc_norm", "pass@1", "f1", "rougeL", "score")
"""The main metric, where a log does not say which of several it is: the first of these that is there."""

ITEM_COLUMNS = (
    *("model", "task", "config", "item", "replicate", "metric"),
    *("score", "status", "cluster", "same"),
)
"""A row a model, task, configuration, item, replicate and metric.

``config`` is empty where a task is asked in one way. ``item`` is a text, the same for all models.
``replicate`` counts from 0 (epochs, samples, trials). ``status`` is ``scored``; ``failed``, of a request; or
``unscored``, where the harness gave an answer no score. ``score`` is as the harness wrote it, NaN exactly
where ``status`` is not ``scored``. ``cluster`` names what items share (a table, a passage), empty where
nothing is known. ``same`` is a digest of the question and its target, empty where the log has neither: one
item with two of them is not one item.
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

    def __str__(self) -> str:
        best = "the more the better" if self.higher_is_better else "the less the better"
        return f"{self.low:g} to {'any' if self.high is None else format(self.high, 'g')} ({best})"


@dataclass(frozen=True)
class BoardScores:
    """What a reader finds in a path.

    Attributes:
        items: with ``ITEM_COLUMNS``.
        aggregates: with ``AGGREGATE_COLUMNS``; never of a model, task, configuration and metric in ``items``.
        scales: of the metrics, by name; one that is not here has scores from 0 to 1, the more the better.
        main: the metric that counts, by task; a task with one metric need not be here.
        versions: of the tasks, where the files say them.
        notes: what was chosen, left out or repaired, a line each.
    """

    items: pd.DataFrame = field(default_factory=lambda: pd.DataFrame(columns=list(ITEM_COLUMNS)))
    aggregates: pd.DataFrame = field(default_factory=lambda: pd.DataFrame(columns=list(AGGREGATE_COLUMNS)))
    scales: Mapping[str, MetricScale] = field(default_factory=dict)
    main: Mapping[str, str] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def models(self) -> tuple[str, ...]:
        """The names of all models, in the order of the rows."""
        frames = (self.items, self.aggregates)
        return tuple(dict.fromkeys(str(name) for frame in frames for name in frame["model"].unique()))

    def changed(self, change: Callable[[pd.DataFrame], pd.DataFrame]) -> BoardScores:
        """The board with other rows of both kinds."""
        return replace(self, items=change(self.items), aggregates=change(self.aggregates))


def joined(parts: Iterable[BoardScores]) -> BoardScores:
    """The scores of several files as those of one board; what stands in more than one note is said once.

    Raises:
        InputError: a metric has two scales, or a task two versions.
    """
    every = list(parts)
    main: dict[str, set[str]] = {}
    for part in every:
        for task, metric in part.main.items():
            main.setdefault(task, set()).add(metric)
    several = {task: sorted(metrics) for task, metrics in main.items() if len(metrics) > 1}
    notes = [note for part in every for note in part.notes]
    notes += [
        f"{task}: no metric is the main one, as files differ: {', '.join(several[task])}" for task in several
    ]
    return BoardScores(
        items=stacked((part.items for part in every), ITEM_COLUMNS),
        aggregates=stacked((part.aggregates for part in every), AGGREGATE_COLUMNS),
        scales=_scales(every),
        main={task: min(metrics) for task, metrics in main.items() if task not in several},
        versions=_versions(every),
        notes=tuple(dict.fromkeys(notes)),
    )


def stacked(frames: Iterable[pd.DataFrame], columns: tuple[str, ...] = ITEM_COLUMNS) -> pd.DataFrame:
    """The rows of frames of the same columns, which an empty one has too."""
    some = [frame for frame in frames if len(frame)]
    return pd.concat(some, ignore_index=True) if some else pd.DataFrame(columns=list(columns))


def _scales(parts: Iterable[BoardScores]) -> dict[str, MetricScale]:
    """The scale of each metric; of one whose bounds a part does not know, the widest."""
    found: dict[str, MetricScale] = {}
    for part in parts:
        for metric in {*part.items["metric"].unique(), *part.aggregates["metric"].unique()}:
            scale = part.scales.get(metric, MetricScale())
            other = found.setdefault(metric, scale)
            if None in (scale.high, other.high) and scale.higher_is_better is other.higher_is_better:
                found[metric] = replace(scale, low=min(scale.low, other.low), high=None)
            elif scale != other:
                raise InputError(f"metric {metric!r}: has two scales, {other} and {scale}; expected one")
    return {metric: scale for metric, scale in found.items() if scale != MetricScale()}


def _versions(parts: Iterable[BoardScores]) -> dict[str, str]:
    found: dict[str, str] = {}
    for task, version in (each for part in parts for each in part.versions.items()):
        if found.setdefault(task, version) != version:
            raise InputError(f"task {task!r}: has two versions, {found[task]} and {version}; expected one")
    return found
