"""A header and rows written as Python literals."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from ...core.errors import TableError
from ..table import Table
from .bounded import parsed
from .columns import columns

_EXPECTED = ("a Python literal", "a list literal")


def literal(header: str, rows: str, *, title: str = "", notes: Sequence[str] = ()) -> Table:
    """A flat table from ``"['a', 'b']"`` and ``"[['1', '2'], ...]"`` (SciGen's columns); nothing is run.

    Raises:
        TableError: a text that is no list literal, or a table that cannot be (see :func:`columns`).
    """
    return columns(_literal(header, "header"), _literal(rows, "rows"), title=title, notes=notes)


def _literal(text: str, field: str) -> list[Any]:
    value = parsed(text, ast.literal_eval, f"the table's {field}", expected=_EXPECTED)
    if not isinstance(value, list | tuple):
        raise TableError(f"the table's {field} is {text[:40]!r}; expected a list literal")
    return list(value)
