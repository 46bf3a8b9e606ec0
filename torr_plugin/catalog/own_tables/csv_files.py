"""CSV and TSV files as lists of rows, every line checked."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from io import StringIO
from pathlib import Path

from ...errors import DataError, InputError, nearest
from ...tables.readers import grid

Rows = list[list[str]]

_SUFFIXES = (".csv", ".tsv")


def rows_of(path: Path) -> Rows:
    """The rows of a file, all as long as the first; blank lines are left out.

    Tabs part the cells of a ``.tsv``, else commas; semicolons where the first line has these and no comma.

    Raises:
        DataError: the file cannot be read, is empty, or has a line of another length.
    """
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        said = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise DataError(f"{path}: cannot be read: {said}") from None
    lines = csv.reader(StringIO(text, newline=""), delimiter=_delimiter(path, text), strict=True)
    rows: Rows = []
    try:
        for row in lines:
            if not any(row):
                continue
            if rows and len(row) != len(rows[0]):
                wanted = f"expected {len(rows[0])}, as in its first row"
                raise DataError(f"{path}:{lines.line_num}: found {len(row)} cells; {wanted}")
            rows.append(row)
    except csv.Error as error:
        raise DataError(f"{path}:{lines.line_num}: not CSV: {error}") from None
    if not rows:
        raise DataError(f"{path}: is empty; expected a row of headings at least")
    return rows


def _delimiter(path: Path, text: str) -> str:
    if path.suffix.lower() == ".tsv":
        return "\t"
    head = text.partition("\n")[0]
    return ";" if ";" in head and "," not in head else ","


class Tables:
    """The tables of a folder, read when they are asked for, by the names of their files.

    Raises:
        DataError: there is no such folder, or no table in it.
    """

    def __init__(self, folder: Path) -> None:
        if not folder.is_dir():
            raise DataError(f"{folder}: no such folder; expected one with a CSV or TSV file a table")
        files = sorted(path for path in folder.iterdir() if path.suffix.lower() in _SUFFIXES)
        if not files:
            raise DataError(f"{folder}: holds no table; expected a CSV or TSV file a table")
        self._folder, self._read = folder, dict[str, Rows]()
        self._files: Mapping[str, Path] = {
            **{path.stem: path for path in files},
            **{path.name: path for path in files},
        }

    def called(self, name: str, where: str) -> Rows:
        """The rows of a table, with its headings first.

        Args:
            name: of its file, with its ending or without.
            where: which line asks for it.

        Raises:
            DataError: there is none, or it is no table.
        """
        path = self._files.get(name)
        if path is None:
            stems = sorted({path.stem for path in self._files.values()})
            raise DataError(f"{where}: {self._folder} has no table {name!r}; {nearest(name, stems)}")
        if path.stem not in self._read:
            rows = rows_of(path)
            try:
                grid(rows)
            except InputError as error:
                raise DataError(f"{path}: {error}") from error
            self._read[path.stem] = rows
        return self._read[path.stem]

    def key(self, name: str) -> str:
        """What a table is called wherever it is meant, with its file's ending or without."""
        return self._files[name].stem
