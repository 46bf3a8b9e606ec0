"""Reads what another program wrote: files below a folder, JSON within bounds, fields by pydantic models."""

from __future__ import annotations

import json
import math
import os
import stat
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, PlainValidator
from pydantic_core import PydanticCustomError

from ...core.atomic_files import read_error
from ...core.errors import InputError
from ...core.validation import validate

MOST_BYTES = 2 << 30
"""Of one file; results of a model and task have a hundredth of that."""

LONGEST_LINE = 256 << 20

_MOST_FILES = 5000
_PACKED = (".gz", ".zip", ".tgz", ".tar", ".bz2", ".xz", ".zst", ".7z")

_ModelT = TypeVar("_ModelT", bound=BaseModel)


# -- fields ----------------------------------------------------------------------------------------------


class HarnessModel(BaseModel):
    """A part of a harness's file: nothing is converted, fields that are not needed are ignored."""

    model_config = ConfigDict(extra="ignore", frozen=True, strict=True)


def number(value: object) -> float | None:
    """A finite number; None for anything else, also for true and false."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    try:
        found = float(value)
    except OverflowError:
        return None
    return found if math.isfinite(found) else None


def _text(value: object) -> str:
    if isinstance(value, str):
        return value
    raise PydanticCustomError("string_type", "text")


def _texts(value: object) -> tuple[str, ...]:
    values: list[Any] = value if isinstance(value, list) else [value]
    if any(isinstance(each, (dict, list)) or each is None for each in values):
        raise PydanticCustomError("list_type", "texts")
    return tuple(each if isinstance(each, str) else str(each) for each in values)


Text = Annotated[str, PlainValidator(_text)]
"""A text, which in a model's answer may hold half a character."""

Number = Annotated[float | None, BeforeValidator(number)]
"""A finite number; None in the place of anything else."""

Texts = Annotated[tuple[str, ...], PlainValidator(_texts)]
"""Texts; one text stands for a list of it, other scalars for what they are written as."""


def checked(schema: type[_ModelT], value: object, where: str, hint: str = "") -> _ModelT:
    """Validate a part of a file.

    Args:
        schema: the model.
        value: plain JSON.
        where: file and place, for messages.
        hint: which version writes it, for messages.

    Raises:
        InputError: a field is missing or of another kind.
    """
    try:
        return validate(schema, value, where)
    except InputError as error:
        raise InputError(f"{error}{hint and '; ' + hint}") from None
    except RecursionError:
        raise InputError(f"{where}: holds values nested too deeply to be read") from None


# -- JSON ------------------------------------------------------------------------------------------------


def read_json(path: Path) -> Any:
    """The contents of a JSON file.

    Raises:
        InputError: the file is not there, is too large, or is no JSON (line and column are given).
    """
    try:
        _check_size(path)
        data = path.read_bytes()
    except OSError as error:
        raise read_error(path, error) from error
    return parsed(_decoded(data, str(path)), str(path))


def read_lines(path: Path) -> Iterator[tuple[int, Any]]:
    """The line numbers and values of a JSONL file; empty lines are skipped.

    Raises:
        InputError: as :func:`read_json`; a line is longer than :data:`LONGEST_LINE` bytes.
    """
    try:
        _check_size(path)
        with path.open("rb") as file:
            for place, line in enumerate(iter(lambda: file.readline(LONGEST_LINE + 1), b""), 1):
                where = f"{path}: line {place}"
                if len(line) > LONGEST_LINE:
                    raise InputError(f"{where}: is longer than {LONGEST_LINE} bytes; expected one result")
                if line.strip():
                    yield place, parsed(_decoded(line, where), where)
    except OSError as error:
        raise read_error(path, error) from error


def parsed(text: str, where: str) -> Any:
    """The value of a JSON text.

    Raises:
        InputError: it is no JSON, or nested without end.
    """
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        at = f"line {error.lineno}, column {error.colno}" if "\n" in text else f"column {error.colno}"
        cut = "" if text[error.pos :].strip() else "; it ends too early, as a run that was killed leaves it"
        raise InputError(f"{where}: is not JSON: {error.msg} at {at}{cut}") from None
    except (RecursionError, ValueError) as error:  # nested without end; a number of thousands of digits
        raise InputError(f"{where}: is not JSON that can be read: {str(error)[:120]}") from None


def _check_size(path: Path) -> None:
    found = path.stat()
    if not stat.S_ISREG(found.st_mode):
        raise InputError(f"{path}: is not a plain file; expected JSON")
    if found.st_size > MOST_BYTES:
        raise InputError(f"{path}: has {found.st_size} bytes; expected at most {MOST_BYTES}")


def _decoded(data: bytes, where: str) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"{where}: byte {error.start}: is not UTF-8; expected JSON") from None


# -- folders ---------------------------------------------------------------------------------------------


def files_below(path: Path, *endings: str) -> list[Path]:
    """The files in and below a folder whose names end so, sorted; links to folders are not followed."""
    return sorted(
        Path(folder, name) for folder, _, names in os.walk(path) for name in names if name.endswith(endings)
    )


def packed(path: Path) -> str:
    """A remark where a folder holds an archive or a compressed file, or the path is one; else nothing."""
    names = [path.name] if path.is_file() else names_below(path)
    found = min((name for name in names if name.endswith(_PACKED)), default=None)
    return f"; {found} is packed: unpack it first" if found else ""


def names_below(path: Path) -> Iterator[str]:
    """The names of files in and below a folder, at most :data:`_MOST_FILES`."""
    return islice((name for _, _, names in os.walk(path) for name in names), _MOST_FILES)
