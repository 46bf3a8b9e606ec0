"""Checks that scores of several files and harnesses can stand on one board."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from ...core.errors import InputError, counted
from .board import BoardScores, MetricScale
from .names import check_name

TOLERANCE = 1e-6
"""The rounding error by which a score may exceed its bounds, or differ from the harness's own."""

_LARGEST = 1e100  # whose square is a number too
_MOST_ITEMS = 1e15
_CELL = ["model", "task", "config", "metric"]
_SEPARATORS = re.compile(r"[\s/_:-]+")
_OWNER = re.compile(r".*(?:/|__)")


def checked(board: BoardScores, tables: Sequence[Collection[str]] = ()) -> BoardScores:
    """A board whose scores can be compared; aggregates of what has items, and repeated ones, are left out.

    Args:
        board: of all paths.
        tables: the models of each table, which tells them apart however alike their names are.

    Raises:
        InputError: a name that cannot be shown; one item twice, or with two targets; a score outside its
            metric's bounds; a model under two names; two aggregates that differ.
    """
    items, aggregates = board.items, board.aggregates
    _check_models(board.models, tables)
    for frame in (items, aggregates):
        _check_names(frame)
        _refuse_out_of_bounds(frame, board.scales)
    _refuse_repeats(items)
    refuse_two_targets(items)
    _refuse_no_counts(aggregates)
    known = pd.MultiIndex.from_frame(items[_CELL].drop_duplicates())
    again = pd.MultiIndex.from_frame(aggregates[_CELL]).isin(known)
    notes = list(board.notes)
    if again.any():
        notes.append(f"{counted(int(again.sum()), 'aggregate')} left out, for their items are there")
    kept = aggregates[~again].drop_duplicates([*_CELL, "score"])
    if kept.duplicated(_CELL).any():
        row = kept[kept.duplicated(_CELL)].iloc[0]
        raise InputError(f"{_named(row)}: has two aggregates that differ; expected one")
    return replace(board, aggregates=kept.reset_index(drop=True), notes=tuple(notes))


def _check_models(models: Sequence[str], tables: Sequence[Collection[str]]) -> None:
    spelled: dict[str, str] = {}
    for name in sorted(models):
        if name != name.strip():
            raise InputError(f"model {name!r}: has a blank at its beginning or end; expected a name without")
        other = spelled.setdefault(_SEPARATORS.sub("-", name.casefold()), name)
        if other != name and not any(other in table and name in table for table in tables):
            raise InputError(
                f"models {other!r} and {name!r}: are one name, written in two ways; expected one"
            )
    bare = {name.casefold(): name for name in models if not _OWNER.match(name)}
    for name in sorted(models):
        named = bare.get(_OWNER.sub("", name).casefold(), name)
        if named != name and not any(named in table and name in table for table in tables):
            raise InputError(f"models {named!r} and {name!r}: are one name, once without owner; expected one")


def _check_names(frame: pd.DataFrame) -> None:
    for column in ("model", "task", "config", "item", "metric"):
        for name in frame[column].unique() if column in frame else ():
            if name or column != "config":
                check_name(column, name)


def _refuse_repeats(items: pd.DataFrame) -> None:
    twice = items.duplicated([*_CELL, "item", "replicate"])
    if twice.any():
        row = items[twice].iloc[0]
        raise InputError(
            f"{_named(row)}, item {row['item']!r:.80}: has two scores; expected one an item: leave one of "
            "the files out, or tell them apart by a column replicate"
        )


def refuse_two_targets(items: pd.DataFrame) -> None:
    """Refuse an item that is not one for all models.

    Raises:
        InputError: it has two digests of its question and target.
    """
    known = items.loc[items["same"] != "", ["task", "config", "item", "same"]].drop_duplicates()
    twice = known.duplicated(["task", "config", "item"])
    if twice.any():
        row = known[twice].iloc[0]
        raise InputError(
            f"task {row['task']!r}, item {row['item']!r}: has two questions or targets; expected one item "
            "under one id: results made from other data, or in another order, cannot be compared"
        )


def _refuse_out_of_bounds(scores: pd.DataFrame, scales: Mapping[str, MetricScale]) -> None:
    """Refuse a score that its metric cannot give: often a percentage among proportions."""
    for metric, found in scores.groupby("metric", observed=True)["score"]:
        scale = scales.get(str(metric), MetricScale())
        high = np.inf if scale.high is None else scale.high
        outside = (found < scale.low - TOLERANCE) | (found > high + TOLERANCE) | (found.abs() > _LARGEST)
        if not outside.any():
            continue
        row = scores.loc[found.index[outside]].iloc[0]
        if np.isinf(row["score"]):
            raise InputError(f"{_named(row)}: score is infinite; expected a number, or nothing")
        percent = scale == MetricScale() and found.min() >= 0 and 1 < found.max() <= 100
        others = "; others are proportions" if percent and not outside.all() else ""
        raise InputError(f"{_named(row)}: found a score of {row['score']:g}{others}; expected {scale}")


def _refuse_no_counts(aggregates: pd.DataFrame) -> None:
    n, error = aggregates["n"].astype(float), aggregates["error"].astype(float)
    for wrong, wanted, column in (
        ((n < 1) | (n > _MOST_ITEMS) | (n % 1 > 0), "n: expected whole numbers of items, at least 1", "n"),
        ((error < 0) | (error > _LARGEST), "standard error: expected numbers from 0", "error"),
    ):
        if wrong.any():
            row = aggregates[wrong].iloc[0]
            raise InputError(f"{_named(row)}: {wanted}, found {row[column]:g}")


def _named(row: pd.Series) -> str:
    config = f", configuration {row['config']!r:.80}" if row["config"] else ""
    return f"model {row['model']!r:.80}, task {row['task']!r:.80}{config}, metric {row['metric']!r:.80}"
