"""Tables with a model a row or a column, and an item or a task in the other direction."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...analysis.number_format import format_names
from .board import BoardScores
from .frames import decoded, item_frame
from .long_tables import aggregated
from .scales import scaled
from .table_files import Numbers
from .table_roles import ScoreTable, is_overall, snake_case

_NO_SCORE = (
    "rank",
    "param",
    "#param",
    "size",
    "price",
    "cost",
    "co2",
    "like",
    "hub",
    "vote",
    "date",
    "year",
    "licen",
)


def models_are_rows(table: ScoreTable) -> BoardScores:
    """A model a row; columns are items where they are counted or hold only 0 and 1, else tasks.

    Raises:
        InputError: a column stands twice.
    """
    return _rows(table, table.names("model"))


def models_are_columns(table: ScoreTable) -> BoardScores:
    """An item a row, with its id.

    Raises:
        InputError: an id stands twice.
    """
    return _columns(table, table.names("item"))


def tasks_are_rows(table: ScoreTable) -> BoardScores:
    """A task a row, a model a column; the mean of tasks is left out.

    Raises:
        InputError: a task stands twice.
    """
    tasks = table.names("task")
    overall = np.array([is_overall(name) for name in tasks])
    if overall.any() and not overall.all():
        table.note(f"left out, because their parts are here: {format_names(tasks[overall])}")
        overall = np.where(overall, np.nan, 0.0)
    known = {"task": tasks}
    if "n" in table.roles:
        known["n"] = table.columns.numbers(table.roles["n"]).values
    models = table.models(table.title(at) for at in table.numeric)
    table.note(f"tasks are the rows ({len(tasks):,}), models the columns ({len(models):,})")
    numbers = [table.columns.numbers(at) for at in table.numeric]
    return aggregated(
        table,
        [
            (Numbers(each.values + overall, each.digits, each.percent), {**known, "model": model})
            for model, each in zip(models, numbers, strict=True)
        ],
    )


def unnamed(table: ScoreTable) -> BoardScores:
    """No column's name says what it is: what is counted are items, else those of which there are more.

    Raises:
        InputError: this leaves open what is meant.
    """
    label = next((at for at in table.others if at not in table.numeric), None)
    first = table.title(table.others[0])
    if label is None and (
        not first or first.startswith("Unnamed:") or first in ("index", "__index_level_0__")
    ):
        label = table.others[0]
    table = table if label is None else table.without(label)
    titles, rows = [table.title(at) for at in table.numeric], table.columns.table.num_rows
    counted = all(title.isdecimal() for title in titles)
    if label is None:
        if counted:
            raise table.unclear("has no names of models")
        table.note("items have no ids; the number of the row counts")
        return _columns(table, np.arange(rows).astype(str).astype(object))
    if not _are_items(titles, [table.columns.numbers(at) for at in table.numeric]):
        raise table.unclear("leaves open what its rows are; call the first column model, item or task")
    labels = table.texts(label)
    counted_rows = all(each.isdecimal() for each in labels)
    if counted == counted_rows and rows == len(titles):
        raise table.unclear("has as many rows as columns; call the first column model or item")
    items_are_rows = counted_rows if counted != counted_rows else rows > len(titles)
    return _columns(table, labels) if items_are_rows else _rows(table, labels)


def _rows(table: ScoreTable, labels: Any) -> BoardScores:
    models, names = table.models(labels), [table.title(at) for at in table.numeric]
    numbers = [table.columns.numbers(at) for at in table.numeric]
    if _are_items(names, numbers):
        table.check_once("column", names)
        table.note(f"models are the rows ({len(models):,}), items the columns ({len(names):,})")
        return _matrix(table, np.column_stack([each.values for each in numbers]), models, names)
    scores = [name for name in names if not snake_case(name).startswith(_NO_SCORE)]
    tasks = [name for name in scores if not is_overall(name)] or scores
    if not tasks:
        raise table.unclear("has no column of scores")
    table.check_once("column", tasks)
    if left := [name for name in names if name not in tasks]:
        table.note(f"no task, or the mean of tasks, and left out: {format_names(left)}")
    table.note(f"models are the rows ({len(models):,}), tasks the columns: {format_names(tasks)}")
    known: dict[str, Any] = {"model": np.array(models, dtype=object)}
    if "rank" in table.roles:
        known["rank"] = table.columns.numbers(table.roles["rank"]).values
    parts = [(each, {**known, "task": name}) for name, each in zip(names, numbers, strict=True)]
    return aggregated(table, [part for part in parts if part[1]["task"] in tasks])


def _columns(table: ScoreTable, items: Any) -> BoardScores:
    if "task" not in table.roles and "config" not in table.roles:
        table.check_once("item", items)
    models = table.models(table.title(at) for at in table.numeric)
    table.note(f"models are the columns ({len(models):,}), items the rows ({len(items):,})")
    numbers = [table.columns.numbers(at) for at in table.numeric]
    percent = all(each.percent for each in numbers)
    return _matrix(table, np.vstack([each.values for each in numbers]), models, items, percent=percent)


def _matrix(
    table: ScoreTable, values: Any, models: list[str], items: Any, *, percent: bool = False
) -> BoardScores:
    """Models x items."""
    beside = {
        role: np.tile(names, len(models)) for role, names in table.known("task", "config", "cluster").items()
    }
    frame = item_frame(
        table.path,
        values.ravel(),
        model=decoded(models, np.repeat(np.arange(len(models)), len(items))),
        item=np.tile(np.array(items, dtype=object), len(models)),
        **{"task": table.path.stem, **beside},
    )
    part = scaled(table.path, frame, percent=percent, named=False)
    return BoardScores(part.frame, scales=part.scales, notes=(*table.notes, *part.notes))


def _are_items(names: list[str], numbers: list[Numbers]) -> bool:
    """Whether columns are items: they are counted, or hold nothing but 0 and 1."""
    if all(name.isdecimal() for name in names):
        return True
    return all(((each.values == 0) | (each.values == 1) | np.isnan(each.values)).all() for each in numbers)
