"""Workbooks as other programs write them, for tests."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Sequence
from typing import Any

import openpyxl
from openpyxl.styles import Alignment, Font, PatternFill


def saved(*fills: Callable[[Any], None]) -> bytes:
    """A workbook with a sheet for each function that fills one."""
    book = openpyxl.Workbook()
    for number, fill in enumerate(fills):
        fill(book.active if number == 0 else book.create_sheet())
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def changed(data: bytes, name: str, change: Callable[[bytes], bytes]) -> bytes:
    """The workbook with one of its parts changed."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for part in old.namelist():
            new.writestr(part, change(old.read(part)) if part == name else old.read(part))
    return out.getvalue()


def rows(
    *lines: Sequence[Any], merged: Sequence[str] = (), at: tuple[int, int] = (1, 1)
) -> Callable[[Any], None]:
    """What fills a sheet with lines of values from a place on, and merges ranges."""

    def fill(sheet: Any) -> None:
        for r, line in enumerate(lines):
            for c, value in enumerate(line):
                if value is not None:
                    sheet.cell(at[0] + r, at[1] + c, value)
        for area in merged:
            sheet.merge_cells(area)

    return fill


def together(*fills: Callable[[Any], None]) -> Callable[[Any], None]:
    """What fills one sheet with several functions."""

    def fill(sheet: Any) -> None:
        for each in fills:
            each(sheet)

    return fill


def bold(sheet: Any, *places: str) -> None:
    """Make cells bold."""
    for place in places:
        sheet[place].font = Font(bold=True)


def filled(sheet: Any, colour: str, *places: str) -> None:
    """Fill cells."""
    for place in places:
        sheet[place].fill = PatternFill("solid", fgColor=colour)


def indented(sheet: Any, **levels: int) -> None:
    """Indent cells."""
    for place, level in levels.items():
        sheet[place].alignment = Alignment(indent=level)
