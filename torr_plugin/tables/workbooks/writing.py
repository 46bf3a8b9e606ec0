"""Write a table as an XLSX workbook, formatted for people."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Mapping
from copy import copy
from typing import Any, TypeAlias

import openpyxl
from openpyxl.styles import Alignment, Font, PatternFill
from openpyxl.utils import get_column_letter

from ...core.errors import SerializationError
from ..serializers.structure import checked
from ..table import Cell, Table
from . import opening
from .number_formats import escaped, number_format
from .sheets import INDENT
from .styles import HEADING, written_style

_MOST_ROWS, _MOST_COLUMNS, _LONGEST = 1_048_576, 16_384, 32_767  # what a sheet and a cell can hold
_MOST_LEVELS = 15  # of indentation, as spreadsheet programs offer
_WIDEST = 50  # characters of a column; longer texts are wrapped
_SHEET = "Table"
_MODIFIED = re.compile(rb"(<dcterms:(created|modified)[^>]*>)[^<]*")

Style: TypeAlias = "Mapping[str, Any]"
"""Attributes of openpyxl's cells."""

_BOLD, _SHADE = Font(bold=True), PatternFill("solid", fgColor=HEADING.fill.lstrip("#"))
_TITLE: Style = {"font": Font(bold=True, size=14)}
_NOTE: Style = {"font": Font(italic=True)}
_HEAD: Style = {"font": _BOLD, "fill": _SHADE, "alignment": Alignment(vertical="center", wrap_text=True)}
_MERGED_HEAD: Style = {**_HEAD, "alignment": Alignment("center", "center", wrap_text=True)}
_LINES: Style = {"alignment": Alignment(vertical="top", wrap_text=True)}


def to_bytes(table: Table) -> bytes:
    """The table as an XLSX workbook; equal tables give equal bytes.

    Headers are bold and filled, unless their cells have a style of their own, and stay in view; merged cells
    are merged, and columns as wide as their texts. Pairs of leading spaces in the first header column become
    levels of indentation. The title is above the table, notes are below it.

    Raises:
        SerializationError: more rows, columns or characters in a cell than a sheet can hold, or a lone
            surrogate.
    """
    _check(table)
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = _SHEET
    top = 3 if table.title else 1
    if table.title:
        _write_text(sheet.cell(1, 1), table.title, _TITLE)
    _write_cells(sheet, table, top)
    below = top + table.n_rows + 1
    for index, note in enumerate(table.notes):
        _write_text(sheet.cell(below + index, 1), note, _NOTE)
    _set_widths(sheet, table)
    if table.header_rows <= 10 and table.header_columns <= 5 and (table.header_rows or table.header_columns):
        sheet.freeze_panes = f"{get_column_letter(1 + table.header_columns)}{top + table.header_rows}"
    out = io.BytesIO()
    book.save(out)
    return _reproducible(out.getvalue())


def _reproducible(data: bytes) -> bytes:
    """The archive with fixed time stamps."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w") as new:
        for info in sorted(old.infolist(), key=lambda part: part.filename != "[Content_Types].xml"):
            part = old.read(info)
            if info.filename == "docProps/core.xml":
                part = _MODIFIED.sub(rb"\g<1>1980-01-01T00:00:00Z", part)
            entry = zipfile.ZipInfo(info.filename, (1980, 1, 1, 0, 0, 0))
            entry.create_system, entry.external_attr = 3, 0o600 << 16
            new.writestr(entry, part, zipfile.ZIP_DEFLATED, 6)
    return out.getvalue()


def _check(table: Table) -> None:
    rows, columns = table.n_rows + len(table.notes) + 4, table.n_columns
    if rows > _MOST_ROWS or columns > _MOST_COLUMNS or rows * columns > opening.MOST_PLACES:
        raise SerializationError(
            f"xlsx: the table has {table.n_rows} rows and {columns} columns; expected at most "
            f"{_MOST_ROWS} and {_MOST_COLUMNS}, and {opening.MOST_PLACES} places"
        )
    texts = [*(cell.text for row in table.rows for cell in row), table.title, *table.notes]
    for text in texts:
        if len(text) > _LONGEST // 7 and len(escaped(text)) > _LONGEST:
            raise SerializationError(
                f"xlsx: the text {text[:40]!r}... has {len(text)} characters; expected at most {_LONGEST}"
            )
    checked("".join(texts), table, "xlsx")


def _write_cells(sheet: Any, table: Table, top: int) -> None:
    for r, row in enumerate(table.placed_rows):
        for c, cell in row:
            place = sheet.cell(top + r, 1 + c)
            levels = _levels(table, cell, r, c)
            style = _indented(_style(table, cell, r, c), levels)
            _write_value(place, cell, cell.text[len(INDENT) * levels :], style)
            if cell.rowspan > 1 or cell.colspan > 1:
                sheet.merge_cells(
                    start_row=top + r,
                    start_column=1 + c,
                    end_row=top + r + cell.rowspan - 1,
                    end_column=c + cell.colspan,
                )


def _write_value(place: Any, cell: Cell, text: str, style: Style) -> None:
    """Write a cell that is to show ``text``."""
    shape = number_format(cell.raw, text)
    if shape is None:
        _write_text(place, text, style)
        return
    place.value = cell.raw
    _apply(style, place)
    if shape != "General":
        place.number_format = shape


def _write_text(place: Any, text: str, style: Style) -> None:
    if text:
        place.value = escaped(text)
        place.data_type = "s"  # no formula and no error, whatever it looks like
    _apply(style, place)


def _apply(style: Style, place: Any) -> None:
    for name, value in style.items():
        setattr(place, name, value)


def _levels(table: Table, cell: Cell, r: int, c: int) -> int:
    """The levels of indentation that leading spaces of a row label stand for."""
    if c > 0 or table.header_columns == 0 or r < table.header_rows or not cell.text.strip():
        return 0
    spaces = len(cell.text) - len(cell.text.lstrip(" "))
    return min(spaces // len(INDENT), _MOST_LEVELS)


def _indented(style: Style, levels: int) -> Style:
    if not levels:
        return style
    alignment = copy(style.get("alignment") or Alignment())
    alignment.horizontal, alignment.indent = "left", levels
    return {**style, "alignment": alignment}


def _style(table: Table, cell: Cell, r: int, c: int) -> Style:
    own = {} if cell.style is None else written_style(cell.style)
    if r < table.header_rows and cell.colspan > 1:
        return {**_MERGED_HEAD, **own}
    if r < table.header_rows or c < table.header_columns:
        return {**_HEAD, **own}
    is_long = len(cell.text) > _WIDEST or "\n" in cell.text or cell.rowspan > 1
    return {**(_LINES if is_long else {}), **own}


def _set_widths(sheet: Any, table: Table) -> None:
    widths = [6] * table.n_columns
    for line in table.grid:
        for c, cell in enumerate(line):
            longest = max(map(len, cell.text.split("\n"))) if cell.colspan == 1 else 0
            widths[c] = max(widths[c], min(longest + 2, _WIDEST))
    for c, width in enumerate(widths):
        sheet.column_dimensions[get_column_letter(c + 1)].width = width
