"""Scores of our own: a run, or a file of the shape of ``scores.parquet``."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from ...analysis.examples import TABLE, known_examples
from ...analysis.frame import CLUSTER, NEEDED, REPLICATE, as_categories, typed_scores
from ...analysis.scores_file import read_frame
from ...core.errors import InputError
from ...running.store.run import EXAMPLES, SCORES
from .board import BoardScores, joined
from .frames import item_frame
from .log import LogReader

_TO_OURS = {"dataset": "task", "example": "item"}


def _holds(path: Path, head: bytes) -> bool:
    if path.name.endswith(".parquet") and head.startswith(b"PAR1"):
        try:
            return {*NEEDED} <= {*pq.read_schema(path).names}
        except (OSError, pa.ArrowException):
            return False
    if path.name.endswith(".csv"):
        return {*NEEDED} <= {*head.partition(b"\n")[0].decode("utf-8-sig", "replace").strip().split(",")}
    return False


def _scores(path: Path) -> BoardScores:
    """The scores of a run, or of those below a folder; of a file."""
    return joined(map(_of_file, TORR.files(path)))


def _of_file(path: Path) -> BoardScores:
    frame = read_frame(path)
    if lacks := [name for name in NEEDED if name not in frame]:
        raise InputError(f"{path}: no column {lacks[0]!r}; expected {', '.join(NEEDED)}")
    frame = typed_scores(frame).rename(columns=_TO_OURS).reset_index(drop=True)
    names = {name: as_categories(frame[name]) for name in ("model", "task", "config", "item", "metric")}
    if empty := [name for name, column in names.items() if (column.codes < 0).any()]:
        raise InputError(f"{path}: a row's {empty[0]} is empty; expected a name")
    known: dict[str, Any] = {name: column.astype(object) for name, column in names.items()}
    if REPLICATE in frame:
        known["replicate"] = pd.to_numeric(frame[REPLICATE]).fillna(0).astype(int)
    if CLUSTER in frame:
        known["cluster"] = ["" if pd.isna(name) else str(name) for name in frame[CLUSTER]]
    elif (beside := path.parent / EXAMPLES).is_file():
        tables = example_tables(read_frame(beside, "examples"))
        known["cluster"] = [tables.get(cell, "") for cell in zip(known["task"], known["item"], strict=True)]
    items = item_frame(frame["score"], failed=True, **known)
    main = items[frame["main"]][["task", "metric"]].drop_duplicates() if "main" in frame else items[:0]
    if main["task"].duplicated().any():
        task = main["task"][main["task"].duplicated()].iloc[0]
        raise InputError(f"{path}: data set {task!r} has two main metrics; expected one")
    return BoardScores(items, main=dict(zip(main["task"], main["metric"], strict=True)))


def example_tables(examples: pd.DataFrame | None) -> dict[tuple[str, str], str]:
    """(Data set, example) -> its table, by a run's ``examples.parquet``; empty where none is named."""
    return {
        (dataset, name): one.groups.get(TABLE, "")
        for dataset, own in known_examples(examples).items()
        for name, one in own.items()
    }


TORR = LogReader(
    "torr",
    "a run, or a file with the columns of its scores.parquet",
    re.compile(re.escape(SCORES)),
    scores=_scores,
    holds=_holds,
)
"""Reads what ``torr run`` and ``torr import`` write."""
