"""The tables of a folder: CSV, TSV and HTML files, and the sheets of Excel workbooks."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from io import StringIO
from itertools import islice
from pathlib import Path
from shlex import quote

from ...core.errors import DataError, InputError, counted, nearest
from ...tables import Table
from ...tables.blank_spans import with_spans
from ...tables.readers.documents import html
from ...tables.workbooks import OpenedBook, ReadingOptions, SheetTable, find_table, open_book, sheet_names
from ..text_files import PAGES, TextFiles

WORKBOOKS = (".xlsx", ".xlsm")
_SUFFIXES = (".csv", ".tsv", *PAGES, *WORKBOOKS)
UNSURE = 0.6
"""The confidence below which detected headers are said to be a guess."""

_KINDS = "a CSV, TSV, HTML or XLSX file a table"
_MARKS = "\t;,|"
_SAMPLED_ROWS = 50
_SEPARATOR_LINE = re.compile(r'sep=([^"\r\n\0])(?:\r\n?|\n)', re.IGNORECASE)
"""A first line ``sep=;``, as spreadsheets write it."""
_LINE_BREAK = re.compile("\r\n?")


@dataclass(frozen=True)
class TableShape:
    """The headers of all tables.

    Attributes:
        header_rows: rows of headings at the top; None for what is detected in a workbook, what HTML shows,
            and in a CSV file one.
        header_columns: columns of headings at the left, likewise, and in a CSV file none.
    """

    header_rows: int | None = None
    header_columns: int | None = None


@dataclass
class Tables:
    """The tables of a folder by file name, read on first use.

    The suffix may be left out if the stem is unique.

    Attributes:
        folder: where they are.
        texts: reads the CSV and HTML files.
        shape: the headers of all tables.

    Raises:
        DataError: the folder does not exist or holds no table.
    """

    folder: Path
    texts: TextFiles = field(default_factory=TextFiles)
    shape: TableShape = TableShape()

    def __post_init__(self) -> None:
        if not self.folder.is_dir():
            raise DataError(f"{self.folder}: no such folder; expected one with {_KINDS}")
        files = sorted(path for path in self.folder.iterdir() if _is_table(path))
        if not files:
            raise DataError(f"{self.folder}: holds no table; expected {_KINDS}")
        named, stems = {path.name: path for path in files}, Counter(path.stem for path in files)
        self._keys = {
            path: path.stem if stems[path.stem] == 1 and path.stem not in named else path.name
            for path in files
        }
        self._files = {**{key: path for path, key in self._keys.items()}, **named}
        self._read: dict[tuple[Path, str, str], Table] = {}
        self._found: dict[tuple[Path, str, str], SheetTable] = {}
        self._opened: dict[Path, OpenedBook] = {}
        self._sheets: dict[Path, list[str]] = {}
        self._left_out: list[str] = []
        self._ragged: list[str] = []

    def called(self, name: str, where: str, sheet: str = "", place: str = "") -> Table:
        """The table of a file, or on a sheet of a workbook.

        Args:
            name: the file's name, with or without its suffix.
            where: the line that refers to it, for messages.
            sheet: the sheet's name; empty for the first one with a table.
            place: the table's range on the sheet, e.g. ``A3:D20``; empty for the largest table there.

        Raises:
            DataError: no such table or sheet, an ambiguous name, or an invalid table.
        """
        path = self._files.get(name)
        if path is None:
            same = sorted(each.name for each in self.folder.glob("*") if name in (each.name, each.stem))
            hint = nearest(name, self._files)
            if same:
                hint = f"it has {' and '.join(same)}; expected {_KINDS}, named with its ending"
            raise DataError(f"{where}: {self.folder} has no table {name!r}; {hint}")
        if (sheet or place) and path.suffix.lower() not in WORKBOOKS:
            raise DataError(
                f"{where}: found the sheet or range {sheet or place!r}; expected none, for {path} is no "
                "workbook"
            )
        key = (path, sheet, place)
        if key not in self._read:
            try:
                self._read[key] = self._table(*key)
            except InputError as error:
                said = str(error)
                raise DataError(said if said.startswith(str(path)) else f"{path}: {said}") from error
        return self._read[key]

    def every(self) -> Iterator[tuple[str, Table]]:
        """Canonical name and table of every file; of a workbook, of each sheet and each table on it.

        Of several sheets those without a table are left out, which :meth:`notes` says.

        Raises:
            DataError: a table cannot be read.
        """
        for path in self._keys:
            names = self._sheet_names(path) if path.suffix.lower() in WORKBOOKS else ()
            for sheet in names if len(names) > 1 else ("",):
                try:
                    table = self.called(path.name, str(self.folder), sheet)
                except DataError as error:
                    if not sheet:
                        raise
                    self._left_out.append(f"{error}; this sheet is left out")
                    continue
                found = self._found.get((path, sheet, ""))
                if found is None or not found.others:
                    yield self.key(path.name, sheet), table
                    continue
                for place in (found.range, *found.others):
                    table = self.called(path.name, str(self.folder), sheet, place)
                    yield self.key(path.name, sheet, place), table

    def key(self, name: str, sheet: str = "", place: str = "") -> str:
        """The canonical name of a table given with or without its suffix."""
        key = self._keys[self._files[name]]
        return key + (f":{sheet}" if sheet else "") + (f"!{place}" if place else "")

    def notes(self) -> Iterator[str]:
        """What was left out, or chosen for want of a name: a sheet, a table of it; and headers not sure."""
        yield from dict.fromkeys([*self._left_out, *self._ragged])
        read = {(path, found.sheet, found.range) for (path, _, place), found in self._found.items() if place}
        for (path, sheet, place), found in self._found.items():
            names = [] if sheet else self._sheet_names(path)
            if len(names) > 1:
                yield (
                    f"{path}: sheet {found.sheet!r} is read, of {', '.join(map(repr, names))}; a column "
                    "'sheet' can name another"
                )
            unread = [other for other in found.others if (path, found.sheet, other) not in read]
            if unread and not place and (path, found.sheet, found.range) not in read:
                yield (
                    f"{path}: sheet {found.sheet!r} has {counted(len(found.others) + 1, 'table')}; the "
                    f"largest is read, {found.range} (not {', '.join(unread[:3])}); a column 'range' "
                    "can name another"
                )
        unsure = [path for (path, _, _), found in self._found.items() if found.confidence < UNSURE]
        if unsure:
            yield (
                f"the headers of {', '.join(map(str, dict.fromkeys(unsure)))} are a guess; "
                f"`torr data tables {quote(str(unsure[0]))}` shows them, --header-rows and --header-columns "
                "set them"
            )

    def _book(self, path: Path) -> OpenedBook:
        """A workbook, which stays open until another one is asked for."""
        if path not in self._opened:
            self._opened = {path: open_book(path)}
        return self._opened[path]

    def _sheet_names(self, path: Path) -> list[str]:
        if path not in self._sheets:
            self._sheets[path] = sheet_names(self._book(path))
        return self._sheets[path]

    def _table(self, path: Path, sheet: str, place: str) -> Table:
        rows, columns = self.shape.header_rows, self.shape.header_columns
        if path.suffix.lower() in WORKBOOKS:
            found = find_table(self._book(path), sheet or None, place or None, ReadingOptions(rows, columns))
            self._found[path, sheet, place] = found
            return found.table
        if path.suffix.lower() in PAGES:
            table = html(self.texts.read(path))
            return table.replace(
                header_rows=table.header_rows if rows is None else rows,
                header_columns=table.header_columns if columns is None else columns,
            )
        lines = rows_of(path, self.texts, ragged=self._ragged)
        if rows in (None, 1) and not columns:
            return Table.flat(lines[0], lines[1:])
        return with_spans(lines, 1 if rows is None else rows, columns or 0)


def _is_table(path: Path) -> bool:
    """Whether a file is a table by its name; a spreadsheet program's lock file, ``~$x.xlsx``, is none."""
    return path.suffix.lower() in _SUFFIXES and not path.name.startswith(("~$", "."))


