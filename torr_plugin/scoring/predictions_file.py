"""Reads a file of predictions made elsewhere: Parquet, CSV, JSON lines or JSON, also with ``.gz``."""

from __future__ import annotations

import csv
import gzip
import io
import json
import zlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO, cast

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import csv as arrow_csv

from ..core.errors import NOT_UTF8, PredictionsError
from ..core.parquet import read_parquet
from ..tables.quantities import json_as_written

SYNONYMS: dict[str, tuple[str, ...]] = {
    "example": ("example_id", "question_id", "qap_id", "id"),
    "prediction": ("response", "output", "predicted", "model_output", "model_response", "generation"),
}
"""Synonyms of a missing column, used where exactly one of them is there. ``answer`` is none of them: in most
files it is the reference."""

_OPTIONAL = ("model", "config", "replicate")
_WANTED = {*SYNONYMS, *(name for names in SYNONYMS.values() for name in names), *_OPTIONAL}
_FIRST = (None, "", "0", "0.0")  # values of ``replicate`` that mark a first answer
_LONGEST_RECORD = 32 * 1024 * 1024  # bytes of one CSV record
_KINDS = (".parquet", ".csv", ".jsonl", ".ndjson", ".json")
# broken text, compression, CSV, JSON (nested without end, too), Parquet; pyarrow raises the first three
_UNREADABLE = (OSError, ValueError, NotImplementedError, EOFError, zlib.error, csv.Error, RecursionError)


class _RecordError(ValueError):
    """A record that cannot be read; the message has its place and the reason, not the file."""


def read_predictions(path: Path, booleans: tuple[str, str] = ("yes", "no")) -> tuple[pd.DataFrame, list[str]]:
    """The predictions in a file, and notes on how columns were read.

    A null prediction is a hole and stays None. CSV has no null: there an empty field is an empty answer,
    with a note. Numbers of JSON are taken as they are written.

    Rows with another value than 0 in a column ``replicate`` are answers to prompts asked again; they are left
    out, with a note.

    Args:
        path: a .parquet, .csv, .jsonl or .json file (a list of objects), or one of these with .gz at its end.
        booleans: the words that a boolean true and false answer.

    Returns:
        A frame with ``example`` (text), ``prediction`` (text, or None), and ``model`` and ``config`` where
        the file has them; and the notes.

    Raises:
        PredictionsError: the file cannot be read, has no rows, lacks a column, or has a cell that is no text.
    """
    suffix = (Path(path.stem).suffix if path.suffix.lower() == ".gz" else path.suffix).lower()
    names, cells = _cells(path, suffix)
    taken = {role: _column(path, role, names) for role in SYNONYMS}
    taken |= {role: role for role in _OPTIONAL if role in names and role not in taken.values()}
    twice = [name for name in taken.values() if names.count(name) > 1]
    if twice:
        raise PredictionsError(f"{path}: has several columns called {twice[0]!r}; expected one")
    if cells.empty:
        raise PredictionsError(f"{path}: no rows; expected one a prediction")
    texts = {
        role: [_text(path, name, row, cell, booleans) for row, cell in enumerate(cells[name], 1)]
        for role, name in taken.items()
    }
    frame = pd.DataFrame(texts, dtype=object)
    nameless = frame.index[frame["example"].isna()]
    if len(nameless):
        raise PredictionsError(
            f"{path}: row {nameless[0] + 1} has no {taken['example']!r} ({len(nameless)} such rows)"
        )
    notes = [f"column {name!r} is taken as {role!r}" for role, name in taken.items() if name != role]
    empty = int((frame["prediction"] == "").sum())
    if empty and suffix == ".csv":
        notes.append(f"{empty} empty predictions count as empty answers; CSV cannot mark one as missing")
    if "replicate" in frame:
        first = frame.pop("replicate").isin(_FIRST)
        if again := int((~first).sum()):
            notes.append(f"{again} answers to prompts asked again (column 'replicate') are left out")
        frame = frame[first].reset_index(drop=True)
    return frame, [f"{path.name}: {note}" for note in notes]


def _cells(path: Path, suffix: str) -> tuple[list[str], pd.DataFrame]:
    """The names of all columns of a file, and the cells of those that may be wanted."""
    if suffix not in _KINDS:
        kinds = ", ".join(_KINDS)
        raise PredictionsError(f"{path}: unknown kind of file; expected {kinds} (each also with .gz)")
    try:
        with _open(path) as stream:
            names, cells = _read(stream, suffix)
    except _RecordError as error:
        raise PredictionsError(f"{path}: {error}") from None
    except _UNREADABLE as error:
        raise PredictionsError(f"{path}: cannot be read: {_one_line(error)}") from error
    if not names and suffix != ".csv":
        raise PredictionsError(f"{path}: no rows; expected one a prediction")
    return names, cells


