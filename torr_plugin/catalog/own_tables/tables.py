"""The tables of a folder: CSV, TSV and HTML files, and the sheets of Excel workbooks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ...core.errors import DataError, InputError, nearest
from ...core.text_files import TextFiles
from ...tables import Table
from ...tables.readers.canonical import with_spans
from ...tables.readers.documents import html
from ...tables.workbooks import read_xlsx, sheet_names
from .csv_files import rows_of

WORKBOOKS = (".xlsx", ".xlsm")
_PAGES = (".html", ".htm")
_SUFFIXES = (".csv", ".tsv", *_PAGES, *WORKBOOKS)
_KINDS = "a CSV, TSV, HTML or XLSX file a table"


@dataclass(frozen=True)
class TableShape:
    """The headers of all tables; None for what a workbook or HTML shows, and in a CSV file one row.

    Attributes:
        header_rows: rows of headings at the top.
        header_columns: columns of headings at the left.
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
        self._keys: Mapping[Path, str] = {
            path: path.stem if stems[path.stem] == 1 and path.stem not in named else path.name
            for path in files
        }
        self._files: Mapping[str, Path] = {**{key: path for path, key in self._keys.items()}, **named}
        self._read: dict[tuple[Path, str], Table] = {}
        self._left_out: list[str] = []

    def called(self, name: str, where: str, sheet: str = "") -> Table:
        """The table of a file, or on a sheet of a workbook.

        Args:
            name: the file's name, with or without its suffix.
            where: the line that refers to it, for messages.
            sheet: the sheet's name; empty for the first one.

        Raises:
            DataError: no such table or sheet, an ambiguous name, or an invalid table.
        """
        path = self._files.get(name)
        if path is None:
            raise DataError(f"{where}: {self._none_called(name)}")
        if sheet and path.suffix.lower() not in WORKBOOKS:
            raise DataError(f"{where}: sheet: found {sheet!r}; expected none, for {path} is no workbook")
        if (path, sheet) not in self._read:
            try:
                self._read[path, sheet] = self._table(path, sheet)
            except InputError as error:
                message = str(error)
                raise DataError(message if message.startswith(str(path)) else f"{path}: {message}") from error
        return self._read[path, sheet]

    def every(self) -> Iterator[tuple[str, Table]]:
        """Canonical name and table of every file, and of each sheet of a workbook that has several.

        Of several sheets those without a table are left out, which :meth:`notes` says.

        Raises:
            DataError: a table cannot be read.
        """
        for path in self._keys:
            names = sheet_names(path) if path.suffix.lower() in WORKBOOKS else ()
            for sheet in names if len(names) > 1 else ("",):
                try:
                    table = self.called(path.name, str(self.folder), sheet)
                except DataError as error:
                    if not sheet:
                        raise
                    self._left_out.append(f"{error}; this sheet is left out")
                else:
                    yield self.key(path.name, sheet), table

    def key(self, name: str, sheet: str = "") -> str:
        """The canonical name of a table given with or without its suffix."""
        key = self._keys[self._files[name]]
        return f"{key}:{sheet}" if sheet else key

    def notes(self) -> Iterator[str]:
        """A line for each workbook whose first sheet was read for want of a name, and each sheet left out."""
        yield from self._left_out
        for path, sheet in self._read:
            if not sheet and path.suffix.lower() in WORKBOOKS and len(sheet_names(path)) > 1:
                names = ", ".join(map(repr, sheet_names(path)))
                yield f"{path}: the first of its sheets is read: {names}; a column 'sheet' can name another"

    def _table(self, path: Path, sheet: str) -> Table:
        rows, columns = self.shape.header_rows, self.shape.header_columns
        if path.suffix.lower() in WORKBOOKS:
            return read_xlsx(path, sheet or None, header_rows=rows, header_columns=columns)
        if path.suffix.lower() in _PAGES:
            return _with_headers(html(self.texts.read(path)), self.shape)
        lines = rows_of(path, self.texts)
        if rows in (None, 1) and not columns:
            return Table.flat(lines[0], lines[1:])
        return with_spans(lines, 1 if rows is None else rows, columns or 0)

    def _none_called(self, name: str) -> str:
        alike = [path.name for path in self._keys if path.stem == name]
        if alike:
            found = " and ".join(alike)
            return f"table {name!r}: found {found} in {self.folder}; expected one of them with its ending"
        others = sorted(path.name for path in self.folder.glob("*") if name in (path.name, path.stem))
        if others:
            return f"table {name!r}: {self.folder / others[0]} is of another kind; expected {_KINDS}"
        return f"{self.folder} has no table {name!r}; {nearest(name, sorted(self._keys.values()))}"


def _with_headers(table: Table, shape: TableShape) -> Table:
    """The table with the headers that its owner says it has."""
    rows, columns = shape.header_rows, shape.header_columns
    return table.replace(
        header_rows=table.header_rows if rows is None else rows,
        header_columns=table.header_columns if columns is None else columns,
    )


def _is_table(path: Path) -> bool:
    """Whether a file is a table by its name; a spreadsheet program's lock file, ``~$x.xlsx``, is none."""
    return path.suffix.lower() in _SUFFIXES and not path.name.startswith(("~$", "."))
