"""Tables in HTML texts and XLSX workbooks."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ...core.caches import BoundedCache
from ...core.errors import TableError
from .. import workbooks
from ..table import Table


def html(text: str, *, title: str = "", notes: Sequence[str] = ()) -> Table:
    """The first table of an HTML text, with spans and header depth (numericNLG's ``table_html_clean``).

    A missing ``thead``, missing end tags, spans that reach too far and short rows are put up with. ``title``
    and ``notes`` win over the caption and the notes in the text.

    Raises:
        TableError: no table, or one without cells or without a body.
    """
    from ..serializers.html_reading import read  # its patterns take a tenth of this package's import

    if not isinstance(text, str):
        raise TableError(f"the table is {type(text).__name__}; expected an HTML text")
    return _named(read(text, "html"), title, notes)


def xlsx(
    source: str | Path | bytes,
    sheet: str | None = None,
    *,
    range: str | None = None,  # noqa: A002 (a spreadsheet's word)
    header_rows: int | None = None,
    header_columns: int | None = None,
    split: bool = True,
    title: str = "",
    notes: Sequence[str] = (),
) -> Table:
    """The table on a sheet of a workbook (a path or bytes), merged cells and header depth with it.

    The largest of several, or the one in a ``range`` of cells; without ``split`` the whole sheet is one.
    See :func:`torr_plugin.tables.workbooks.read_xlsx`. ``title`` and ``notes`` win over the workbook's.

    Raises:
        TableError: no workbook, no such sheet, an empty one, or a table that cannot be.
    """
    table = workbooks.read_xlsx(
        source, sheet, range=range, header_rows=header_rows, header_columns=header_columns, split=split
    )
    return _named(table, title, notes)


_MOST_KEPT = 20_000_000  # bytes of files; several data sets may ask about the same
_kept: BoundedCache[str | bytes, tuple[Table, int]] = BoundedCache(_MOST_KEPT, lambda kept: kept[1])


def document(content: str | bytes, *, title: str = "", notes: Sequence[str] = ()) -> Table:
    """The table of a file: all of a workbook's sheet, by its bytes, or the first of an HTML text.

    Raises:
        TableError: as these.
    """
    table, _ = _kept.get(content, lambda: (_read(content), len(content)))
    return _named(table, title, notes)


def _read(content: str | bytes) -> Table:
    return xlsx(content, split=False) if isinstance(content, bytes) else html(content)


def _named(table: Table, title: str, notes: Sequence[str]) -> Table:
    """The table, its title and notes replaced where others are given."""
    if not title and not notes:
        return table
    return table.replace(title=title or table.title, notes=tuple(notes) or table.notes)