def rows_of(path: Path, texts: TextFiles, *, ragged: list[str] | None = None) -> list[list[str]]:
    """Read the rows of a CSV or TSV file, headings first, all of the same length; blank lines are skipped.

    A row of empty cells counts as a row. The separator is the one in a first line ``sep=;``, a tab in a
    ``.tsv``, or else whichever gives a table (see :func:`_separator`). Any line break in a cell is a newline.

    Args:
        path: the file.
        texts: reads it.
        ragged: gets a note where lines have different lengths, which are then made equal by empty cells at
            their ends; without it such lines are refused.

    Raises:
        DataError: the file cannot be read, is empty, has no heading, or has a line of another length.
    """
    text = texts.read(path)
    declared = _SEPARATOR_LINE.match(text)
    mark = declared[1] if declared else "\t" if path.suffix.lower() == ".tsv" else _separator(text)
    lines = csv.reader(StringIO(text, newline=""), delimiter=mark, strict=True)
    rows: list[list[str]] = []
    try:
        if declared:
            next(lines)
        for row in filter(None, lines):
            place = f"{path}:{lines.line_num}"
            if not rows and not any(map(str.strip, row)):
                raise DataError(f"{place}: has no heading; expected the table's headings in its first row")
            if rows and len(row) != len(rows[0]) and ragged is None:
                raise DataError(
                    f"{place}: found {counted(len(row), 'cell')}; expected {len(rows[0])}, as in "
                    "its first row"
                )
            rows.append([_LINE_BREAK.sub("\n", cell) for cell in row] if "\r" in text else row)
    except csv.Error as error:
        raise DataError(f"{path}:{lines.line_num}: not CSV: {error}") from None
    if not rows:
        raise DataError(f"{path}: is empty; expected at least a row of headings")
    width = max(map(len, rows))
    odd = sum(len(row) != len(rows[0]) for row in rows)
    if ragged is not None and odd:
        ragged.append(
            f"{path}: {odd} of {len(rows)} lines have another number of cells than the {len(rows[0])} of the "
            "first; empty cells are added at their ends"
        )
    return [row + [""] * (width - len(row)) for row in rows]


def _separator(text: str) -> str:
    """The mark that gives a rectangular table: a tab before a semicolon, a comma and a bar.

    A semicolon wins over a comma where both do, for commas are also in numbers and names. Where none does, a
    line is wrong, which is said of it: then the one that most lines agree on with the first; a comma where
    there is none.
    """
    best, most = ",", (False, False, 1)
    for mark in _MARKS:
        lengths = list(map(len, filter(None, islice(_parted(text, mark), _SAMPLED_ROWS))))
        if not lengths or lengths[0] < 2:
            continue
        same = lengths.count(lengths[0])
        is_whole = same == len(lengths)
        fit = is_whole, 2 * (same - 1) >= len(lengths), 1 if is_whole else lengths[0]
        if fit > most or (is_whole and not most[0]):
            best, most = mark, fit
    return best


def _parted(text: str, mark: str) -> Iterator[list[str]]:
    try:
        yield from csv.reader(StringIO(text, newline=""), delimiter=mark, strict=True)
    except csv.Error:  # reading the whole file reports it, with its line
        return
