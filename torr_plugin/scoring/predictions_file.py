"""Reads a file of predictions made elsewhere: Parquet, CSV, JSON lines or JSON, also with ``.gz``."""

from __future__ import annotations

import csv
import gzip
import io
import json
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import IO, TypeAlias, cast

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import csv as arrow_csv

from ..core.errors import NOT_UTF8, PredictionsError
from ..core.parquet import read_parquet

SYNONYMS: dict[str, tuple[str, ...]] = {
    "example": ("example_id", "question_id", "qap_id", "id"),
    "prediction": ("response", "output", "predicted", "model_output", "model_response", "generation"),
}
"""Synonyms of a missing column, used where exactly one of them is there. ``answer`` is none of them: in most
files it is the reference."""

OPTIONAL = ("model", "config", "replicate")
_FIRST = (None, "", "0", "0.0")
"""Values of ``replicate`` that mark a first answer."""

Columns: TypeAlias = "dict[str, list[object]]"
Choose: TypeAlias = "Callable[[Sequence[str]], Sequence[str]]"
Reader: TypeAlias = "Callable[[IO[bytes], Choose], Columns]"

_KEYS_FROM = 1_000  # records whose keys are the columns of a JSON lines file
_LONGEST_RECORD = 32 * 1024 * 1024  # bytes of one CSV record


@dataclass(frozen=True)
class Predictions:
    """The contents of a file.

    ``frame`` has ``example`` (text), ``prediction`` (text, or None), and ``model`` and
    ``config`` where the file has them; ``notes`` on how columns were read.
    """

    frame: pd.DataFrame
    notes: tuple[str, ...]


def read_predictions(path: Path) -> Predictions:
    """The predictions in a file.

    A null prediction is a hole and stays None. CSV has no null: there an empty field is an empty answer,
    with a note. Numbers are taken as they are written.

    Rows with another value than 0 in a column ``replicate`` are answers to prompts asked again; they are left
    out, with a note.

    Args:
        path: a .parquet, .csv, .jsonl or .json file (a list of objects), or one of these with .gz at its end.

    Raises:
        PredictionsError: the file cannot be read, has no rows, lacks a column, or has a cell that is no text.
    """
    taken: dict[str, str] = {}

    def choose(found: Sequence[str]) -> Sequence[str]:
        taken.update({role: _column(path, role, found) for role in SYNONYMS})
        taken.update({role: role for role in OPTIONAL if role in found and role not in taken.values()})
        twice = [name for name in taken.values() if list(found).count(name) > 1]
        if twice:
            raise PredictionsError(f"{path}: has several columns called {twice[0]!r}; expected one")
        return list(taken.values())

    columns = _read(path, choose)
    if not any(columns.values()):
        raise PredictionsError(f"{path}: no rows; expected one a prediction")
    frame, again = _first_answers(_frame(path, columns, taken))
    notes = [f"{path.name}: {again} answers to prompts asked again (column 'replicate') are left out"]
    return Predictions(frame, (*_notes(path, columns, taken), *notes[: bool(again)]))


def _first_answers(frame: pd.DataFrame) -> tuple[pd.DataFrame, int]:
    """The rows of first answers without the column that marks them, and how many others there are."""
    if "replicate" not in frame:
        return frame, 0
    first = [value in _FIRST for value in frame["replicate"]]
    found: pd.DataFrame = frame[first].drop(columns="replicate").reset_index(drop=True)
    return found, len(frame) - len(found)


def _column(path: Path, role: str, found: Sequence[str]) -> str:
    """The column of a role: of its name, or of the one synonym that is there."""
    if role in found:
        return role
    close = [synonym for synonym in SYNONYMS[role] if synonym in found]
    if len(close) == 1:
        return close[0]
    shown = ", ".join(map(repr, found[:12])) + (f", ... ({len(found)} in all)" if len(found) > 12 else "")
    raise PredictionsError(f"{path}: no column {role!r}; found {shown or 'none'}")


def _frame(path: Path, columns: Columns, taken: Mapping[str, str]) -> pd.DataFrame:
    texts = {
        role: [_text(path, name, row, cell) for row, cell in enumerate(columns[name], 1)]
        for role, name in taken.items()
    }
    nameless = [row for row, example in enumerate(texts["example"], 1) if example is None]
    if nameless:
        raise PredictionsError(
            f"{path}: row {nameless[0]} has no {taken['example']!r} ({len(nameless)} such rows)"
        )
    frame: pd.DataFrame = pd.DataFrame(
        {role: pd.Series(values, dtype=object) for role, values in texts.items()}
    )
    return frame


def _text(path: Path, column: str, row: int, cell: object) -> str | None:
    if isinstance(cell, str):
        # JSON can spell a lone surrogate, which could not be written to a file
        return cell if cell.isascii() else cell.encode("utf-8", "replace").decode("utf-8")
    if cell is None or cell != cell:  # noqa: PLR0124  # NaN
        return None
    if isinstance(cell, (list, dict, tuple, set, bytes)):
        kind = {"dict": "object", "bytes": "binary value"}.get(type(cell).__name__, "list")
        raise PredictionsError(f"{path}: row {row}: {column!r} is {_article(kind)}; expected text")
    return json.dumps(cell) if isinstance(cell, (bool, int, float)) else str(cell)


