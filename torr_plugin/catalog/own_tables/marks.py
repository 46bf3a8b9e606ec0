"""Which mark stands between the cells of a CSV file: as it says itself, else as its first rows show."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from contextlib import suppress
from io import StringIO
from itertools import islice
from typing import Protocol

MARKS = ",;\t"
_LOOKED_AT = 50
_SAID = re.compile(r'sep=([^"\r\n\0])(?:\r\n?|\n)', re.IGNORECASE)


class Lines(Protocol):
    """What ``csv.reader`` makes, which has no type of its own to be named."""

    line_num: int

    def __iter__(self) -> Iterator[list[str]]: ...
    def __next__(self) -> list[str]: ...


def parsed(text: str, mark: str) -> Lines:
    """The rows of a text; line ends within quotes are kept, quotes left open are an error."""
    return csv.reader(StringIO(text, newline=""), delimiter=mark, strict=True)


def said_mark(text: str) -> tuple[str, str]:
    """The mark that a first line ``sep=;`` names, as spreadsheets write it, or "", and the text below."""
    found = _SAID.match(text)
    return (found[1], text[found.end() :]) if found else ("", text)


def shown_mark(text: str) -> str:
    """The mark that parts the first row and most of those that follow alike; the one that makes most cells.

    Commas where nothing decides. Most rows, not all of them: one that is too short or too long is a mistake
    in the file, to be told as such, and no sign that another mark was meant.
    """
    rows = {mark: _first_rows(text, mark) for mark in MARKS}
    fitting = [mark for mark in MARKS if _fits(rows[mark])]
    if fitting:
        return max(fitting, key=lambda mark: len(rows[mark][0]))
    # ragged whichever it is: one that parts the first row lets the reader say where
    return next((mark for mark in MARKS if rows[mark] and len(rows[mark][0]) > 1), MARKS[0])


def _first_rows(text: str, mark: str) -> list[list[str]]:
    rows: list[list[str]] = []
    with suppress(csv.Error):  # said when the file is read, with its line
        for row in islice(filter(None, parsed(text, mark)), _LOOKED_AT):
            rows.append(row)
    return rows


def _fits(rows: list[list[str]]) -> bool:
    if not rows or len(rows[0]) == 1:
        return False
    others = rows[1:]
    return not others or 2 * sum(len(row) == len(rows[0]) for row in others) > len(others)
