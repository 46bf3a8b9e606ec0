"""Values in a row of a data set: its columns and properties."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from ..core.errors import DataError, nearest

if TYPE_CHECKING:
    from .reading import Property

Row: TypeAlias = "Mapping[str, Any]"

MIRROR_VARIABLE = "TORR_DATA"
UNITXT_SEED = 42
ASK_AGAIN = "ask_again"
"""The column with what asks the question again about part of the table, where it was made from the table."""
TOGETHER = "together"
"""The column that is equal in rows whose tables are read from files of one kind."""


def mirror_folder() -> Path | None:
    """The folder that ``TORR_DATA`` names, or None if it is not set."""
    named = os.environ.get(MIRROR_VARIABLE)
    return Path(named) if named else None


def value_at(row: Any, path: str) -> Any:
    """The value at a dotted path of names and list indexes; None if a value on the way is None.

    Raises:
        DataError: nothing is there.
    """
    value = row
    for part in path.split("."):
        if value is None:
            return None
        if type(value) is dict or isinstance(value, Mapping):
            if part not in value:
                raise DataError(f"no column {path!r}; {nearest(part, value)}")
            value = value[part]
        elif isinstance(value, list):
            if not part.isdecimal() or int(part) >= len(value):
                raise DataError(f"column {path!r}: found a list of {len(value)}, expected an element {part}")
            value = value[int(part)]
        else:
            raise DataError(f"column {path!r}: found {str(value)[:40]!r}, expected a struct with {part!r}")
    return value


_NUMBER = re.compile(r"-?\d{1,15}")


def properties_of(row: Row, column: str) -> Mapping[str, Property]:
    """The properties in a column: a JSON object as text, or a struct.

    Numbers in text become numbers. Properties that are null or empty text are unknown and left out; a null or
    empty column has none.

    Args:
        row: a data set's row.
        column: its name, or a dotted path into structs.

    Raises:
        DataError: no such column, not a JSON object, or a value that is not a boolean, number or text.
    """
    value = row[column] if column in row else value_at(row, column)
    if value is None or value == "":
        return {}
    if isinstance(value, str):
        return _of_text(value, column)
    return _known(value, column)


@lru_cache(maxsize=4096)
def _of_text(text: str, column: str) -> Mapping[str, Property]:
    """Parse a text; cached, since rows of the same table have the same text."""
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
