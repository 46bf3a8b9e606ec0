"""What a data set says of its tables and questions: a column of JSON objects, read as plain values."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from ..core.errors import DataError
from .example import Property
from .rows import Row, root

_NUMBER = re.compile(r"-?\d{1,15}")


def properties_of(row: Row, column: str) -> Mapping[str, Property]:
    """The properties in a column: a JSON object as text, or a struct.

    A number that is written as text is a number. An empty text and null mean that a property is not known,
    and it is left out; so are all of them where the column is null or empty.

    Args:
        row: a data set's row.
        column: its name, or a dotted path into structs.

    Raises:
        DataError: no such column, no JSON object, or a value that is no yes or no, number or text.
    """
    value = _at(row, column)
    if value is None or value == "":
        return {}
    if isinstance(value, str):
        return _of_text(value, column)
    return _known(value, column)


def _at(row: Row, column: str) -> Any:
    if column in row:
        return row[column]
    if root(column) not in row:
        raise DataError(f"no column {column!r}, expected one of JSON objects")
    value: Any = row
    for part in column.split("."):
        value = value.get(part) if isinstance(value, Mapping) else None
    return value


@lru_cache(maxsize=4096)
def _of_text(text: str, column: str) -> Mapping[str, Property]:
    """Rows of one table have one text, and share what is read from it."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        raise DataError(f"column {column!r}: found {text[:40]!r}, expected a JSON object") from None
    return _known(value, column)


def _known(value: Any, column: str) -> Mapping[str, Property]:
    if not isinstance(value, Mapping):
        raise DataError(f"column {column!r}: found {str(value)[:40]!r}, expected a JSON object")
    plain = {str(name): _plain(each, str(name), column) for name, each in value.items()}
    return {name: each for name, each in plain.items() if each is not None}


def _plain(value: Any, name: str, column: str) -> Property | None:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        text = value.strip()
        return int(text) if _NUMBER.fullmatch(text) else text or None
    if isinstance(value, int) or (isinstance(value, float) and value.is_integer()):
        return int(value)
    raise DataError(
        f"column {column!r}: property {name!r} is {str(value)[:40]!r}, "
        "expected true, false, a whole number or text"
    )
