"""One-line messages from pydantic's validation errors: field, what was found, what is expected.

Recipes, cards, parameter files and imported records are all checked against pydantic models and report errors
in this form.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeAlias, TypeVar, get_args, get_origin

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from .errors import InputError, nearest

FieldPath: TypeAlias = "tuple[str | int, ...]"
"""Keys and list indexes that lead to a value of a document."""

_ModelT = TypeVar("_ModelT", bound=BaseModel)

NonEmpty = Annotated[str, Field(min_length=1)]
"""A text that is not empty."""

_EXPECTED = {
    "string_type": "text",
    "string_unicode": "text without lone surrogates, which are no characters",
    "string_too_short": "text that is not empty",
    "int_type": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    **dict.fromkeys(("tuple_type", "list_type"), "a list"),
    **dict.fromkeys(("dict_type", "model_type", "model_attributes_type"), "an object"),
    "too_short": "at least one entry",
    "finite_number": "a finite number",
}
_BOUNDS = {
    "greater_than_equal": "at least {ge}",
    "greater_than": "more than {gt}",
    "less_than_equal": "at most {le}",
    "less_than": "less than {lt}",
}


class StrictModel(BaseModel):
    """Base model: frozen, no type conversion, unknown keys refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


@dataclass(frozen=True, slots=True)
class Fault:
    """One error in a document.

    Attributes:
        path: the field; an unknown key's path ends in the key, a missing key's in the object that lacks it.
        of_key: whether the key itself is wrong, rather than its value.
        message: what was found, what is expected, and the number of further errors.
    """

    path: FieldPath
    of_key: bool
    message: str

    @property
    def field(self) -> str:
        """The path as text: ``loader.splits.test``."""
        return ".".join(map(str, self.path))


def validate(
    schema: type[_ModelT], document: Any, where: str, *, error_type: type[InputError] = InputError
) -> _ModelT:
    """Validate a document, such as a record of a JSON file.

    Args:
        schema: the expected model.
        document: plain values.
        where: the beginning of a message, such as file and line.
        error_type: the class of error to raise.

    Raises:
        InputError: ``WHERE: FIELD: found; expected``, as an ``error_type``.
    """
    try:
        return schema.model_validate(document)
    except ValidationError as error:
        fault = first_fault(error, schema)
        raise error_type(": ".join(filter(None, (where, fault.field, fault.message)))) from error


def first_fault(
    error: ValidationError,
    schema: type[BaseModel],
    *,
    expected: Mapping[str, str] | None = None,
    order: Callable[[FieldPath], Any] | None = None,
) -> Fault:
    """The most telling of the errors that pydantic found.

    An unknown key comes first, since other errors (a missing key) often follow from it.

    Args:
        error: what pydantic raised.
        schema: the model; its keys are suggested for an unknown one.
        expected: wording by pydantic's error type, in place of the general wording.
        order: sorts errors by path, e.g. by line in the file; pydantic's order without it.
    """
    faults = error.errors(include_url=False)

    def rank(each: Any) -> Any:
        unknown = each["type"] != "extra_forbidden"
        return (unknown, order(each["loc"])) if order else unknown

    first = min(faults, key=rank)
    more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
    path, kind = _without_tags(schema, first["loc"]), first["type"]
    if kind == "missing":
        path = path[:-1]
    message = _message(first, schema, {**_EXPECTED, **(expected or {})})
    return Fault(path, kind == "extra_forbidden", f"{message}{more}")


def shown(value: object) -> str:
    """A value for a message, shortened to 60 characters."""
    text = "nothing" if value is None else str(value) if isinstance(value, datetime.date) else repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _message(fault: Any, schema: type[BaseModel], expected: Mapping[str, str]) -> str:
    kind, context, path = fault["type"], fault.get("ctx", {}), fault["loc"]
    if kind == "extra_forbidden":
        return f"unknown key; {nearest(str(path[-1]), _known_keys(schema, path[:-1]))}"
    if kind == "missing":
        return f"the key {path[-1]!r} is missing"
    if kind == "value_error":
        return str(context["error"])
    found = f"found {shown(fault.get('input'))}"
    if kind in _BOUNDS:
        return f"{found}; expected a number of {_BOUNDS[kind].format(**context)}"
    if kind == "literal_error" or kind in expected:
        return f"{found}; expected {context['expected'] if kind == 'literal_error' else expected[kind]}"
    return f"{found}; {fault['msg'][:1].lower()}{fault['msg'][1:]}"


def _known_keys(schema: type[BaseModel], path: Sequence[str | int]) -> list[str]:
    """The keys that the schema allows at a path."""
    return [
        field.alias or name
        for model in _models_at(schema, path)
        for name, field in model.model_fields.items()
    ]


def _models_at(schema: type[BaseModel], path: Sequence[str | int]) -> list[type[BaseModel]]:
    """The models that describe the value at a path; several for a union."""
    models = [schema]
    for step in path:
        models = _models_below(models, step) or _tagged(models, step) or models
    return models


def _models_below(models: Sequence[type[BaseModel]], step: str | int) -> list[type[BaseModel]]:
    return [
        below
        for model in models
        for name, field in model.model_fields.items()
        if step in (name, field.alias)
        for below in models_in(field.annotation)
    ]


def models_in(annotation: Any) -> list[type[BaseModel]]:
    """The models in an annotation such as ``dict[str, Model]`` or ``tuple[Model, ...] | None``."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [model for inner in get_args(annotation) for model in models_in(inner)]


def _tagged(models: Sequence[type[BaseModel]], tag: str | int) -> list[type[BaseModel]]:
    """The members of a tagged union that a tag selects; pydantic puts the tag into the path."""
    return [
        model
        for model in models
        if any(
            get_origin(field.annotation) is Literal and tag in get_args(field.annotation)
            for field in model.model_fields.values()
        )
    ]


def _without_tags(schema: type[BaseModel], path: FieldPath) -> FieldPath:
    """The path without the tags of unions: keys and indexes of the document alone."""
    return tuple(
        step
        for at, step in enumerate(path)
        if not (len(models := _models_at(schema, path[:at])) > 1 and _tagged(models, step))
    )
