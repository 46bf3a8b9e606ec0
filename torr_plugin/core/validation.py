"""One-line messages from pydantic's validation errors: field, what was found, what is expected.

Recipes, cards, parameter files and imported records are all checked against pydantic models and report errors
in this form.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, TypeAlias, TypeVar, get_args

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
        message: what was found and what is expected.
    """

    path: FieldPath
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
        found = listed(faults(error, schema, document))
        raise error_type(": ".join(filter(None, (where, found)))) from error


def listed(found: Sequence[Fault], text: Callable[[Fault], str] = str) -> str:
    """All errors of a document in one line; of a document with very many, the first ones."""
    more = f"; {len(found) - MOST:,} further fields are wrong" if len(found) > MOST else ""
    return "; ".join(map(text, found[:MOST])) + more


def faults(
    error: ValidationError,
    schema: type[BaseModel],
    document: Any,
    *,
    expected: Mapping[str, str] | None = None,
) -> list[Fault]:
    """The errors that pydantic found, unknown keys first; the missing keys of an object are one error.

    Args:
        error: what pydantic raised.
        schema: the model; its keys are suggested for an unknown one.
        document: what was validated.
        expected: wording by pydantic's error type, in place of the general wording.
    """
    words = {**_EXPECTED, **(expected or {})}
    groups: dict[tuple[FieldPath, str], list[Any]] = {}
    for each in error.errors(include_url=False):
        kind = "of a type" if each["type"].endswith("_type") else each["type"]
        groups.setdefault((_written(each["loc"], document), kind), []).append(each)
    unknown_first = sorted(groups.items(), key=lambda each: each[0][1] != "extra_forbidden")
    return [Fault(path, _message(group, schema, path, words)) for (path, _), group in unknown_first]


def _written(path: FieldPath, document: Any) -> FieldPath:
    """The steps of a path that are in the document: pydantic adds those that tell a union's members apart."""
    steps: list[str | int] = []
    for step in path:
        known = range(len(document)) if isinstance(document, list | tuple) else document
        if isinstance(known, Mapping | range) and step in known:
            steps.append(step)
            document = document[step]
    return tuple(steps)


def shown(value: object) -> str:
    """A value for a message, shortened to 60 characters."""
    text = "nothing" if value is None else str(value) if isinstance(value, datetime.date) else repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _message(
    group: Sequence[Any], schema: type[BaseModel], path: FieldPath, expected: Mapping[str, str]
) -> str:
    """What is wrong with a field, of errors of one kind."""
    fault = group[0]
    kind, context = fault["type"], fault.get("ctx", {})
    if kind == "missing":
        names = dict.fromkeys(repr(each["loc"][-1]) for each in group)
        return (
            f"the key{'s' * (len(names) > 1)} {', '.join(names)} {'are' if len(names) > 1 else 'is'} missing"
        )
    if kind == "extra_forbidden":
        return f"unknown key; {nearest(str(path[-1]), _known_keys(schema, path))}"
    if kind == "value_error":
        return str(context["error"])
    found = f"found {shown(fault.get('input'))}; "
    if kind in _BOUNDS:
        return f"{found}expected a number of {_BOUNDS[kind].format(**context)}"
    words = {**expected, "literal_error": context.get("expected", "")}
    wanted = dict.fromkeys(words.get(each["type"], "") for each in group)
    if all(wanted):
        return f"{found}expected {' or '.join(wanted)}"
    return f"{found}{fault['msg'][:1].lower()}{fault['msg'][1:]}"


def _known_keys(schema: type[BaseModel], path: FieldPath) -> list[str]:
    """The keys that the schema allows beside an unknown one, whose path this is."""
    models = [schema]
    for step in path[:-1]:
        below = [
            inner
            for model in models
            for name, field in model.model_fields.items()
            if step in (name, field.alias)
            for inner in models_in(field.annotation)
        ]
        models = below or models  # a list's number, or a key of a plain mapping
    keys = [[field.alias or name for name, field in model.model_fields.items()] for model in models]
    # of a union's members those that do not know the key
    return [key for known in keys if path[-1] not in known for key in known]


def models_in(annotation: Any) -> list[type[BaseModel]]:
    """The models in an annotation such as ``dict[str, Model]`` or ``tuple[Model, ...] | None``."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [model for inner in get_args(annotation) for model in models_in(inner)]
