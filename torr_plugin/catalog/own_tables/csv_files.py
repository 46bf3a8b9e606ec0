"""CSV and TSV files as lists of rows: the mark between cells found, every line checked."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from io import StringIO
from itertools import islice
from pathlib import Path
from typing import Protocol

from ...core.errors import DataError, InputError, nearest
from ...tables.readers import grid

MARKS = ",;\t"
_LOOKED_AT = 50
_SAID = re.compile(r'sep=([^"\r\n\0])(?:\r\n?|\n)', re.IGNORECASE)


class CsvLines(Protocol):
    """What ``csv.reader`` makes, which has no type of its own to be named."""

    line_num: int

    def __iter__(self) -> Iterator[list[str]]: ...
    def __next__(self) -> list[str]: ...


def parsed(text: str, mark: str) -> CsvLines:
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


Rows = list[list[str]]

_SUFFIXES = (".csv", ".tsv")


def rows_of(path: Path) -> Rows:
    """The rows of a file, all as long as the first, which has the headings; blank lines are left out.

    A row whose cells are all empty is a row: a table may have one. The mark between cells is that of a first
    line ``sep=;``, else the tab in a ``.tsv``, else of comma, semicolon and tab the one that fits.

    Raises:
        DataError: the file cannot be read, is empty, has no heading, or has a line of another length.
    """
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        said = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise DataError(f"{path}: cannot be read: {said}") from None
    mark, text_of_rows = said_mark(text)
    above = 1 if mark else 0
    if not mark:
        mark = "\t" if path.suffix.lower() == ".tsv" else shown_mark(text)
    lines = parsed(text_of_rows, mark)
    rows: Rows = []
    try:
        for row in filter(None, lines):
            wrong = _wrong(row, rows)
            if wrong:
                raise DataError(f"{path}:{lines.line_num + above}: {wrong}")
            rows.append(row)
    except csv.Error as error:
        raise DataError(f"{path}:{lines.line_num + above}: not CSV: {error}") from None
    if not rows:
        raise DataError(f"{path}: is empty; expected a row of headings at least")
    return rows


def _wrong(row: list[str], above: Rows) -> str:
    """What cannot be of a row below others; "" where nothing is."""
    if not above:
        headed = any(cell.strip() for cell in row)
        return "" if headed else "has no heading; expected the table's headings in its first row"
    if len(row) != len(above[0]):
        return f"found {len(row)} cells; expected {len(above[0])}, as in its first row"
    return ""


class Tables:
    """The tables of a folder, read when they are asked for, by the names of their files.

    The ending may be left out where no other file has the rest of the name.

    Raises:
        DataError: there is no such folder, or no table in it.
    """

    def __init__(self, folder: Path) -> None:
        if not folder.is_dir():
            raise DataError(f"{folder}: no such folder; expected one with a CSV or TSV file a table")
        files = sorted(path for path in folder.iterdir() if path.suffix.lower() in _SUFFIXES)
        if not files:
            raise DataError(f"{folder}: holds no table; expected a CSV or TSV file a table")
        self._folder, self._read = folder, dict[Path, Rows]()
        named, stems = {path.name: path for path in files}, Counter(path.stem for path in files)
        self._keys: Mapping[Path, str] = {
            path: path.stem if stems[path.stem] == 1 and path.stem not in named else path.name
            for path in files
        }
        self._files: Mapping[str, Path] = {**{key: path for path, key in self._keys.items()}, **named}

    def called(self, name: str, where: str) -> Rows:
        """The rows of a table, with its headings first.

        Args:
            name: of its file, with its ending or without.
            where: which line asks for it.

        Raises:
            DataError: there is none, there are several, or it is no table.
        """
        path = self._files.get(name)
        if path is None:
            raise DataError(f"{where}: {self._none_called(name)}")
        if path not in self._read:
            rows = rows_of(path)
            try:
                grid(rows)
            except InputError as error:
                raise DataError(f"{path}: {error}") from error
            self._read[path] = rows
        return self._read[path]

    def key(self, name: str) -> str:
        """What a table is called wherever it is meant, with its file's ending or without."""
        return self._keys[self._files[name]]

    def _none_called(self, name: str) -> str:
        alike = [path.name for path in self._keys if path.stem == name]
        if alike:
            found = " and ".join(alike)
            return f"table {name!r}: found {found} in {self._folder}; expected one of them with its ending"
        return f"{self._folder} has no table {name!r}; {nearest(name, sorted(self._keys.values()))}"
