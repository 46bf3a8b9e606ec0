"""Open a workbook: a file or its bytes, checked before openpyxl makes an object of each cell."""

from __future__ import annotations

import io
import re
import warnings
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import openpyxl
from openpyxl.utils import range_boundaries

from ...core.errors import TableError
from .styles import theme_colours

MOST_PLACES = 1_000_000  # of a table, and of all merged cells
_MOST_BYTES, _MOST_PARTS = 100_000_000, 2_000  # of a file, and of all parts unpacked
_MOST_CELLS, _MOST_TAGS = 2 * MOST_PLACES, 4_000_000  # of a sheet, its rows counted too; of another part
_MOST_MERGED = 50_000  # merged cells of a sheet; openpyxl compares each with the others
_CELL_OR_ROW = re.compile(rb"<(?:\w+:)?(?:c|row)[\s/>]")
_MERGED = re.compile(rb"""<(?:\w+:)?mergeCell\b[^>]*?\bref\s*=\s*["']([^"']*)""")
_ENCODING = re.compile(rb"""\s*<\?xml[^>]*?encoding\s*=\s*["']([^"']*)""")
_FORMULA = re.compile(rb"<(?:\w+:)?f\b[^>]*?(?:/>|>[^<]*</(?:\w+:)?f>)\s*(<(?:\w+:)?v\b[^>]*>[^<])?")
_OLE2 = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


@dataclass(frozen=True)
class OpenedBook:
    """A workbook.

    Attributes:
        book: openpyxl's, with the values of formulas.
        theme: the colours of its theme.
        where: the file's name, for messages.
    """

    book: Any
    theme: tuple[str, ...]
    where: str


def open_book(source: str | Path | bytes | OpenedBook) -> OpenedBook:
    """Open a workbook given by its path or bytes; one that is open is itself.

    Raises:
        TableError: no such file, no XLSX workbook, one that would take too much memory, or formulas that no
            program has computed.
    """
    if isinstance(source, OpenedBook):
        return source
    where = "xlsx" if isinstance(source, bytes) else str(source)
    data = _content(source, where)
    _check(data, where)
    try:
        book = _loaded(data, values=True)
        theme = theme_colours(book.loaded_theme)
        formula = _uncomputed(data)
    except Exception as error:  # a damaged part can be anything to openpyxl
        raise TableError(f"{where}: it is not an XLSX workbook ({first_line(error)})") from None
    if formula:
        raise TableError(
            f"{where}: {formula} has a formula without its value; expected a workbook that a spreadsheet "
            "program has saved"
        )
    return OpenedBook(book, theme, where)


def _content(source: str | Path | bytes, where: str) -> bytes:
    if isinstance(source, bytes):
        _check_size(len(source), where)
        return source
    if not isinstance(source, str | Path):
        raise TableError(f"xlsx: the workbook is {type(source).__name__}; expected a path or bytes")
    try:
        size = Path(source).stat().st_size
        data = Path(source).read_bytes() if size <= _MOST_BYTES else b""
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise TableError(f"{where}: the workbook cannot be read: {reason}") from None
    _check_size(size, where)
    return data


def _check_size(size: int, where: str) -> None:
    if size > _MOST_BYTES:
        raise TableError(f"{where}: the file is too large; expected at most {_MOST_BYTES} bytes")


def _loaded(data: bytes, *, values: bool) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about features that we do not need (charts, validation)
        return openpyxl.load_workbook(io.BytesIO(data), data_only=values)


def _uncomputed(data: bytes) -> str:
    """The first formula of a workbook none of whose formulas has a value, empty for any other workbook.

    A program computes all of them or none; a value may also be an empty text.
    """
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        sheets = [archive.read(name) for name in archive.namelist() if "worksheets/" in name]
    values = [
        match[1] for part in sheets if b"<f" in part or b":f" in part for match in _FORMULA.finditer(part)
    ]
    if not values or any(values):
        return ""
    for sheet in _loaded(data, values=False).worksheets:
        for cell in list(sheet._cells.values()):
            if cell.data_type == "f":
                return f"cell {cell.coordinate} of sheet {sheet.title!r}"
    return ""


def _check(data: bytes, where: str) -> None:
    """Refuse files that are not workbooks or would not fit in memory."""
    if data.startswith(_OLE2):
        raise TableError(
            f"{where}: it is an old .xls workbook, or protected by a password; expected an .xlsx without one"
        )
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            parts = archive.infolist()
            total = sum(info.file_size for info in parts)
            if len(parts) > _MOST_PARTS or total > _MOST_BYTES:
                raise TableError(
                    f"{where}: the workbook has {len(parts)} parts of {total} bytes unpacked; "
                    f"expected at most {_MOST_PARTS} and {_MOST_BYTES}"
                )
            names = archive.namelist()
            if "[Content_Types].xml" not in names or "xl/workbook.bin" in names:
                raise TableError(f"{where}: it is no XLSX workbook, but another archive (.xlsb, .ods, .zip)")
            for info in parts:
                if info.filename.endswith((".xml", ".rels")):
                    _check_part(f"{where}: {info.filename}", archive.read(info))
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, OSError, EOFError, zlib.error) as error:
        raise TableError(f"{where}: it is not an XLSX workbook ({first_line(error)})") from None


def _check_part(name: str, part: bytes) -> None:
    """Refuse encodings other than UTF-8, entities, and too many cells or merged cells."""
    encoding = _ENCODING.match(part)
    if b"\0" in part or (encoding and encoding[1].lower() not in (b"utf-8", b"us-ascii", b"ascii")):
        raise TableError(f"{name} is not written in UTF-8, as a workbook's parts are")
    if b"<!DOCTYPE" in part or b"<!ENTITY" in part:
        raise TableError(f"{name} declares entities, which no workbook does")
    if "xl/worksheets/" not in name and (tags := part.count(b"<")) > _MOST_TAGS:
        raise TableError(f"{name} has {tags} tags; expected at most {_MOST_TAGS}")
    if (cells := sum(1 for _ in _CELL_OR_ROW.finditer(part))) > _MOST_CELLS:
        raise TableError(f"{name} holds {cells} cells and rows; expected at most {_MOST_CELLS}")
    merged = _MERGED.findall(part)
    if len(merged) > _MOST_MERGED:
        raise TableError(f"{name} has {len(merged)} merged ranges; expected at most {_MOST_MERGED}")
    try:
        bounds = [range_boundaries(reference.decode()) for reference in merged]
        places = sum((right - left + 1) * (bottom - top + 1) for left, top, right, bottom in bounds)
    except (ValueError, TypeError) as error:
        raise TableError(f"{name} is damaged ({first_line(error)})") from None
    if places > MOST_PLACES:
        raise TableError(f"{name} merges {places} cells; expected at most {MOST_PLACES}")


def first_line(error: BaseException) -> str:
    """What an error of another package says, short enough for a message."""
    return (str(error).splitlines() or [type(error).__name__])[0][:100]
