"""The scores of a board as arrays, a task each: which metric, which models, which items."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from pathlib import Path
from typing import TypeVar

import numpy as np
import pandas as pd

from ..analysis.compare import Moments
from ..analysis.number_format import format_names
from ..analysis.statistics import example_means
from ..analysis.unpaired import known_means
from ..core.errors import InputError, UnknownNameError, counted
from ..core.names import lenient_name
from ..core.statistics import Booleans, ClusteredMeans, Floats, Integers, clustered_means, ratio_or_nan
from ..integrations.logs.board import BoardScores, MetricScale
from ..integrations.logs.counts import with_counts
from ..integrations.logs.reading import read_scores
from .scales import UnitScale, unit_scale

_ArraysT = TypeVar("_ArraysT", ClusteredMeans, Moments)


def chosen(where: Booleans, one: _ArraysT, other: _ArraysT) -> _ArraysT:
    """The elements of one or the other, in each of their arrays."""
    pairs = ((getattr(one, each.name), getattr(other, each.name)) for each in fields(one))
    return type(one)(*(np.where(where, *pair) for pair in pairs))


@dataclass(frozen=True)
class TaskScores:
    """The scores of a task, from 0 to 1, the more the better.

    Attributes:
        name: of the task.
        metric: that is compared.
        scale: of the metric.
        scores: (models x configurations x items), a mean over replicates; NaN where there is none.
        asked: (configurations x items), whether any model has a row, with a score or without.
        clusters: the number of what an item shares with others, from 0 on, (items,).
        published: of the models without items, (models,).
        config: the only one, where configurations are apart.
    """

    name: str
    metric: str
    scale: UnitScale
    scores: Floats
    asked: Booleans
    clusters: Integers
    published: ClusteredMeans
    config: str = ""

    @property
    def place(self) -> tuple[str, str]:
        """Name and configuration, which no other has."""
        return self.name, self.config

    @property
    def items(self) -> int:
        """How many have a score, or were to have one."""
        return len(self.clusters)

    @cached_property
    def means(self) -> ClusteredMeans:
        """Of all models, from their items or as published."""
        if not self.items:
            return self.published
        own = clustered_means(example_means(self.scores), self.clusters)
        known = ~np.isnan(own.mean)
        return chosen(known, own, self.published)

    @cached_property
    def by_item(self) -> Booleans:
        """Which models have scores item by item, (models,)."""
        return np.asarray(~np.isnan(self.scores).all(axis=(1, 2)))

    @cached_property
    def whole(self) -> Booleans:
        """Where a model has all that was asked of an item, (models x items)."""
        return np.asarray((~np.isnan(self.scores) | ~self.asked).all(axis=1))


@dataclass(frozen=True)
class ComparedScores:
    """What of a board is compared.

    Attributes:
        models: labels of the first axes.
        tasks: in the order of the board.
        given: the rank of each model that the board states, (models,); None where it states none.
        notes: what was chosen or left out, a line each.
    """

    models: tuple[str, ...]
    tasks: tuple[TaskScores, ...]
    given: Floats | None = None
    notes: tuple[str, ...] = field(default=())


def compared_scores(
    board: BoardScores,
    *,
    metric: str | None = None,
    configs_apart: bool = False,
) -> ComparedScores:
    """The scores of a board, of one metric a task.

    Args:
        board: from a reader.
        metric: for all tasks; None takes each task's main one.
        configs_apart: each configuration of a task is compared alone; else an item's score is the mean over
            the configurations that both models have.

    Raises:
        InputError: a task without the metric, or with several and no main one; fewer than two models.
    """
    there = _metrics(board)
    metrics = {task: _metric(task, names, board.main.get(task), metric) for task, names in there.items()}
    rows = board.changed(lambda frame: _chosen(frame, metrics))
    models = rows.models
    if len(models) < 2:
        found = f"one model, {models[0]!r}" if models else "no model"
        raise InputError(f"scores: found {found}; expected two models or more")
    scales, items = _scales(rows), rows.items
    aggregates = _without_items(rows.aggregates, items)
    found_tasks = [
        one
        for task, chosen in metrics.items()
        for one in _tasks(
            (task, chosen, scales[chosen]),
            (items[items["task"] == task], aggregates[aggregates["task"] == task]),
            models,
            apart=configs_apart,
        )
    ]
    notes = [*board.notes, *_metric_notes(metrics, there), *_notes(items, aggregates, found_tasks)]
    return ComparedScores(models, tuple(found_tasks), _given(aggregates, models), tuple(dict.fromkeys(notes)))


def read_board(
    paths: Sequence[Path], form: str | None, tasks: Sequence[str], counts: Mapping[str, int] | None
) -> BoardScores:
    """The scores in some paths.

    Args:
        paths: files and folders of any harness, or tables.
        form: their format; None finds it by content.
        tasks: only these; all where there are none.
        counts: of items, by task, where a mean score has no number and no error; None asks for none.

    Raises:
        InputError: a path cannot be read; an unknown task; a number of items is needed.
    """
    board = only_tasks(read_scores(paths, form), tasks)
    return board if counts is None else with_counts(board, counts)


def only_tasks(board: BoardScores, tasks: Sequence[str]) -> BoardScores:
    """The board with these tasks alone; as it is where there are none.

    Raises:
        UnknownNameError: a task is not there.
    """
    if not tasks:
        return board
    there = {str(name) for frame in (board.items, board.aggregates) for name in frame["task"].unique()}
    for task in tasks:
        if task not in there:
            raise UnknownNameError("task", task, there, "--tasks")
    return board.changed(lambda frame: frame[frame["task"].isin(tasks)])


def _metrics(board: BoardScores) -> dict[str, list[str]]:
    """Task -> all of its metrics."""
    there: dict[str, list[str]] = {}
    for frame in (board.items, board.aggregates):
        for task, name in frame[["task", "metric"]].drop_duplicates().astype(str).itertuples(index=False):
            own = there.setdefault(task, [])
            own += [name] * (name not in own)
    return there


def _metric(task: str, names: Sequence[str], main: str | None, wished: str | None) -> str:
    if wished is not None:
        if wished not in names:
            raise InputError(
                f"--metric {wished}: task {task!r} has no such metric; expected one of: {', '.join(names)}"
            )
        return wished
    if len(names) == 1:
        return names[0]
    if main not in names and {*names} == {"score", "percent"}:  # of tables that name no metric
        raise InputError(
            f"task {task!r}: has shares in one file and percentages in another; expected one scale"
        )
    if main not in names:
        raise InputError(
            f"task {task!r}: has {counted(len(names), 'metric')} ({', '.join(names)}) and none of them is "
            "the main one; expected --metric"
        )
    return str(main)


def _metric_notes(metrics: Mapping[str, str], there: Mapping[str, Sequence[str]]) -> list[str]:
    """Which metric counts, of which tasks and instead of which others."""
    chosen: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for task, metric in metrics.items():
        # our lenient score stands beside each main one
        others = tuple(name for name in there[task] if name not in (metric, lenient_name(metric)))
        chosen.setdefault((metric, others), []).append(task)
    found = []
    for (metric, others), tasks in chosen.items():
        of = f" of {format_names(tasks)}" if len(chosen) > 1 else ""
        found.append(f"metric: {metric}{of}{f', not {format_names(others)}' if others else ''}")
    return found


def _chosen(frame: pd.DataFrame, metrics: Mapping[str, str]) -> pd.DataFrame:
    wanted = frame["task"].astype(str).map(metrics)
    rows: pd.DataFrame = frame[(wanted == frame["metric"].astype(str)).to_numpy()]
    return rows


def _scales(board: BoardScores) -> dict[str, UnitScale]:
    found: dict[str, list[pd.Series[float]]] = {}
    for frame in (board.items, board.aggregates):
        for metric, own in frame.groupby("metric", observed=True)["score"]:
            found.setdefault(str(metric), []).append(own.astype(float))
    return {
        metric: unit_scale(board.scales.get(metric, MetricScale()), pd.concat(own))
        for metric, own in found.items()
    }


def _without_items(aggregates: pd.DataFrame, items: pd.DataFrame) -> pd.DataFrame:
    """The aggregates of a model on the tasks of which it has no items."""
    known = pd.MultiIndex.from_frame(items[["model", "task"]].drop_duplicates())
    left: pd.DataFrame = aggregates[~pd.MultiIndex.from_frame(aggregates[["model", "task"]]).isin(known)]
    return left


def _tasks(
    of: tuple[str, str, UnitScale],
    rows: tuple[pd.DataFrame, pd.DataFrame],
    models: tuple[str, ...],
    *,
    apart: bool,
) -> Iterable[TaskScores]:
    configs = [""]
    if apart:
        configs = list(dict.fromkeys(str(name) for frame in rows for name in frame["config"].unique()))
    for config in configs:
        own, means = (
            frame[(frame["config"].astype(str) == config).to_numpy()] if apart else frame for frame in rows
        )
        yield TaskScores(*of, *_array(own, models, of[2]), _published(means, models, of[2]), config)


def _array(
    rows: pd.DataFrame, models: tuple[str, ...], scale: UnitScale
) -> tuple[Floats, Booleans, Integers]:
    """Means over replicates, (models x configurations x items); the cells that were asked; clusters."""
    model = pd.Index(models).get_indexer(pd.Index(rows["model"].astype(str)))
    (config, configs), (item, items) = (
        pd.factorize(rows[name].astype(str), sort=True) for name in ("config", "item")
    )
    shape = len(models), max(len(configs), 1), len(items)
    place = np.ravel_multi_index((model, config, item), shape) if len(rows) else np.zeros(0, dtype=int)
    score = rows["score"].to_numpy(dtype=float)
    scored = ~np.isnan(score)
    size = int(np.prod(shape))
    counts = np.bincount(place[scored], minlength=size).astype(float)
    sums = np.bincount(place[scored], weights=scale.unit(score[scored]), minlength=size).astype(float)
    asked = np.zeros(shape[1:], dtype=bool)
    asked[config, item] = True
    clusters = _clusters(rows["cluster"].astype(str), item, len(items))
    return ratio_or_nan(sums, counts).reshape(shape), asked, clusters


def _clusters(names: pd.Series[str], item: Integers, items: int) -> Integers:
    """The number of each item's cluster; an item without one is a cluster of its own."""
    known = (names != "").to_numpy()
    codes, clusters = pd.factorize(names[known])
    found = np.arange(items) + len(clusters)
    found[item[known][::-1]] = codes[::-1]  # where rows differ, the first counts
    return np.asarray(np.unique(found, return_inverse=True)[1], dtype=np.int64)


