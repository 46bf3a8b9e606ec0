"""A table in an XLSX workbook."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ..table import Table


def xlsx(
    source: str | Path | bytes,
    sheet: str | None = None,
    *,
    header_rows: int | None = None,
    header_columns: int | None = None,
    title: str = "",
    notes: Sequence[str] = (),
) -> Table:
    """The table on a sheet of a workbook (a path or bytes), merged cells and header depth with it.

    See :func:`torr_plugin.tables.workbooks.read_xlsx`. ``title`` and ``notes`` win over the workbook's.

    Raises:
        TableError: no workbook, no such sheet, an empty one, or a table that cannot be.
    """
    from ..workbooks import read_xlsx

    table = read_xlsx(source, sheet, header_rows=header_rows, header_columns=header_columns)
    return table.replace(title=title or table.title, notes=tuple(notes) or table.notes)
