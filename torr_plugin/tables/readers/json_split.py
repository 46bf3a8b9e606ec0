"""A table as a JSON object of columns and data."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from ...core.errors import TableError
from ..table import Table
from .bounded import parsed
from .columns import columns

_EXPECTED = ("JSON text", "JSON")


def json_split(text: str | Mapping[str, Any], *, title: str = "", notes: Sequence[str] = ()) -> Table:
    """A flat table from ``{"columns": [...], "data": [[...], ...]}``, as JSON text (TableBench's ``table``).

    The object itself is taken too, as the data set's repository has it.
    Numbers stay numbers, ``null`` is an empty cell. Control characters inside texts are put up with.

    Raises:
        TableError: no JSON, no object with these keys, or a table that cannot be (see :func:`columns`).
    """
    value: object = text
    if not isinstance(text, Mapping):
        value = parsed(text, partial(json.loads, strict=False), "the table", expected=_EXPECTED)
    if not isinstance(value, Mapping) or not {"columns", "data"} <= value.keys():
        raise TableError(f"the table is {str(text)[:40]}; expected a JSON object with 'columns' and 'data'")
    return columns(value["columns"], value["data"], title=title, notes=notes)
