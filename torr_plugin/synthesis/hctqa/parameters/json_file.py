"""Reads a JSON parameter file and checks it against its model; messages name file, line and key."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from pydantic import BaseModel, ValidationError

from ....core.errors import InputError
from ....core.validation import FieldPath, first_fault


class ParameterError(InputError):
    """A parameter file of the generator that cannot be used: file, template, key, found, expected."""


_MOST_BYTES = 64 * 1024 * 1024


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


_ModelT = TypeVar("_ModelT", bound=BaseModel)


def validated(model: type[_ModelT], document: Any, source: str, *, kind: str, named_by: str) -> _ModelT:
    """The document as a model.

    Args:
        model: of the whole file.
        document: what the file holds; a list of objects stands under one of its keys.
        source: the file.
        kind: what these objects are, such as ``template``.
        named_by: their key that holds a name.

    Raises:
        ParameterError: the first fault: file, template, key, what was found, what is expected.
    """
    try:
        return model.model_validate(without_comments(document))
    except ValidationError as error:
        fault = first_fault(error, model)
        entry, path = _named(fault.path, document, named_by)
        place = (source, f"{kind} {entry!r}" if entry is not None else "", ".".join(map(str, path)))
        raise ParameterError(": ".join([*filter(None, place), fault.message])) from error


def _named(path: FieldPath, document: Any, named_by: str) -> tuple[object, FieldPath]:
    """The name of the object in which a fault stands, and the path within it; None where it is in none."""
    if len(path) < 2 or not isinstance(path[1], int):
        return None, path
    entry = document[path[0]][path[1]]
    return (entry.get(named_by, path[1]), path[2:]) if isinstance(entry, Mapping) else (None, path)


def without_comments(document: Any) -> Any:
    """The document less its keys that begin with ``comment``, as the benchmark's own files have them."""
    if isinstance(document, Mapping):
        kept = {key: value for key, value in document.items() if not key.startswith("comment")}
        return {key: without_comments(value) for key, value in kept.items()}
    if isinstance(document, list):
        return [without_comments(value) for value in document]
    return document


def as_tuple(found: Any) -> Any:
    """A list as a tuple, which models in strict mode ask for."""
    return tuple(found) if isinstance(found, list) else found
