"""Tables of scores: a model a row or a column, a score a row, solved items, or one score a model and task."""

from __future__ import annotations

import re
from pathlib import Path

from .board import BoardScores, joined
from .files import files_below
from .log import LogReader
from .long_tables import aggregates, items, solved_items
from .solved import solved_ids
from .table_files import read_columns
from .table_roles import ScoreTable
from .wide_tables import models_are_columns, models_are_rows, tasks_are_rows, unnamed

_NAMED = re.compile(r".+\.(?:csv|tsv|parquet|jsonl)", re.IGNORECASE)
_NAME = rb'"(?:[^"\\]|\\.)*"\s*:\s*'
_SOLVED = re.compile(
    rb'\s*\{\s*(?:"(?:items|total)"\s*:\s*\d+\s*,\s*)?' + _NAME + rb"(?:\[|\{\s*" + _NAME + rb"\[)"
)


def _read(path: Path) -> BoardScores:
    """The scores of a file, or of all tables below a folder.

    Raises:
        InputError: one is no table of scores, or leaves open what is meant.
    """
    if not path.is_dir():
        return (
            solved_ids(path) if path.suffix.lower() == ".json" else _scores(ScoreTable.of(read_columns(path)))
        )
    return joined(_read(file) for file in files_below(path) if _NAMED.fullmatch(file.name))


def _scores(table: ScoreTable) -> BoardScores:
    """What a table gives, whichever of its forms it has."""
    has = table.roles.keys()
    scores = [table.roles["score"]] if "score" in has else table.numeric
    if "solved" in has and "model" in has:
        return solved_items(table)
    if {"model", "item"} <= has and not (len(scores) > 1 and table.has_each_once("model")):
        return items(table, scores) if scores else solved_items(table)
    if "model" in has and ("score" in has or (scores and has & {"task", "n", "error"})):
        return aggregates(table, scores)
    table = table.wide() if "model" in has else table
    if not table.numeric:
        raise table.unclear("has no column of scores")
    for role, read in (("model", models_are_rows), ("item", models_are_columns), ("task", tasks_are_rows)):
        if role in has:
            return read(table)
    return unnamed(table)


def _holds(path: Path, head: bytes) -> bool:
    if path.suffix.lower() == ".json":
        return _SOLVED.match(head) is not None
    return _NAMED.fullmatch(path.name) is not None


TABLES = LogReader(
    "table",
    "CSV, TSV, Parquet or JSONL with a header, or JSON with the ids that each model solved",
    _NAMED,
    scores=_read,
    holds=_holds,
    general=True,
)
"""Reads tables of scores that any program wrote."""
