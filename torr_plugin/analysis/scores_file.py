"""Reads a file of scores: Parquet, CSV or JSON lines, the text ones also with ``.gz``."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from ..core.errors import NOT_UTF8
from ..core.names import ENDED
from ..core.parquet import read_parquet
from .frame import CLUSTER, LABELS, NEEDED, OPTIONAL, REPLICATE, TOKENS
from .options import AnalysisError


def read_scores(*paths: str | Path) -> pd.DataFrame:
    """The frame in a scores file, or in several whose rows belong together, for :func:`~.compute.analyse`.

    Columns of names are categories, which cost a byte or two a row and are fast to group by.
    The frame's ``attrs["source"]`` is the path, for messages. In CSV every name is taken as it is written
    (``NA`` is a name); an empty score is one that is missing.

    Args:
        paths: .parquet, .csv or .jsonl files; .csv and .jsonl may end in .gz.

    Raises:
        AnalysisError: a file is not there, of another kind, or damaged; or of several, one lacks a column of
            another, or two have the same cell.
    """
    frames = [read_frame(Path(path)) for path in paths]
    return frames[0] if len(frames) == 1 else _together(frames)


def _together(frames: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """The rows of several files, of which no two have the same cell."""
    first, *others = frames
    for frame in others:
        _refuse_other_columns(first, frame)
    known = [[name for name in _KNOWN if name in frame] for frame in frames]
    parts = [frame[names] for frame, names in zip(frames, known, strict=True)]
    found: pd.DataFrame = pd.concat(parts, ignore_index=True)
    found.attrs["source"] = ", ".join(frame.attrs["source"] for frame in frames)
    _refuse_repeats(found, np.repeat(np.arange(len(frames)), [len(frame) for frame in frames]), frames)
    return found


def _refuse_other_columns(first: pd.DataFrame, other: pd.DataFrame) -> None:
    for name in _KNOWN:
        if name == ENDED:  # where it is absent, all answers ended as they should
            continue
        if (name in first) is not (name in other):
            has, lacks = (first, other) if name in first else (other, first)
            raise AnalysisError(
                f"{lacks.attrs['source']}: no column {name!r}, which {has.attrs['source']} has; "
                "expected files of the same columns"
            )


def _refuse_repeats(found: pd.DataFrame, files: np.ndarray[Any, Any], frames: Sequence[pd.DataFrame]) -> None:
    cells = found[[name for name in (*LABELS, REPLICATE) if name in found]].astype(str)
    # of rows that are alike, the first of a later file
    twice = cells.duplicated() & ~cells.assign(file=files).duplicated()
    if twice.any():
        row = int(twice.to_numpy().argmax())
        count = int((twice & (files == files[row])).sum())
        named = ", ".join(f"{name} {value!r}" for name, value in cells.iloc[row].items())
        raise AnalysisError(
            f"{frames[files[row]].attrs['source']}: has {count:,} scores that a file before it has too "
            f"({named}); expected each in one file"
        )


def read_frame(path: Path, rows: str = "scores") -> pd.DataFrame:
    """The frame in one file.

    Args:
        path: .parquet, .csv or .jsonl; .csv and .jsonl may end in .gz.
        rows: what its rows are, for messages.

    Raises:
        AnalysisError: it is not there, of another kind, or damaged.
    """
    kind = path.name.lower().removesuffix(".gz").rpartition(".")[2]
    if not path.exists():
        expected = "a run, or scores" if rows == "scores" else rows
        raise AnalysisError(
            f"{path}: no such file or directory; expected {expected} in Parquet, CSV or JSON lines"
        )
    if kind not in _READERS or (kind == "parquet" and path.suffix.lower() == ".gz"):
        raise AnalysisError(
            f"{path}: not a {rows} file by its name; expected .parquet, .csv[.gz] or .jsonl[.gz]"
        )
    try:
        frame = _READERS[kind](path)
    except OSError as error:
        raise AnalysisError(f"{path}: cannot be read: {error.strerror or _one_line(error)}") from error
    except UnicodeDecodeError as error:
        raise AnalysisError(f"{path}: cannot be read: {NOT_UTF8}") from error
    except (ValueError, EOFError, zlib.error) as error:
        raise AnalysisError(f"{path}: is not {_KINDS[kind]}: {_one_line(error)}") from error
    frame.attrs["source"] = str(path)
    return frame


_NAMES = frozenset({*LABELS, *OPTIONAL, CLUSTER, ENDED})


def _read_parquet(path: Path) -> pd.DataFrame:
    with path.open("rb") as opened:
        try:
            frame: pd.DataFrame = read_parquet(opened, categories=_NAMES.__contains__).to_pandas()
        except pa.ArrowException as error:
            raise ValueError(str(error)) from error
    return frame


def _read_csv(path: Path) -> pd.DataFrame:
    # as text: pandas would take "NA" and "null" for nothing, and 007 for 7
    # the header as a row: pandas would rename a second column of a name, and shift rows that are too long
    how: dict[str, Any] = {"header": None, "keep_default_na": False, "encoding": "utf-8-sig"}
    header = pd.read_csv(path, nrows=1, dtype=str, **how).iloc[0].tolist()
    names = {*LABELS, *OPTIONAL, CLUSTER, ENDED, "main"}
    kinds = {place: "category" if name in names else "str" for place, name in enumerate(header)}
    lines = pd.read_csv(path, dtype=kinds, **how)
    frame: pd.DataFrame = lines.iloc[1:].set_axis(header, axis=1).reset_index(drop=True)
    for name in {*OPTIONAL, CLUSTER, ENDED} & set(frame.columns):
        frame[name] = frame[name].where(frame[name] != "")
    return frame


def _read_jsonl(path: Path) -> pd.DataFrame:
    rows = []
    with (
        gzip.open(path, "rt", encoding="utf-8-sig")
        if path.suffix.lower() == ".gz"
        else path.open(encoding="utf-8-sig") as lines
    ):
        for index, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                row = json.loads(line)
            except ValueError as error:
                raise ValueError(f"line {index}: {error}") from error
            if not isinstance(row, dict):
                raise ValueError(f"line {index} is no JSON object")  # noqa: TRY004 (the file is wrong, no type)
            rows.append(row)
    frame: pd.DataFrame = pd.DataFrame(rows)
    return frame


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split())[:200] or type(error).__name__


_KNOWN = (*NEEDED, *OPTIONAL, CLUSTER, REPLICATE, TOKENS, ENDED, "main")
_READERS: Mapping[str, Callable[[Path], pd.DataFrame]] = {
    "parquet": _read_parquet,
    "csv": _read_csv,
    "jsonl": _read_jsonl,
}
_KINDS = {"parquet": "Parquet", "csv": "CSV", "jsonl": "JSON lines"}