def _article(noun: str) -> str:
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"


def _notes(path: Path, columns: Columns, taken: Mapping[str, str]) -> tuple[str, ...]:
    notes = [
        f"{path.name}: column {taken[role]!r} is taken as {role!r}"
        for role in SYNONYMS
        if taken[role] != role
    ]
    empty = sum(cell == "" for cell in columns[taken["prediction"]])
    if empty and _suffix(path) == ".csv":
        notes.append(
            f"{path.name}: {empty} empty predictions count as empty answers; CSV cannot mark one as missing"
        )
    return tuple(notes)


# -- formats ---------------------------------------------------------------------------------------------


# broken text, compression, CSV, JSON (nested without end, too), Parquet; pyarrow raises the first three
_UNREADABLE = (OSError, ValueError, NotImplementedError, EOFError, zlib.error, csv.Error, RecursionError)


class _RecordError(ValueError):
    """A record that cannot be read; the message has its place and the reason, not the file."""


def _suffix(path: Path) -> str:
    return Path(path.stem).suffix.lower() if path.suffix.lower() == ".gz" else path.suffix.lower()


def _read(path: Path, choose: Choose) -> Columns:
    reader = _READERS.get(_suffix(path))
    if reader is None:
        raise PredictionsError(
            f"{path}: unknown kind of file; expected {', '.join(_READERS)} (each also with .gz)"
        )
    try:
        with _open(path) as stream:
            return reader(stream, choose)
    except PredictionsError:
        raise
    except _RecordError as error:
        raise PredictionsError(f"{path}: {error}") from None
    except _UNREADABLE as error:
        raise PredictionsError(f"{path}: cannot be read: {_one_line(error)}") from error


def _open(path: Path) -> IO[bytes]:
    return cast("IO[bytes]", gzip.open(path, "rb")) if path.suffix.lower() == ".gz" else path.open("rb")


def _one_line(error: Exception) -> str:
    if isinstance(error, UnicodeDecodeError) or "invalid UTF8" in str(error):  # as Arrow says it
        return NOT_UTF8
    reason = (
        error.strerror
        if isinstance(error, OSError) and error.strerror
        else str(error) or type(error).__name__
    )
    return " ".join(reason.split())[:300]


def _parquet(stream: IO[bytes], choose: Choose) -> Columns:
    names = pq.read_schema(stream).names
    stream.seek(0)
    return dict(read_parquet(stream, list(choose(names))).to_pydict())


def _csv(stream: IO[bytes], choose: Choose) -> Columns:
    text = io.TextIOWrapper(stream, encoding="utf-8-sig", newline="")
    chosen = list(choose(next(csv.reader(text), [])))
    text.detach().seek(0)
    table = arrow_csv.read_csv(
        stream,
        read_options=arrow_csv.ReadOptions(block_size=_LONGEST_RECORD),
        parse_options=arrow_csv.ParseOptions(newlines_in_values=True),
        convert_options=arrow_csv.ConvertOptions(
            include_columns=chosen, column_types=dict.fromkeys(chosen, pa.string()), strings_can_be_null=False
        ),
    )
    return dict(table.to_pydict())


def _json_lines(stream: IO[bytes], choose: Choose) -> Columns:
    return _columns(_records(stream), choose)


def _records(stream: IO[bytes]) -> Iterator[tuple[str, object]]:
    for number, line in enumerate(stream, 1):
        if line.strip():
            try:
                yield f"line {number}", json.loads(line.decode("utf-8-sig"))
            except UnicodeDecodeError:
                raise _RecordError(f"line {number}: {NOT_UTF8}") from None
            except ValueError as error:
                raise _RecordError(f"line {number}: not JSON: {_one_line(error)}") from None


def _json(stream: IO[bytes], choose: Choose) -> Columns:
    loaded = json.loads(stream.read().decode("utf-8-sig"))
    if not isinstance(loaded, list):
        raise _RecordError(f"holds one {_JSON_KINDS[type(loaded)]}; expected a list of objects")
    return _columns(((f"item {number}", record) for number, record in enumerate(loaded, 1)), choose)


_JSON_KINDS = {
    dict: "object",
    str: "text",
    int: "number",
    float: "number",
    bool: "boolean",
    type(None): "null",
}


def _columns(records: Iterable[tuple[str, object]], choose: Choose) -> Columns:
    """The chosen fields of objects as columns; a field that an object lacks is null there."""
    objects = _objects(records)
    head = list(islice(objects, _KEYS_FROM))
    if not head:
        return {}
    columns: Columns = {
        name: [] for name in choose(list(dict.fromkeys(key for record in head for key in record)))
    }
    for record in chain(head, objects):
        for name, cells in columns.items():
            cells.append(record.get(name))
    return columns


def _objects(records: Iterable[tuple[str, object]]) -> Iterator[dict[str, object]]:
    for where, record in records:
        if not isinstance(record, dict):
            raise _RecordError(f"{where}: {_JSON_KINDS.get(type(record), 'list')}; expected an object")
        yield record


_READERS: dict[str, Reader] = {
    ".parquet": _parquet,
    ".csv": _csv,
    ".jsonl": _json_lines,
    ".ndjson": _json_lines,
    ".json": _json,
}
