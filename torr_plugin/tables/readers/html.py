"""An HTML table."""

from __future__ import annotations

from collections.abc import Sequence

from ...core.errors import TableError
from ..table import Table


def html(text: str, *, title: str = "", notes: Sequence[str] = ()) -> Table:
    """The first table of an HTML text, with spans and header depth (numericNLG's ``table_html_clean``).

    A missing ``thead``, missing end tags, spans that reach too far and short rows are put up with. ``title``
    and ``notes`` win over the caption and the notes in the text.

    Raises:
        TableError: no table, or one without cells or without a body.
    """
    from ..serializers._html_document import read

    if not isinstance(text, str):
        raise TableError(f"the table is {type(text).__name__}; expected an HTML text")
    table = read(text, "html")
    return (
        table.replace(title=title or table.title, notes=tuple(notes) or table.notes)
        if title or notes
        else table
    )
