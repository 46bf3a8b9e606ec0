"""Tables with a row a score: of an item, or of a model and task."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from ...core.errors import InputError
from .board import BoardScores, stacked
from .frames import aggregate_frame, error_of_interval, item_frame
from .scales import scaled
from .solved import solved_frame
from .table_files import Numbers
from .table_roles import ScoreTable


def items(table: ScoreTable, score_columns: list[int]) -> BoardScores:
    """A row an item and model, with one score or one a metric.

    Raises:
        InputError: a cell is not what its column is to hold.
    """
    titles = _titles(table, score_columns)
    known = {"task": table.path.stem, **table.known("model", "task", "item", "config", "cluster")}
    if "replicate" in table.roles:
        known["replicate"] = pd.factorize(table.names("replicate"), sort=True)[0]
    parts = []
    for at, title in zip(score_columns, titles, strict=True):
        numbers = table.columns.numbers(at)
        several = {"metric": title} if len(titles) > 1 else table.known("metric")
        frame = item_frame(numbers.values, **known, **several)
        parts.append(scaled(table.path, frame, percent=numbers.percent, named=bool(several)))
    table.note(f"a row a score ({table.columns.table.num_rows:,}); {titles[0]} counts")
    return BoardScores(
        stacked(part.frame for part in parts),
        scales={name: scale for part in parts for name, scale in part.scales.items()},
        main=dict.fromkeys(parts[0].frame["task"].unique(), titles[0]) if len(titles) > 1 else {},
        notes=(*table.notes, *dict.fromkeys(note for part in parts for note in part.notes)),
    )


def _titles(table: ScoreTable, score_columns: list[int]) -> list[str]:
    """The names of the columns of scores, of which several are metrics."""
    if "metric" in table.roles and len(score_columns) > 1:
        raise table.unclear("has a column metric and several columns of scores")
    return [table.title(at) for at in score_columns]


def solved_items(table: ScoreTable) -> BoardScores:
    """A row a model and an item that it solved, with the number of all items of the task.

    Raises:
        InputError: that number is not there, differs within a task, or is too small.
    """
    if "n" not in table.roles:
        raise table.unclear("lists solved items without scores; add a column n with the number of all items")
    item = table.names("solved" if "solved" in table.roles else "item")
    known = {"task": table.path.stem, **table.known("model", "task")}
    rows = pd.DataFrame({**known, "item": item, "n": table.columns.numbers(table.roles["n"]).values})
    parts = []
    for task, own in rows.groupby("task", sort=False):
        if own["n"].nunique(dropna=False) > 1:
            raise InputError(f"{table.path}: {task}: n differs from row to row; expected one number of items")
        solved = own.groupby("model", sort=False)["item"].agg(list).to_dict()
        parts.append(solved_frame(table.path, str(task), solved, own["n"].iloc[0]))
    table.note("a row a solved item; all others of a task count as not solved")
    return BoardScores(stacked(parts), notes=tuple(table.notes))


def aggregates(table: ScoreTable, score_columns: list[int]) -> BoardScores:
    """A row a model and task, with the number of items, a standard error or an interval, if there is one.

    Several columns of scores are metrics; an error is then the first one's.

    Raises:
        InputError: a cell is not what its column is to hold.
    """
    roles, read, titles = table.roles, table.columns.numbers, _titles(table, score_columns)
    known: dict[str, Any] = {"task": table.path.stem, **table.known("model", "task", "config", "metric")}
    known |= {role: read(roles[role]).values for role in ("n", "error", "rank") if role in roles}
    if "error" not in roles and {"low", "high"} <= roles.keys():
        known["error"] = _errors(table)
    parts = list[tuple[Numbers, dict[str, Any]]]()
    for at, title in zip(score_columns, titles, strict=True):
        parts.append((read(at), {**known, "metric": title} if len(titles) > 1 else known))
        known = {name: value for name, value in known.items() if name != "error"}
    table.note(f"a row a model and task; {titles[0]} counts")
    board = aggregated(table, parts, named="metric" in roles or len(titles) > 1)
    return replace(board, main=dict.fromkeys(board.aggregates["task"], titles[0]) if len(titles) > 1 else {})


def _errors(table: ScoreTable) -> Any:
    """Standard errors by the interval of each row."""
    roles, read = table.roles, table.columns.numbers
    low, high = read(roles["low"]).values, read(roles["high"]).values
    if np.any(low > high):
        row = int(np.argmax(low > high)) + 1
        raise InputError(
            f"{table.path}: row {row}: interval from {low[row - 1]:g} to {high[row - 1]:g}; is reversed"
        )
    level = read(roles["level"]).values if "level" in roles else np.full(len(low), 0.95)
    if not np.all((level > 0) & (level < 1)):
        raise InputError(f"{table.path}: {table.title(roles['level'])}: expected levels between 0 and 1")
    said = ", ".join(f"{each:.10g}" for each in np.unique(level * 100))
    table.note(f"intervals are read as {said}% intervals of a normal distribution")
    return error_of_interval(low, high, level)


def aggregated(
    table: ScoreTable, parts: list[tuple[Numbers, dict[str, Any]]], *, named: bool = False
) -> BoardScores:
    """The aggregates in some columns, each with what is known of its rows."""
    frames = [aggregate_frame(part.values, digits=part.digits, **known) for part, known in parts]
    percent = all(each.percent for each, _ in parts)
    part = scaled(table.path, pd.concat(frames, ignore_index=True), percent=percent, named=named)
    return BoardScores(aggregates=part.frame, scales=part.scales, notes=(*table.notes, *part.notes))
