"""One-line messages from pydantic's validation errors: field, what was found, what is expected.

Recipes, cards, parameter files and imported records are all checked against pydantic models and report errors
in this form.
"""

from __future__ import annotations

import datetime
import difflib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeAlias, TypeVar, get_args, get_origin

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from .errors import InputError, nearest

FieldPath: TypeAlias = "tuple[str | int, ...]"
"""Keys and list indexes that lead to a value of a document."""

_ModelT = TypeVar("_ModelT", bound=BaseModel)

NonEmpty = Annotated[str, Field(min_length=1)]
"""A text that is not empty."""

MOST = 20
"""The most errors of one document that a message lists."""

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
        message: what was found and what is expected.
    """

    path: FieldPath
    of_key: bool
    message: str

    @property
    def field(self) -> str:
        """The path as text: ``loader.splits.test``."""
        return ".".join(map(str, self.path))

    def __str__(self) -> str:
        return ": ".join(filter(None, (self.field, self.message)))


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
        InputError: ``WHERE: FIELD: found; expected``, of every wrong field, as an ``error_type``.
    """
    try:
        return schema.model_validate(document)
    except ValidationError as error:
        raise error_type(": ".join(filter(None, (where, listed(faults(error, schema)))))) from error


def listed(found: Sequence[Fault], text: Callable[[Fault], str] = str) -> str:
    """All errors of a document in one line; of a document with very many, the first ones."""
    more = f"; {len(found) - MOST:,} further fields are wrong" if len(found) > MOST else ""
    return "; ".join(map(text, found[:MOST])) + more


def faults(
    error: ValidationError,
    schema: type[BaseModel],
    *,
    expected: Mapping[str, str] | None = None,
    order: Callable[[FieldPath], Any] | None = None,
) -> list[Fault]:
    """The errors that pydantic found, unknown keys first, one for all keys that an object lacks.

    A missing key that is probably the unknown one, misspelt, is left out.

    Args:
        error: what pydantic raised.
        schema: the model; its keys are suggested for an unknown one.
        expected: wording by pydantic's error type, in place of the general wording.
        order: sorts errors by path, e.g. by line in the file; pydantic's order without it.
    """
    found = error.errors(include_url=False)
    if order is not None:
        found.sort(key=lambda each: order(each["loc"]))
    words = {**_EXPECTED, **(expected or {})}
    unknown = [each["loc"] for each in found if each["type"] == "extra_forbidden"]
    kept = [each for each in found if each["type"] != "missing" or not _is_misspelt(each["loc"], unknown)]
    combined = [_fault(group, schema, words) for group in _grouped(kept, schema)]
    return sorted(combined, key=lambda fault: not fault.of_key)


def _is_misspelt(missing: FieldPath, unknown: Sequence[FieldPath]) -> bool:
    beside = [str(path[-1]) for path in unknown if path[:-1] == missing[:-1]]
    return bool(difflib.get_close_matches(str(missing[-1]), beside, cutoff=0.5))


def _grouped(found: Sequence[Any], schema: type[BaseModel]) -> Iterator[list[Any]]:
    """The missing keys of one object together, and so what all members of a union say about one value."""
    groups: dict[tuple[Any, ...], list[Any]] = {}
    for each in found:
        *above, last = each["loc"] or ("",)
        if each["type"] == "missing":
            last = "missing"
        elif isinstance(last, str) and last not in _known_keys(schema, above):  # a member of a union
            last = f"of {id(each['input'])}"
        groups.setdefault((*above, last), []).append(each)
    for group in groups.values():
        kinds = {each["type"] for each in group}
        if kinds == {"missing"} or (
            len(kinds) == len(group) and all(kind.endswith("_type") for kind in kinds)
        ):
            yield group
        else:
            yield from ([each] for each in group)


def _fault(group: Sequence[Any], schema: type[BaseModel], expected: Mapping[str, str]) -> Fault:
    """The error that a group of pydantic's errors amounts to."""
    first = group[0]
    path, kind = _without_tags(schema, first["loc"]), first["type"]
    if kind == "missing":
        names = [repr(each["loc"][-1]) for each in group]
        named = f"the key {names[0]} is" if len(names) == 1 else f"the keys {', '.join(names)} are"
        return Fault(path[:-1], False, f"{named} missing")
    if len(group) > 1:
        kinds = dict.fromkeys(expected.get(each["type"], each["msg"]) for each in group)
        return Fault(path[:-1], False, f"found {shown(first['input'])}; expected {' or '.join(kinds)}")
    return Fault(path, kind == "extra_forbidden", _message(first, schema, expected))


def shown(value: object) -> str:
    """A value for a message, shortened to 60 characters."""
    text = "nothing" if value is None else str(value) if isinstance(value, datetime.date) else repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _message(fault: Any, schema: type[BaseModel], expected: Mapping[str, str]) -> str:
    kind, context, path = fault["type"], fault.get("ctx", {}), fault["loc"]
    if kind == "extra_forbidden":
        return f"unknown key; {nearest(str(path[-1]), _known_keys(schema, path[:-1]))}"
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
