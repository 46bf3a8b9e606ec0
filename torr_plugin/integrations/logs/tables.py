"""Tables of scores: a model a row or a column, a score a row, solved items, or one score a model and task."""

from __future__ import annotations

import re
from pathlib import Path

from .board import BoardScores, joined
from .log import LogReader
from .long_tables import aggregates, items, solved_items
from .table_files import read_columns
from .table_roles import ScoreTable
from .wide_tables import models_are_columns, models_are_rows, tasks_are_rows

_NAMED = re.compile(r".+\.(?:csv|tsv|parquet|jsonl)", re.IGNORECASE)


def _read(path: Path) -> BoardScores:
    """The scores of all tables below a folder, or of one.

    Raises:
        InputError: one is no table of scores, or leaves open what is meant.
    """
    return joined(_scores(ScoreTable.of(read_columns(file))) for file in TABLES.files(path))


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
    raise table.unclear("leaves open what its rows are; call the first column model, item or task")


def _holds(path: Path, head: bytes) -> bool:
    return _NAMED.fullmatch(path.name) is not None


TABLES = LogReader(
    "table",
    "CSV, TSV, Parquet or JSONL with a header",
    _NAMED,
    scores=_read,
    holds=_holds,
    general=True,
)
"""Reads tables of scores that any program wrote."""
