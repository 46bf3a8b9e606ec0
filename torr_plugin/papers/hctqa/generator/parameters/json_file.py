"""Read a JSON parameter file and check it against its model; messages name file, line and key."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, NoReturn, TypeVar

from pydantic import BaseModel, Field, ValidationError

from .....core.atomic_files import read_text
from .....core.errors import InputError
from .....core.validation import Fault, FieldPath, faults, listed

_MOST_BYTES = 64 * 1024 * 1024

_T = TypeVar("_T")
Listed = Annotated[tuple[_T, ...], Field(strict=False)]
"""A JSON list, as a tuple."""


class ParameterError(InputError):
    """A parameter file of the generator that cannot be used: file, template, key, found, expected."""


def read_json(path: Path) -> Any:
    """The document in a file; ``0.0`` stays a float and ``0`` an int, so that reals differ from integers.

    Raises:
        ParameterError: no such file, too large, not UTF-8, broken JSON (with line and column), a key given
            twice, NaN or infinity, or nested too deeply.
    """
    text = read_text(
        path,
        _MOST_BYTES,
        lambda wrong: ParameterError(f"{path}: {wrong}; expected a JSON file of parameters"),
    )
    try:
        return json.loads(text, object_pairs_hook=_without_duplicates, parse_constant=_refuse)
    except json.JSONDecodeError as error:
        place = f"{path}:{error.lineno}:{error.colno}"
        raise ParameterError(f"{place}: broken JSON: {error.msg}; expected valid JSON") from error
    except (ValueError, RecursionError) as error:
        raise ParameterError(f"{path}: {error}; expected a JSON file of parameters") from error


def _without_duplicates(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    built: dict[str, Any] = {}
    for key, value in pairs:
        if key in built:
            raise ValueError(f"key {key!r} occurs twice in one object")
        built[key] = value
    return built


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"found {constant}, which is no finite number")


_ModelT = TypeVar("_ModelT", bound=BaseModel)


def validated(model: type[_ModelT], document: Any, source: str, *, kind: str, named_by: str) -> _ModelT:
    """The document as a model.

    Args:
        model: of the whole file.
        document: what the file holds; a list of objects is under one of its keys.
        source: the file.
        kind: what these objects are, such as ``template``.
        named_by: their key that holds a name.

    Raises:
        ParameterError: file, and of every fault template, key, what was found, what is expected.
    """
    checked = without_comments(document)
    try:
        return model.model_validate(checked)
    except ValidationError as error:

        def text(fault: Fault) -> str:
            entry, path = _named(fault.path, document, named_by)
            place = (f"{kind} {entry!r}" if entry is not None else "", ".".join(map(str, path)))
            return ": ".join([*filter(None, place), fault.message])

        raise ParameterError(f"{source}: {listed(faults(error, model, checked), text)}") from error


def _named(path: FieldPath, document: Any, named_by: str) -> tuple[object, FieldPath]:
    """The name of the object with the fault, and the path within it; None if it is in no such object."""
    if len(path) < 2 or not isinstance(path[1], int):
        return None, path
    entry = document[path[0]][path[1]]
    return (entry.get(named_by, path[1]), path[2:]) if isinstance(entry, Mapping) else (None, path)


def without_comments(document: Any) -> Any:
    """The document without keys that begin with ``comment``, which the benchmark's own files have."""
    if isinstance(document, Mapping):
        return {
            key: without_comments(value) for key, value in document.items() if not key.startswith("comment")
        }
    if isinstance(document, list):
        return [without_comments(value) for value in document]
    return document
