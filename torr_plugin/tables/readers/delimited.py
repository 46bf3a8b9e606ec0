"""Text with one row a line and a sign between cells."""

from __future__ import annotations

from collections.abc import Sequence

from ...core.errors import TableError
from ..table import Table


def delimited(
    text: str, separator: str = "#", newline: str = "\n", *, title: str = "", notes: Sequence[str] = ()
) -> Table:
    """A flat table from lines of cells, the first being the header (TabFact's ``table_text``).

    Nothing is quoted, and a newline at the end starts no row.

    Raises:
        TableError: no text, no rows, or a line with more or fewer cells than the header.
    """
    if not isinstance(text, str) or not text:
        raise TableError(f"the table's text is {text!r}; expected lines of cells separated by {separator!r}")
    head, *rows = [line.split(separator) for line in text.removesuffix(newline).split(newline)]
    return Table.flat(head, rows, title=title, notes=notes)
