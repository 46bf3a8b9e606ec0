"""Read CSV and TSV files: detect the separator, check every line."""

from __future__ import annotations

import csv
import re
from contextlib import suppress
from io import StringIO
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from ...core.errors import DataError, counted
from ..text_files import TextFiles

if TYPE_CHECKING:
    from _csv import Reader

MARKS = ",;\t"
_SAMPLED_ROWS = 50
_SEPARATOR_LINE = re.compile(r'sep=([^"\r\n\0])(?:\r\n?|\n)', re.IGNORECASE)
"""A first line ``sep=;``, as spreadsheets write it."""


def parsed(text: str, mark: str) -> Reader:
    """The rows of a text; line ends within quotes are kept, quotes left open are an error."""
    return csv.reader(StringIO(text, newline=""), delimiter=mark, strict=True)


def detected_separator(text: str) -> str:
    """The separator that gives the first row and most others the same number of cells, and the most cells.

    A comma by default. It need not fit all rows: a single row of another length is a mistake in the file,
    reported later, and does not mean another separator.
    """
    rows = {mark: _first_rows(text, mark) for mark in MARKS}
    fitting = [mark for mark in MARKS if _fits(rows[mark])]
    if fitting:
        return max(fitting, key=lambda mark: len(rows[mark][0]))
    # no separator fits: take one that splits the first row, so that the reader can report the bad line
    return next((mark for mark in MARKS if rows[mark] and len(rows[mark][0]) > 1), MARKS[0])


def _first_rows(text: str, mark: str) -> list[list[str]]:
    rows: list[list[str]] = []
    with suppress(csv.Error):  # reading the whole file reports it, with its line
        for row in islice(filter(None, parsed(text, mark)), _SAMPLED_ROWS):
            rows.append(row)
    return rows


def _fits(rows: list[list[str]]) -> bool:
    if not rows or len(rows[0]) == 1:
        return False
    others = rows[1:]
    return not others or 2 * sum(len(row) == len(rows[0]) for row in others) > len(others)


Rows = list[list[str]]


def rows_of(path: Path, texts: TextFiles) -> Rows:
    """Read the rows of a file, headings first, all of the same length; blank lines are skipped.

    A row of empty cells counts as a row. The separator is the one in a first line ``sep=;``, a tab in a
    ``.tsv``, or else whichever of comma, semicolon and tab fits.

    Raises:
        DataError: the file cannot be read, is empty, has no heading, or has a line of another length.
    """
    text = texts.read(path)
    declared = _SEPARATOR_LINE.match(text)
    if declared:
        above, lines = 1, parsed(text[declared.end() :], declared[1])
    else:
        mark = "\t" if path.suffix.lower() == ".tsv" else detected_separator(text)
        above, lines = 0, parsed(text, mark)
    rows: Rows = []
    try:
        for row in filter(None, lines):
            place = f"{path}:{lines.line_num + above}"
            if not rows and not any(map(str.strip, row)):
                raise DataError(f"{place}: has no heading; expected the table's headings in its first row")
            if rows and len(row) != len(rows[0]):
                raise DataError(
                    f"{place}: found {counted(len(row), 'cell')}; expected {len(rows[0])}, as in "
                    "its first row"
                )
            rows.append(row)
    except csv.Error as error:
        raise DataError(f"{path}:{lines.line_num + above}: not CSV: {error}") from None
    if not rows:
        raise DataError(f"{path}: is empty; expected at least a row of headings")
    return rows
