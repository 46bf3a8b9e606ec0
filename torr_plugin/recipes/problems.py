"""What is wrong with a recipe, in one line: file, line, field, what was found, what is expected."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, get_args

from ..core.errors import RecipeError, nearest
from .fields import Part
from .source import Key, Source

if TYPE_CHECKING:
    from pydantic import ValidationError

_KINDS = {
    "string_type": "text (in quotes where it looks like something else)",
    "string_unicode": "text without lone surrogates, which are no characters",
    "int_type": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "tuple_type": "a list",
    "list_type": "a list",
    "dict_type": "a mapping (name: value)",
    "model_type": "a mapping (name: value)",
    "model_attributes_type": "a mapping (name: value)",
    "finite_number": "a finite number",
    "string_pattern_mismatch": "letters, digits, '.', '_' and '-', a letter or digit first",
    "string_too_short": "text that is not empty",
}


def problem(error: ValidationError, schema: type[Part], source: Source) -> RecipeError:
    """The first thing that is wrong, and how many more there are."""
    faults = error.errors(include_url=False)
    # a typo in a key first: what else is wrong often follows from it
    first = min(faults, key=lambda fault: (fault["type"] != "extra_forbidden", source.place(fault["loc"])[0]))
    more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
    line, field = source.place(first["loc"], key=first["type"] == "extra_forbidden")
    where = f"{source.path}:{line}: {field}: " if field else f"{source.path}:{line}: "
    return RecipeError(f"{where}{_said(first, schema)}{more}")


def _said(fault: Any, schema: type[Part]) -> str:
    kind, found, context = fault["type"], _shown(fault.get("input")), fault.get("ctx", {})
    if kind == "extra_forbidden":
        return f"unknown key; {nearest(str(fault['loc'][-1]), _keys(schema, fault['loc'][:-1]))}"
    if kind == "missing":
        return f"the key {fault['loc'][-1]!r} is missing"
    if kind == "value_error":
        return str(context["error"])
    return f"found {found}; expected {_expected(kind, context, fault['msg'])}"


def _expected(kind: str, context: Any, message: str) -> str:
    bounds = {
        "greater_than_equal": "at least {ge}",
        "greater_than": "more than {gt}",
        "less_than": "less than {lt}",
    }
    if kind in bounds:
        return "a number of " + bounds[kind].format(**context)
    if kind == "literal_error":
        return str(context["expected"])
    return _KINDS.get(kind, message)


def _shown(value: object, most: int = 60) -> str:
    text = "nothing" if value is None else str(value) if isinstance(value, datetime.date) else repr(value)
    return text if len(text) <= most else f"{text[: most - 3]}..."


def _keys(schema: type[Part], path: Sequence[Key]) -> list[str]:
    """The keys that may stand at a path of the schema."""
    at: Any = schema
    for step in path:
        if isinstance(step, str):
            at = _part(at.model_fields[step].annotation)
    return list(at.model_fields)


def _part(annotation: Any) -> Any:
    """The part inside an annotation such as ``tuple[Part, ...]`` or ``Part | None``."""
    if isinstance(annotation, type) and issubclass(annotation, Part):
        return annotation
    return next((found for inner in get_args(annotation) if (found := _part(inner))), None)
