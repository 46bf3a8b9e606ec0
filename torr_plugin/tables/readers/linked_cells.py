"""A table by its linked cells, column by column, as TURL has it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TypeAlias

from ...core.errors import TableError
from ..table import Table
from .bounded import parsed
from .columns import columns

_EXPECTED = ("JSON text", "JSON")
_MOST_ROWS = 100_000

Column: TypeAlias = "dict[int, str]"


def linked_cells(header: Sequence[str], cells: str, *, title: str = "", notes: Sequence[str] = ()) -> Table:
    """A flat table from ``header`` and ``cells``, JSON text of the cells with a link in each column.

    ``cells`` has for each column a list of ``[[row, column], [entity, text]]``. A place without a link is
    empty, the first of several links at one place counts, and rows without any link are left out.

    Raises:
        TableError: no such JSON text, more or fewer columns than the header has, or no cell at all.
    """
    head = list(header)
    listed = _listed(cells)
    if len(listed) != len(head):
        raise TableError(
            f"the table has cells for {len(listed)} columns, expected {len(head)} as in the header"
        )
    body = [_column(column, index) for index, column in enumerate(listed)]
    last = max((max(column) for column in body if column), default=-1)
    rows = [[column.get(row, "") for column in body] for row in range(last + 1)]
    return columns(head, [row for row in rows if any(row)], title=title, notes=notes)


def _listed(cells: str) -> list[object]:
    listed = parsed(cells, json.loads, "the table's cells", expected=_EXPECTED, verbs=("are", "start"))
    if not isinstance(listed, list):
        raise TableError(f"the table's cells are {cells[:40]!r}; expected a list of columns")
    return listed


def _column(column: object, index: int) -> Column:
    texts: Column = {}
    for row, text in _cells(column, index):
        if type(row) is not int or not 0 <= row < _MOST_ROWS:
            raise TableError(
                f"column {index} of the table has a cell in row {row!r}; expected 0 to {_MOST_ROWS - 1}"
            )
        texts.setdefault(row, text)
    return texts


def _cells(column: object, index: int) -> list[tuple[object, str]]:
    try:
        return [(row, str(text)) for (row, _), (_, text) in column]  # type: ignore[attr-defined]
    except (TypeError, ValueError):
        raise TableError(
            f"column {index} of the table is {str(column)[:40]!r}; "
            "expected [[row, column], [entity, text]] for each cell"
        ) from None
