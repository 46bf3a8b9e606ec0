"""A table as a JSON object of columns and data."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from ..errors import TableError
from ..table import Table
from .columns import columns

_LONGEST = 5_000_000


def json_split(text: str | Mapping[str, Any], *, title: str = "", notes: Sequence[str] = ()) -> Table:
    """A flat table from ``{"columns": [...], "data": [[...], ...]}``, as JSON text (TableBench's ``table``).

    The object itself is taken too, as the data set's repository has it.
    Numbers stay numbers, ``null`` is an empty cell. Control characters inside texts are put up with.

    Raises:
        TableError: no JSON, no object with these keys, or a table that cannot be (see :func:`columns`).
    """
    value = text if isinstance(text, Mapping) else _parsed(text)
    if not isinstance(value, Mapping) or not {"columns", "data"} <= value.keys():
        raise TableError(f"the table is {str(text)[:40]}; expected a JSON object with 'columns' and 'data'")
    return columns(value["columns"], value["data"], title=title, notes=notes)


def _parsed(text: object) -> object:
    if not isinstance(text, str) or len(text) > _LONGEST:
        found = f"{len(text)} characters" if isinstance(text, str) else type(text).__name__
        raise TableError(f"the table is {found}; expected JSON text of at most {_LONGEST} characters")
    try:
        return json.loads(text, strict=False)
    except (ValueError, RecursionError) as error:
        raise TableError(f"the table starts with {text[:40]!r}; expected JSON ({str(error)[:80]})") from None
