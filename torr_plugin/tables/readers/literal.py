"""A header and rows written as Python literals."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from ..errors import TableError
from ..table import Table
from .columns import columns

_LONGEST = 5_000_000


def literal(header: str, rows: str, *, title: str = "", notes: Sequence[str] = ()) -> Table:
    """A flat table from ``"['a', 'b']"`` and ``"[['1', '2'], ...]"`` (SciGen's columns); nothing is run.

    Raises:
        TableError: a text that is no list literal, or a table that cannot be (see :func:`columns`).
    """
    return columns(_literal(header, "header"), _literal(rows, "rows"), title=title, notes=notes)


def _literal(text: str, field: str) -> list[Any]:
    if not isinstance(text, str) or len(text) > _LONGEST:
        found = f"{len(text)} characters" if isinstance(text, str) else type(text).__name__
        raise TableError(
            f"the table's {field} is {found}; expected a Python literal of at most {_LONGEST} characters"
        )
    try:
        value = ast.literal_eval(text)
    except (SyntaxError, ValueError, TypeError, MemoryError, RecursionError) as error:
        reason = str(error).splitlines()[0][:80] if str(error) else type(error).__name__
        raise TableError(
            f"the table's {field} starts with {text[:40]!r}; expected a list literal ({reason})"
        ) from None
    if not isinstance(value, list | tuple):
        raise TableError(f"the table's {field} is {text[:40]!r}; expected a list literal")
    return list(value)
