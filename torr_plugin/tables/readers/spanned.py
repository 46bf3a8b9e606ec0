"""Tables as Wikipedia's are published, row by row, each cell with its spans (ToTTo, FEVEROUS)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from ...core.errors import TableError
from ..serializers.html_layout import (
    MOST_COLUMNS,
    HtmlCell,
    HtmlLayout,
    HtmlRow,
    HtmlTable,
    placed,
    shown_rows,
    table_of,
)
from ..serializers.html_tree import settled
from ..table import Table
from .flat import sequence

SpannedRows: TypeAlias = "Sequence[Sequence[Mapping[str, Any]]]"

_FIELDS = ("value", "is_header", "row_span", "column_span")


def spanned(rows: SpannedRows, *, title: str = "", notes: Sequence[str] = ()) -> Table:
    """A table with merged cells from rows of ``value``, ``is_header``, ``row_span``, ``column_span``.

    Cells take their places as in HTML (ToTTo's ``table``): spans that reach too far are cut, short rows are
    filled with empty cells. The header is the leading rows of header cells alone, header columns are the
    leading columns of header cells; a table without either has its first row for a header.

    Raises:
        TableError: no such list, no cells, or a cell without one of these fields.
    """
    table = table_of(HtmlTable(shown_rows(_lines(rows))), "spanned")
    if not table.header_rows and not table.header_columns:
        at_first = {"header_rows": 1} if table.n_rows > 1 else {"header_columns": min(1, table.n_columns - 1)}
        table = table.replace(**at_first)
    return table.replace(title=title, notes=tuple(notes))


def highlighted_lines(rows: SpannedRows, cells: Sequence[Sequence[int]]) -> Iterator[str]:
    """Highlighted cells in words, a line for each row of the table that has any, in the table's order.

    A line has each cell as ``header: text``, with the header cells above it from the top down, and the header
    cells on its left in brackets: ``Title: Emma; Year: 1996 (row: Films)``. Nothing in it depends on the
    place of a row or column.

    Args:
        rows: as :func:`spanned` takes them.
        cells: of each the row, and its place among the cells that the row lists, from 0 on.

    Raises:
        TableError: as :func:`spanned`, or a cell that the table does not have.
    """
    lines = _lines(rows)
    layout = placed(lines, "spanned")
    wanted: dict[int, list[int]] = {}
    for place in cells:
        row, at = _place(place, layout)
        wanted.setdefault(row, []).append(at)
    for row in sorted(wanted):
        places = sorted(set(wanted[row]))
        texts = [_with_header(layout, row, at) for at in places]
        found = [layout.rows[row][at] for at in places]
        # what stands beside headers is another header, not their label
        of_headers = all(each.cell.is_header for each in found)
        labels = [] if of_headers else _row_labels(layout, row, found[0].column)
        yield "; ".join(texts) + (f" (row: {' / '.join(labels)})" if labels else "")


def _lines(rows: object) -> list[HtmlRow]:
    lines = []
    for r, row in enumerate(sequence(rows, "the table")):
        where = f"row {r} of the table"
        cells = [_cell(cell, f"{where}, cell {c}") for c, cell in enumerate(sequence(row, where))]
        lines.append(HtmlRow(0, "", cells))
    return lines


def _cell(cell: Any, where: str) -> HtmlCell:
    if not isinstance(cell, Mapping) or any(cell.get(field) is None for field in _FIELDS):
        raise TableError(f"{where} is {str(cell)[:60]!r}; expected {', '.join(_FIELDS)}")
    spans = []
    for field in ("row_span", "column_span"):
        text = str(cell[field])
        if not text.isdecimal() or len(text) > 9:
            raise TableError(f"{where}: {field} is {text[:40]!r}; expected a whole number")
        spans.append(max(int(text), 1))
    height, width = spans
    # white space at the ends and line breaks are layout, as in HTML
    return HtmlCell(bool(cell["is_header"]), height, min(width, MOST_COLUMNS), [str(cell["value"])])


def _place(place: Sequence[int], layout: HtmlLayout) -> tuple[int, int]:
    found = list(place)
    if len(found) == 2 and all(isinstance(each, int) for each in found):
        row, at = found
        if 0 <= row < len(layout.rows) and 0 <= at < len(layout.rows[row]):
            return row, at
    raise TableError(f"found the highlighted cell {found!r:.60}; expected a row and a cell of the table")


def _with_header(layout: HtmlLayout, row: int, at: int) -> str:
    column, cell, _, width = layout.rows[row][at]
    above = [
        settled(each.cell.pieces)
        for line in layout.rows[:row]
        for each in line
        if each.cell.is_header and each.column < column + width and column < each.column + each.width
    ]
    labels = list(dict.fromkeys(filter(None, above)))
    text = settled(cell.pieces) or "(empty)"
    return f"{' / '.join(labels)}: {text}" if labels else text


def _row_labels(layout: HtmlLayout, row: int, column: int) -> list[str]:
    """The header cells on the left that cover the row, those that begin above it too."""
    left = [
        (each.column, settled(each.cell.pieces))
        for r, line in enumerate(layout.rows[: row + 1])
        for each in line
        if each.cell.is_header and each.column < column and r + each.height > row
    ]
    return list(dict.fromkeys(text for _, text in sorted(left) if text))
