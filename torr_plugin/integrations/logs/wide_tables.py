"""Tables with a model a row or a column, and an item or a task in the other direction."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np

from ...analysis.number_format import format_names
from .board import BoardScores
from .frames import decoded, item_frame
from .long_tables import aggregated
from .scales import scaled
from .table_roles import ScoreTable, is_overall, snake_case

_NO_SCORE = re.compile("rank|#?param|size|price|cost|co2|like|hub|vote|date|year|licen")
"""Matches the beginnings of names of columns that hold no scores."""


def tasks_are_rows(table: ScoreTable) -> BoardScores:
    """A task a row, a model a column; the mean of tasks is left out."""
    tasks = table.names("task")
    overall = np.array([is_overall(name) for name in tasks])
    if overall.any() and not overall.all():
        table.note(f"left out, because their parts are here: {format_names(tasks[overall])}")
        overall = np.where(overall, np.nan, 0.0)
    known = {"task": tasks}
    if "n" in table.roles:
        known["n"] = table.columns.numbers(table.roles["n"]).values
    models = table.models(table.titles)
    table.note(f"tasks are the rows ({len(tasks):,}), models the columns ({len(models):,})")
    return aggregated(
        table,
        [
            (replace(each, values=each.values + overall), {**known, "model": model})
            for model, each in zip(models, table.numbers, strict=True)
        ],
    )


def models_are_rows(table: ScoreTable) -> BoardScores:
    """A model a row; columns are items where they are counted or hold only 0 and 1, else tasks."""
    models, names = table.models(table.names("model")), table.titles
    if _are_items(table):
        table.note(f"models are the rows ({len(models):,}), items the columns ({len(names):,})")
        return _matrix(table, np.column_stack([each.values for each in table.numbers]), models, names)
    scores = [name for name in names if not _NO_SCORE.match(snake_case(name))]
    tasks = [name for name in scores if not is_overall(name)] or scores
    if not tasks:
        raise table.unclear("has no column of scores")
    if left := [name for name in names if name not in tasks]:
        table.note(f"no task, or the mean of tasks, and left out: {format_names(left)}")
    table.note(f"models are the rows ({len(models):,}), tasks the columns: {format_names(tasks)}")
    known: dict[str, Any] = {"model": np.array(models, dtype=object)}
    if "rank" in table.roles:
        known["rank"] = table.columns.numbers(table.roles["rank"]).values
    parts = [(each, {**known, "task": name}) for name, each in zip(names, table.numbers, strict=True)]
    return aggregated(table, [part for part in parts if part[1]["task"] in tasks])


def models_are_columns(table: ScoreTable) -> BoardScores:
    """An item a row, with its id."""
    items, models = table.names("item"), table.models(table.titles)
    table.note(f"models are the columns ({len(models):,}), items the rows ({len(items):,})")
    percent = all(each.percent for each in table.numbers)
    return _matrix(table, np.vstack([each.values for each in table.numbers]), models, items, percent=percent)


def _matrix(
    table: ScoreTable, values: Any, models: list[str], items: Any, *, percent: bool = False
) -> BoardScores:
    """Models x items."""
    beside = {
        role: np.tile(names, len(models)) for role, names in table.known("task", "config", "cluster").items()
    }
    frame = item_frame(
        values.ravel(),
        model=decoded(models, np.repeat(np.arange(len(models)), len(items))),
        item=np.tile(np.array(items, dtype=object), len(models)),
        **{"task": table.path.stem, **beside},
    )
    part = scaled(table.path, frame, percent=percent, named=False)
    return BoardScores(part.frame, scales=part.scales, notes=(*table.notes, *part.notes))


def _are_items(table: ScoreTable) -> bool:
    """Whether columns are items: they are counted, or hold nothing but 0 and 1."""
    if all(name.isdecimal() for name in table.titles):
        return True
    return all(np.isin(each.values[~np.isnan(each.values)], (0, 1)).all() for each in table.numbers)
