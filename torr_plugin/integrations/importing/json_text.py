"""Reads JSON that another program wrote: whole or by lines, bounded, and wrong only in one clear line."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ...core.errors import InputError

MOST_BYTES = 2 << 30
"""Of one file; results of a model and task have a hundredth of that."""

LONGEST_LINE = 256 << 20

_WORDS = {"dict": "an object", "list": "a list", "object": "a value"}


def read_json(path: Path, kind: type) -> Any:
    """The contents of a JSON file.

    Args:
        path: a plain file.
        kind: ``dict`` or ``list``.

    Raises:
        InputError: the file is not there, is too large, is no JSON (line and column are said), or is of
            another kind.
    """
    _check_size(path)
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: byte {error.start}: is not UTF-8; expected JSON") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from error
    return _parsed(text, str(path), kind)


def read_lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a file with one a line, with their lines' numbers; empty lines are left out.

    Raises:
        InputError: as :func:`read_json`; a line is longer than :data:`LONGEST_LINE` bytes.
    """
    _check_size(path)
    try:
        with path.open("rb") as file:
            for number, line in enumerate(iter(lambda: file.readline(LONGEST_LINE + 1), b""), 1):
                where = f"{path}: line {number}"
                if len(line) > LONGEST_LINE:
                    raise InputError(f"{where}: is longer than {LONGEST_LINE} bytes; expected one result")
                if line.strip():
                    yield number, _parsed(_decoded(line, where), where, dict, position=False)
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from error


def _check_size(path: Path) -> None:
    try:
        found = os.stat(path)
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from error
    if not stat.S_ISREG(found.st_mode):
        raise InputError(f"{path}: is not a plain file; expected JSON")
    if found.st_size > MOST_BYTES:
        raise InputError(f"{path}: has {found.st_size} bytes; expected at most {MOST_BYTES}")


def _decoded(line: bytes, where: str) -> str:
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"{where}: byte {error.start}: is not UTF-8; expected JSON") from None


def _parsed(text: str, where: str, kind: type, *, position: bool = True) -> Any:
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        at = f"line {error.lineno}, column {error.colno}" if position else f"column {error.colno}"
        cut = "" if text[error.pos :].strip() else "; it ends too early, as a run that was killed leaves it"
        raise InputError(f"{where}: is not JSON: {error.msg} at {at}{cut}") from None
    except (RecursionError, ValueError) as error:  # nested without end; a number of thousands of digits
        raise InputError(f"{where}: is not JSON that can be read: {str(error)[:120]}") from None
    if not isinstance(value, kind):
        raise InputError(f"{where}: found {type(value).__name__}; expected {_WORDS[kind.__name__]}")
    return value
