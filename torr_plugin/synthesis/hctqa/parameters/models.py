"""What the parameter files' models share: strict, frozen, and faults said in one line with their key."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from ....core.errors import nearest
from .json_file import ParameterError


class Part(BaseModel):
    """A part of a parameter file: frozen, unknown keys refused but for comments."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


_PartT = TypeVar("_PartT", bound=Part)
Namer = Callable[[Sequence[Any]], tuple[str, str]]
"""From a fault's path in the document to (which template or attribute, which key)."""

_EXPECTED = {
    "string_type": "a text",
    "int_type": "a whole number",
    "list_type": "a list",
    "tuple_type": "a list",
    "dict_type": "an object",
    "model_type": "an object",
    "model_attributes_type": "an object",
    "too_short": "at least one entry",
}


def validated(model: type[_PartT], document: Any, source: str, name: Namer) -> _PartT:
    """The document as a model.

    Raises:
        ParameterError: the first fault: file, template, key, what was found, what is expected.
    """
    try:
        return model.model_validate(without_comments(document))
    except ValidationError as error:
        faults = error.errors(include_url=False)
        more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
        where, key = name(faults[0]["loc"])
        place = ": ".join(part for part in (source, where, key) if part)
        raise ParameterError(f"{place}: {_said(faults[0], model)}{more}") from error


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


def shown(value: object, most: int = 60) -> str:
    """A value for a message, cut where it is long."""
    text = repr(value)
    return text if len(text) <= most else f"{text[: most - 3]}..."


def _said(fault: Any, model: type[Part]) -> str:
    kind, context = fault["type"], fault.get("ctx", {})
    if kind == "missing":
        return "the key is missing"
    if kind == "extra_forbidden":
        return f"unknown key; {nearest(str(fault['loc'][-1]), _keys(model))}"
    if kind == "value_error":
        return str(context["error"])
    expected = context.get("expected") or _EXPECTED.get(kind, fault["msg"])
    return f"found {shown(fault.get('input'))}; expected {expected}"


def _keys(model: type[Part]) -> list[str]:
    """Every key that the model or one of its parts knows."""
    inner = [part for field in model.model_fields.values() for part in _parts(field.annotation)]
    return [*model.model_fields, *(key for part in inner for key in part.model_fields)]


def _parts(annotation: Any) -> list[type[Part]]:
    if isinstance(annotation, type) and issubclass(annotation, Part):
        return [annotation]
    return [part for inner in getattr(annotation, "__args__", ()) for part in _parts(inner)]
