"""Reads JSON that another program wrote: whole or by lines, bounded, and wrong only in one clear line.

MERGED: The files below a folder.
MERGED: Whose output a folder looks like, for the one line that an importer says of the wrong folder.
MERGED: Fields of foreign JSON, each checked where it is read.
"""

from __future__ import annotations

import json
import math
import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import islice
from pathlib import Path
from reprlib import repr as bounded
from typing import Any, TypeVar

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


def files_below(path: Path, *endings: str) -> list[Path]:
    """The files in and below a folder whose names end so, sorted; links to folders are not followed."""
    return sorted(
        Path(folder, name) for folder, _, names in os.walk(path) for name in names if name.endswith(endings)
    )


_MOST_FILES = 5000
_PACKED = (".gz", ".zip", ".tgz", ".tar", ".bz2", ".xz", ".zst", ".7z")


def expected(path: Path, harness: str, what: str) -> str:
    """The line on a folder without results of a harness.

    Args:
        path: what was given.
        harness: whose results were looked for.
        what: what the folder should be.
    """
    if not path.exists():
        return f"{path}: is not there; expected {what}"
    if not path.is_dir():
        return f"{path}: is a file; expected {what}{packed(path)}"
    found = looks_like(path)
    text = f"{path}: holds no results of {harness}; expected {what}{packed(path)}{_linked(path)}"
    if found == "run":
        return f"{text}; it is a run of this project: 'torr analyse' takes it as it is"
    if found is not None and found != harness:
        return f"{text}; it looks like output of {found}: try 'torr import {found.lower()}'"
    return text


def packed(path: Path) -> str:
    """What is said where a folder holds an archive or a compressed file, or the path is one; else nothing."""
    names = [path.name] if path.is_file() else islice(_names(path), _MOST_FILES)
    found = min((name for name in names if name.endswith(_PACKED)), default=None)
    return f"; {found} is packed: unpack it first" if found else ""


def _linked(path: Path) -> str:
    """What is said where a folder holds a link to another one, which is not followed; else nothing."""
    found = None
    with suppress(OSError), os.scandir(path) as entries:
        found = min((each.name for each in entries if each.is_symlink() and each.is_dir()), default=None)
    return f"; {found} is a link to a folder and is not followed: name the folder itself" if found else ""


def looks_like(path: Path) -> str | None:
    """``HELM``, ``lm-eval``, ``unitxt``, ``run`` for a run of ours, or None."""
    names = set(islice(_names(path), _MOST_FILES))
    if "study.yaml" in names:
        return "run"
    if names & {"scenario_state.json", "per_instance_stats.json", "run_spec.json"}:
        return "HELM"
    if any(
        name.startswith(("samples_", "results_")) and name.endswith((".jsonl", ".json")) for name in names
    ):
        return "lm-eval"
    return "unitxt" if any(name.endswith("_samples.json") for name in names) else None


def _names(path: Path) -> Iterator[str]:
    for _, _, files in os.walk(path):
        yield from files


T = TypeVar("T")

_WORDS_FIELDS = {
    str: "a text",
    dict: "an object",
    list: "a list",
    int: "a whole number",
}


def field(value: object, name: str, kind: type[T], where: str, hint: str = "") -> T:
    """``value[name]``, which must be there.

    Args:
        value: an object of JSON.
        name: the field, or several joined by dots.
        kind: ``str``, ``dict``, ``list`` or ``int``.
        where: file and place, for messages.
        hint: what else is said where the field is missing.

    Raises:
        InputError: it is not there, or of another kind.
    """
    found = value
    for part in name.split("."):
        if not isinstance(found, Mapping) or part not in found:
            raise InputError(
                f"{where}: has no {name!r}; expected {_WORDS_FIELDS[kind]}{hint and '; ' + hint}"
            )
        found = found[part]
    if not isinstance(found, kind) or isinstance(found, bool):
        raise InputError(f"{where}: {name}: found {bounded(found):.60}; expected {_WORDS_FIELDS[kind]}")
    return found


def optional(value: object, name: str, kind: type[T], where: str) -> T | None:
    """As :func:`field`; None where the field is missing or null."""
    if not isinstance(value, Mapping) or value.get(name) is None:
        return None
    return field(value, name, kind, where)


def number(value: object) -> float | None:
    """A finite number; None for anything else, also for true and false."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    try:
        found = float(value)
    except OverflowError:
        return None
    return found if math.isfinite(found) else None


def texts(value: object, where: str) -> tuple[str, ...]:
    """A list of texts; one text stands for a list of it, other scalars for their JSON.

    Raises:
        InputError: something else.
    """
    values: list[Any] = value if isinstance(value, list) else [value]
    if any(isinstance(each, (dict, list)) or each is None for each in values):
        raise InputError(f"{where}: found {bounded(value):.60}; expected texts")
    return tuple(each if isinstance(each, str) else str(each) for each in values)
