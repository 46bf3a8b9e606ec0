"""Verdicts on disk, and as rows of scores.parquet."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import yaml

from ...core.atomic_files import read_error, write_atomically
from ...core.errors import RunError
from ...core.parquet import read_parquet
from ...running.store.shards import parquet_bytes
from ..run_answers import REPLICATE
from ..run_scores import together
from .verdicts import verdict_score

JUDGED, JUDGE_FILE, VERDICTS = "judged", "judge.yaml", "verdicts.parquet"

_CELL = ["model", "dataset", "config", "example"]


def metric_of(judge: str) -> str:
    """The name of a judge's scores: ``judge.<label>``."""
    return f"judge.{judge}"


def write_verdicts(folder: Path, verdicts: pd.DataFrame) -> None:
    """Write ``verdicts.parquet``; rows of other answers that it has already, of other examples say, stay.

    Raises:
        RunError: it cannot be read or written.
    """
    kept = after_others(read_verdicts(folder), verdicts, _CELL)
    write_atomically(folder / VERDICTS, parquet_bytes(pa.Table.from_pandas(kept, preserve_index=False)))


def after_others(before: pd.DataFrame | None, rows: pd.DataFrame, identity: list[str]) -> pd.DataFrame:
    """The rows, after those of a file before that are about others by the columns of ``identity``."""
    if before is None:
        return rows
    others = before[~_identities(before, identity).isin(_identities(rows, identity))]
    kept: pd.DataFrame = pd.concat([others, rows], ignore_index=True) if len(others) else rows
    return kept


def _identities(frame: pd.DataFrame, columns: list[str]) -> pd.MultiIndex:
    found: pd.MultiIndex = pd.MultiIndex.from_frame(frame[columns].astype(str))
    return found


def with_verdicts(scores: pd.DataFrame, run: Path) -> pd.DataFrame:
    """Scores with a row for each answer that a judge of the run was to judge, under ``judge.<label>``.

    Yes is 1, no is 0, a score from 0 to 100 a hundredth of it. A verdict that is unclear or missing is a row
    without a score, as is a cell without an answer, among the examples that the judge was asked about. Rows
    of these judges that are there already are replaced.

    Args:
        scores: of a run.
        run: its directory; without ``judged/`` the scores stay as they are.

    Raises:
        RunError: a judge's files are damaged.
    """
    found = list(_judged(run))
    if not found or scores.empty:
        return scores
    kept = scores[~scores["metric"].isin([metric_of(label) for label, _ in found])]
    cells = kept.drop_duplicates([*_CELL, *([REPLICATE] if REPLICATE in kept else [])])
    if REPLICATE in kept:
        cells = cells[cells[REPLICATE] == 0]
    rows = [_rows(cells, label, verdicts) for label, verdicts in found]
    return together([kept, *rows])


def _rows(cells: pd.DataFrame, label: str, verdicts: pd.DataFrame) -> pd.DataFrame:
    """The rows of one judge, with the names of ``cells`` as they are there."""
    example = ["dataset", "example"]
    chosen = cells[_identities(cells, example).isin(_identities(verdicts, example))]
    scores = pd.Series(
        verdicts["verdict"].map(verdict_score).to_numpy(float), index=_identities(verdicts, _CELL)
    )
    values: np.ndarray = scores.reindex(_identities(chosen, _CELL)).to_numpy(float)
    names: Any = pd.Series(metric_of(label), index=chosen.index, dtype=object)
    if isinstance(chosen["metric"].dtype, pd.CategoricalDtype):  # joined runs have names as texts
        categories = pd.Index([metric_of(label)], dtype=chosen["metric"].cat.categories.dtype)
        names = pd.Categorical(names, categories=categories)
    rows: pd.DataFrame = chosen.assign(metric=names, score=values, main=False)
    return rows


def _judged(run: Path) -> Iterator[tuple[str, pd.DataFrame]]:
    """The label and the verdicts of each judge of a run, by folder."""
    for path in sorted((run / JUDGED).glob(f"*/{VERDICTS}")):
        verdicts = read_verdicts(path.parent)
        if verdicts is not None:
            yield str(read_record(path.parent)["label"]), verdicts


def read_record(folder: Path) -> dict[str, Any]:
    """What ``judge.yaml`` says of the judge of a folder: ``label``, ``model``, ``args``, ...

    Raises:
        RunError: it is damaged or not there.
    """
    path = folder / JUDGE_FILE
    try:
        found = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise read_error(path, error) from error
    except (yaml.YAMLError, UnicodeDecodeError):
        found = None
    if not isinstance(found, dict) or "label" not in found:
        raise RunError(f"{path}: names no judge; expected what 'torr judge' wrote; remove {folder}")
    return found


def read_verdicts(folder: Path) -> pd.DataFrame | None:
    """The verdicts of the judge of a folder; None where there are none yet.

    Raises:
        RunError: they are damaged.
    """
    return read_judged(folder / VERDICTS, [*_CELL, "verdict"])


def read_judged(path: Path, needed: Sequence[str]) -> pd.DataFrame | None:
    """A file of verdicts or battles; None where there is none yet.

    Args:
        path: the file.
        needed: the columns that it must have.

    Raises:
        RunError: it is damaged, or lacks a column.
    """
    if not path.exists():
        return None
    try:
        with path.open("rb") as file:  # opened here: Arrow takes no path that is not UTF-8
            frame: pd.DataFrame = read_parquet(file).to_pandas()
    except OSError as error:
        raise read_error(path, error) from error
    except pa.ArrowException as error:
        raise RunError(
            f"{path}: damaged ({' '.join(str(error).split())[:200]}); remove it, and 'torr judge' writes it "
            "again without asking again"
        ) from error
    missing = [name for name in needed if name not in frame]
    if missing:
        raise RunError(f"{path}: has no column {missing[0]!r}; remove it, and 'torr judge' writes it again")
    return frame
