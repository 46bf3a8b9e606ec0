"""Rows as lists, the header among them."""

from __future__ import annotations

from collections.abc import Sequence

from ...core.errors import TableError
from ..table import Scalar, Table
from .columns import columns


def grid(
    rows: Sequence[Sequence[Scalar]], *, fill: bool = False, title: str = "", notes: Sequence[str] = ()
) -> Table:
    """A flat table from a list of rows whose first is the header (FinQA's ``table``).

    Args:
        rows: the header, then the body.
        fill: whether rows shorter than the longest are filled with empty cells; else they are refused.
        title: the table's title.
        notes: remarks below it.

    Raises:
        TableError: no list, no row, or a table that cannot be (see :func:`columns`).
    """
    if isinstance(rows, str | bytes | dict) or not hasattr(rows, "__iter__"):
        raise TableError(f"the table is {str(rows)[:40]!r}; expected a list of rows")
    lines = list(rows)
    if not lines:
        raise TableError("the table has no rows; expected a header at least")
    if fill:
        lines = _filled(lines)
    return columns(lines[0], lines[1:], title=title, notes=notes)


def _filled(lines: Sequence[Sequence[Scalar]]) -> list[Sequence[Scalar]]:
    for index, line in enumerate(lines):
        if isinstance(line, str | bytes | dict) or not hasattr(line, "__len__"):
            raise TableError(f"row {index} of the table is {str(line)[:40]!r}; expected a list")
    width = max(map(len, lines))
    return [[*line, *[""] * (width - len(line))] for line in lines]
