"""Scores of our own: a run, or a file of the shape of ``scores.parquet``."""

from __future__ import annotations

import re
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from ...analysis.examples import TABLE, known_examples
from ...analysis.frame import CLUSTER, NEEDED, REPLICATE, as_categories, typed_scores
from ...analysis.scores_file import read_frame
from ...core.errors import InputError
from ...running.store.run import EXAMPLES, SCORES
from .board import ITEM_COLUMNS, BoardScores, joined
from .files import files_below
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
    return joined(_of_file(file) for file in files_below(path) if file == path or file.name == SCORES)


def _of_file(path: Path) -> BoardScores:
    frame = read_frame(path)
    if lacks := [name for name in NEEDED if name not in frame]:
        raise InputError(f"{path}: no column {lacks[0]!r}; expected {', '.join(NEEDED)}")
    frame = typed_scores(frame).rename(columns=_TO_OURS).reset_index(drop=True)
    names = {name: as_categories(frame[name]) for name in ("model", "task", "config", "item", "metric")}
    if empty := [name for name, column in names.items() if (column.codes < 0).any()]:
        raise InputError(f"{path}: a row's {empty[0]} is empty; expected a name")
    items = pd.DataFrame({name: column.astype(object) for name, column in names.items()})
    items["replicate"] = pd.to_numeric(frame[REPLICATE]).fillna(0).astype(int) if REPLICATE in frame else 0
    items["score"] = frame["score"].astype(float)
    items["status"] = items["score"].notna().map({True: "scored", False: "failed"})
    items["cluster"] = _clusters(path, frame, items)
    items["same"] = ""
    main = items[frame["main"]][["task", "metric"]].drop_duplicates() if "main" in frame else items[:0]
    if main["task"].duplicated().any():
        task = main["task"][main["task"].duplicated()].iloc[0]
        raise InputError(f"{path}: data set {task!r} has two main metrics; expected one")
    return BoardScores(
        items=items[[*ITEM_COLUMNS]], main=dict(zip(main["task"], main["metric"], strict=True))
    )


def _clusters(path: Path, frame: pd.DataFrame, items: pd.DataFrame) -> pd.Series[str]:
    """The table of each example: by the file, else by the run's ``examples.parquet``."""
    if CLUSTER in frame:
        return pd.Series(["" if pd.isna(name) else str(name) for name in frame[CLUSTER]], items.index, object)
    beside = path.parent / EXAMPLES
    known = known_examples(read_frame(beside, "examples") if beside.is_file() else None)
    tables = {
        (task, item): one.groups.get(TABLE, "")
        for task, examples in known.items()
        for item, one in examples.items()
    }
    found = (tables.get(cell, "") for cell in zip(items["task"], items["item"], strict=True))
    return pd.Series(list(found), index=items.index, dtype=object)


TORR = LogReader(
    "torr",
    "a run, or a file with the columns of its scores.parquet",
    re.compile(re.escape(SCORES)),
    scores=_scores,
    holds=_holds,
)
"""Reads what ``torr run`` and ``torr import`` write."""
