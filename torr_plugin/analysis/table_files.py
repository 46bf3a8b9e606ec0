"""A table as bytes: CSV for spreadsheets, Markdown for people."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from .number_format import ABSENT

Row = Sequence[object]

_FORMULA = ("=", "+", "-", "@", "\t")
"""What a spreadsheet takes for the beginning of a formula."""


def as_csv(header: Row, rows: Sequence[Row]) -> bytes:
    """A table for spreadsheets: a name that one would take for a formula gets an apostrophe.

    Args:
        header: names of the columns.
        rows: cells are text, numbers, booleans or None; any other is written as its text.
    """
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(header)
    for row in rows:
        writer.writerow([_text(cell) if isinstance(cell, str) else cell for cell in row])
    return buffer.getvalue().encode("utf-8", "replace")


def markdown(header: Row, rows: Sequence[Row]) -> bytes:
    """A table for people: numbers with three decimals, a dash where there is none."""
    numbers = [any(isinstance(row[place], float) for row in rows) for place in range(len(header))]
    ruler = "|".join(" ---: " if number else " --- " for number in numbers)
    lines = [_markdown_row(header), f"|{ruler}|", *map(_markdown_row, rows)]
    return "".join(f"{line}\n" for line in lines).encode("utf-8", "replace")


def _markdown_row(cells: Row) -> str:
    return f"| {' | '.join(map(_markdown_cell, cells))} |"


def _markdown_cell(cell: object) -> str:
    """A name on one line; its bars and angle brackets do not count as Markdown."""
    if isinstance(cell, float):
        return f"{cell:.3f}"
    text = ABSENT if cell is None else " ".join(str(cell).split())
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;")


def _text(name: str) -> str:
    """A name as a cell: a spreadsheet must not take it for a formula."""
    # Python 3.10 cannot write a NUL, and up to 3.12 a carriage return stands unquoted and ends the row
    text = name.replace("\0", "\N{REPLACEMENT CHARACTER}").replace("\r", "\N{REPLACEMENT CHARACTER}")
    return f"'{text}" if text.startswith(_FORMULA) else text
