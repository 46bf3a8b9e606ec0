"""Reads a JSON parameter file; what is wrong is said with file, line and key."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NoReturn

from ....core.errors import InputError

_MOST_BYTES = 64 * 1024 * 1024


class ParameterError(InputError):
    """A parameter file of the generator that cannot be used: file, template, key, found, expected."""


def read_json(path: Path) -> Any:
    """The document in a file; ``0.0`` stays a float and ``0`` an int, which tells reals from integers.

    Raises:
        ParameterError: no such file, not UTF-8, too large, or broken JSON (line and column are said).
    """
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise ParameterError(
                f"{path}: larger than {_MOST_BYTES // 1024**2} MiB; expected a parameter file"
            )
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise ParameterError(f"{path}: cannot be read ({error.strerror}); expected a JSON file") from error
    except UnicodeDecodeError as error:
        raise ParameterError(f"{path}: not UTF-8 at byte {error.start}; expected a JSON file") from error
    return parse_json(text, str(path))


def parse_json(text: str, source: str) -> Any:
    """The document in a text that came from ``source``.

    Raises:
        ParameterError: broken JSON, a key given twice, NaN or infinity, or too deep a nesting.
    """
    try:
        return json.loads(text, object_pairs_hook=_no_key_twice(source), parse_constant=_refuse(source))
    except json.JSONDecodeError as error:
        place = f"{source}:{error.lineno}:{error.colno}"
        raise ParameterError(f"{place}: broken JSON: {error.msg}; expected valid JSON") from error
    except RecursionError as error:
        raise ParameterError(f"{source}: nested too deeply; expected a parameter file") from error
    except ValueError as error:
        if isinstance(error, ParameterError):
            raise
        raise ParameterError(f"{source}: {error}; expected valid JSON") from error


def _no_key_twice(source: str) -> Any:
    def build(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
        built: dict[str, Any] = {}
        for key, value in pairs:
            if key in built:
                raise ParameterError(f"{source}: key {key!r} stands twice in one object; expected once")
            built[key] = value
        return built

    return build


def _refuse(source: str) -> Any:
    def refuse(constant: str) -> NoReturn:
        raise ParameterError(f"{source}: found {constant}; expected a finite number")

    return refuse
