"""Fields of foreign JSON, each checked where it is read."""

from __future__ import annotations

import math
from collections.abc import Mapping
from reprlib import repr as bounded
from typing import Any, TypeVar

from ...core.errors import InputError

T = TypeVar("T")

_WORDS = {
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
            raise InputError(f"{where}: has no {name!r}; expected {_WORDS[kind]}{hint and '; ' + hint}")
        found = found[part]
    if not isinstance(found, kind) or isinstance(found, bool):
        raise InputError(f"{where}: {name}: found {bounded(found):.60}; expected {_WORDS[kind]}")
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