def _published(rows: pd.DataFrame, models: tuple[str, ...], scale: UnitScale) -> ClusteredMeans:
    """Of several configurations the mean, with the largest error it may have: that of equal errors."""
    numbers = rows[["score", "n", "error"]].astype(float)
    grouped = numbers.groupby(rows["model"].astype(str).to_numpy())
    own = pd.DataFrame(
        {
            "score": grouped["score"].mean(),
            "n": grouped["n"].min(),
            "error": grouped["error"].agg(lambda errors: errors.mean(skipna=False)),
        }
    ).reindex(list(models))
    score, n, error = (own[name].to_numpy(dtype=float) for name in own)
    return known_means(scale.unit(score), n, error / scale.span, bounded=scale.bounded)


def _given(aggregates: pd.DataFrame, models: tuple[str, ...]) -> Floats | None:
    """The ranks that a table states, the least of each model."""
    if "rank" not in aggregates or aggregates["rank"].isna().all():
        return None
    ranks = aggregates["rank"].astype(float).groupby(aggregates["model"].astype(str).to_numpy()).min()
    return np.asarray(ranks.reindex(list(models)), dtype=float)


def _notes(items: pd.DataFrame, aggregates: pd.DataFrame, tasks: Sequence[TaskScores]) -> Iterable[str]:
    if len(items):
        status = items["status"].astype(str)
        for kind, what in (("failed", "failed requests"), ("unscored", "answers without a score")):
            if count := int((status == kind).sum()):
                yield f"{count:,} of {len(items):,} scores are missing: {what}"
        most = int(items["replicate"].max()) + 1
        if most > 1:
            yield f"up to {most} replicates of an item: its score is their mean"
        if any(int(task.clusters.max(initial=-1)) + 1 < task.items for task in tasks):
            yield "items that share a cluster are drawn together"
    if len(aggregates):
        yield (
            "where one of two models has no scores of items, they are compared unpaired: that is "
            "conservative only where their answers correlate positively"
        )