def _column(path: Path, role: str, found: Sequence[str]) -> str:
    """The column of a role: of its name, or of the one synonym that is there."""
    if role in found:
        return role
    close = [synonym for synonym in SYNONYMS[role] if synonym in found]
    if len(close) == 1:
        return close[0]
    shown = ", ".join(map(repr, found[:12])) + (f", ... ({len(found)} in all)" if len(found) > 12 else "")
    raise PredictionsError(f"{path}: no column {role!r}; found {shown or 'none'}")


def _text(path: Path, column: str, row: int, cell: object, booleans: tuple[str, str]) -> str | None:
    if isinstance(cell, str):
        # JSON can spell a lone surrogate, which could not be written to a file
        return cell if cell.isascii() else cell.encode("utf-8", "replace").decode("utf-8")
    if cell is None or cell != cell:  # noqa: PLR0124  # NaN
        return None
    if isinstance(cell, bool):
        return booleans[0] if cell else booleans[1]
    if isinstance(cell, (list, dict, tuple, set, bytes)):
        kind = {"dict": "an object", "bytes": "a binary value"}.get(type(cell).__name__, "a list")
        raise PredictionsError(f"{path}: row {row}: {column!r} is {kind}; expected text")
    return json.dumps(cell) if isinstance(cell, (int, float)) else str(cell)


def _open(path: Path) -> IO[bytes]:
    return cast("IO[bytes]", gzip.open(path, "rb")) if path.suffix.lower() == ".gz" else path.open("rb")


def _one_line(error: Exception) -> str:
    if isinstance(error, UnicodeDecodeError) or "invalid UTF8" in str(error):  # as Arrow says it
        return NOT_UTF8
    reason = (isinstance(error, OSError) and error.strerror) or str(error) or type(error).__name__
    return " ".join(reason.split())[:300]


def _read(stream: IO[bytes], suffix: str) -> tuple[list[str], pd.DataFrame]:
    """The names of all columns, and the cells of those that may be wanted."""
    if suffix == ".parquet":
        names = pq.read_schema(stream).names
        stream.seek(0)
        columns = read_parquet(stream, [name for name in names if name in _WANTED]).to_pydict()
        return names, pd.DataFrame(columns, dtype=object)
    if suffix == ".csv":
        return _csv(stream)
    found: dict[str, None] = {}
    rows = []
    for where, record in _json(stream) if suffix == ".json" else _json_lines(stream):
        if not isinstance(record, dict):
            raise _RecordError(f"{where}: {_json_kind(record)}; expected an object")
        found.update(dict.fromkeys(record))
        rows.append({name: record[name] for name in record.keys() & _WANTED})
    columns = {name: [row.get(name) for row in rows] for name in found if name in _WANTED}
    return list(found), pd.DataFrame(columns, dtype=object)


def _csv(stream: IO[bytes]) -> tuple[list[str], pd.DataFrame]:
    text = io.TextIOWrapper(stream, encoding="utf-8-sig", newline="")
    names = next(csv.reader(text), [])
    text.detach().seek(0)
    wanted = [name for name in dict.fromkeys(names) if name in _WANTED and names.count(name) == 1]
    if not wanted:
        return names, pd.DataFrame()
    table = arrow_csv.read_csv(
        stream,
        read_options=arrow_csv.ReadOptions(block_size=_LONGEST_RECORD),
        parse_options=arrow_csv.ParseOptions(newlines_in_values=True),
        convert_options=arrow_csv.ConvertOptions(
            include_columns=wanted, column_types=dict.fromkeys(wanted, pa.string()), strings_can_be_null=False
        ),
    )
    return names, pd.DataFrame(table.to_pydict(), dtype=object)


def _json_lines(stream: IO[bytes]) -> Iterator[tuple[str, object]]:
    for number, line in enumerate(stream, 1):
        if line.strip():
            try:
                yield f"line {number}", json_as_written(line.decode("utf-8-sig"))
            except UnicodeDecodeError:
                raise _RecordError(f"line {number}: {NOT_UTF8}") from None
            except ValueError as error:
                raise _RecordError(f"line {number}: not JSON: {_one_line(error)}") from None


def _json(stream: IO[bytes]) -> Iterable[tuple[str, object]]:
    loaded = json_as_written(stream.read().decode("utf-8-sig"))
    if not isinstance(loaded, list):
        raise _RecordError(f"holds one {_json_kind(loaded)}; expected a list of objects")
    return ((f"item {number}", record) for number, record in enumerate(loaded, 1))


def _json_kind(value: object) -> str:
    kinds = {"dict": "object", "list": "list", "bool": "boolean", "NoneType": "null"}
    # numbers are read as texts
    is_number = isinstance(value, str) and value[:1] in "-0123456789" and bool(value)
    return "number" if is_number else kinds.get(type(value).__name__, "text")
