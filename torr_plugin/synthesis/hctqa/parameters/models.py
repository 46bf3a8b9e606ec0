"""Checks a parameter file against its model and names the template or attribute that is wrong."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from ....core.validation import Path, first_fault
from .json_file import ParameterError

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


def _named(path: Path, document: Any, named_by: str) -> tuple[object, Path]:
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
