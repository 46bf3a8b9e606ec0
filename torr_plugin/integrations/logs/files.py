"""Reads what another program wrote: files below a folder, JSON within bounds, fields by pydantic models."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Annotated, Any, BinaryIO, TypeVar

from pydantic import (
    AliasPath,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainValidator,
    ValidationError,
)
from pydantic_core import PydanticCustomError

from ...core.atomic_files import read_error
from ...core.errors import InputError
from ...core.validation import validate

MOST_BYTES = 2 << 30
"""Of one file; results of a model and task have a hundredth of that."""

LONGEST_LINE = 256 << 20

HEAD = 64 << 10
"""The bytes at the beginning of a file by which its format is told."""

DATE = r"\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(?:\.\d+)?"
"""Matches the time in names of files."""

_ModelT = TypeVar("_ModelT", bound=BaseModel)


class HarnessModel(BaseModel):
    """A part of a harness's file: nothing is converted, fields that are not needed are ignored."""

    model_config = ConfigDict(extra="ignore", frozen=True, strict=True)


def number(value: object) -> float | None:
    """A finite number; None for anything else, also for true and false."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return float(value) if abs(value) < 1e300 else None


def is_count(text: str) -> bool:
    """Whether a text is a number as files, epochs and the like are counted by."""
    return text.isdecimal() and len(text) < 10


def _text(value: object) -> str:
    if isinstance(value, str):
        return value
    raise PydanticCustomError("string_type", "text")


Text = Annotated[str, PlainValidator(_text)]
"""A text, which in a model's answer may hold half a character."""

Number = Annotated[float | None, BeforeValidator(number)]
"""A finite number; None in the place of anything else."""

Repeat = Annotated[int, Field(ge=0, le=1_000_000)]
"""The number of an epoch, a trial or the like."""


def at(first: str, *path: str | int, **settings: Any) -> Any:
    """A field of a model that stands further inside: under some keys, one in the other."""
    return Field(validation_alias=AliasPath(first, *path), **settings)


def folders_below(path: Path) -> Iterator[tuple[Path, list[str]]]:
    """A folder and those below it, each with the names of its files.

    Hidden ones, as editors, notebooks and macOS leave them, are left out; links to folders are not followed.

    Raises:
        InputError: one cannot be read.
    """
    try:
        for folder, below, names in os.walk(path, onerror=_raise):
            below[:] = [name for name in below if not name.startswith(".")]
            yield Path(folder), [name for name in names if not name.startswith(".")]
    except OSError as error:
        raise read_error(Path(error.filename or path), error) from error


def files_below(path: Path) -> list[Path]:
    """All files below a folder, by name; a file itself.

    Raises:
        InputError: a folder cannot be read.
    """
    if not path.is_dir():
        return [path]
    return sorted(folder / name for folder, names in folders_below(path) for name in names)


def _raise(error: OSError) -> None:
    raise error


def head_of(path: Path) -> bytes:
    """The first bytes of a file; of a pipe, which may have none, and of a link to nothing none.

    Raises:
        InputError: it cannot be read.
    """
    if not path.is_file():
        return b""
    try:
        with path.open("rb") as file:
            return file.read(HEAD)
    except OSError as error:
        raise read_error(path, error) from error


def read_json(path: Path, schema: type[_ModelT]) -> _ModelT:
    """The contents of a JSON file.

    Raises:
        InputError: the file is not there, is too large, is no JSON, or has not the fields of ``schema``.
    """
    with opened(path) as file:
        return _parsed(file.read(), schema, str(path))


def read_lines(path: Path, schema: type[_ModelT]) -> Iterator[tuple[str, _ModelT]]:
    """The lines of a JSONL file, each with its place for messages; empty ones are skipped.

    Raises:
        InputError: as :func:`read_json`.
    """
    with opened(path) as file:
        for at in count(1):
            line = file.readline(LONGEST_LINE + 1)
            if not line:
                return
            if len(line) > LONGEST_LINE:
                raise InputError(f"{path}: line {at}: is longer than {LONGEST_LINE:,} bytes")
            if line.strip():
                yield (where := f"{path}: line {at}"), _parsed(line, schema, where)


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """A file of a harness, open to be read.

    Raises:
        InputError: it is not there, is too large, or cannot be read.
    """
    try:
        if not path.is_file() or path.stat().st_size > MOST_BYTES:
            raise InputError(f"{path}: is not a file of at most {MOST_BYTES:,} bytes")
        with path.open("rb") as file:
            yield file
    except OSError as error:
        raise read_error(path, error) from error


def _parsed(data: bytes, schema: type[_ModelT], where: str) -> _ModelT:
    with suppress(ValidationError):  # pydantic reads JSON twice as fast, but halves of characters it does not
        return schema.model_validate_json(data)
    try:
        return validate(schema, json.loads(data), where)
    except InputError:
        raise
    except (ValueError, RecursionError) as error:  # also bytes that are no text, nesting without end
        raise InputError(f"{where}: is not JSON that can be read: {str(error)[:120]}") from None
