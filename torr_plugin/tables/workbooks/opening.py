"""Open a workbook: a file or its bytes, checked, with the values of its formulas."""

from __future__ import annotations

import io
import warnings
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

import openpyxl
from lxml import etree

from ...core.errors import TableError
from ._archive import check, first_line, without_empty_rows
from .styles import theme_colours

Formulas: TypeAlias = Literal["values", "texts"]
"""What to read of a formula whose value the workbook lacks: nothing, or its text."""

_ONLY_XML = {"resolve_entities": False, "no_network": True}


@dataclass(frozen=True)
class OpenedBook:
    """A workbook.

    Attributes:
        book: openpyxl's, with the values of formulas.
        theme: the colours of its theme.
        formulas: for each sheet the texts of the formulas without a value, by their cells' names.
        where: the file's name, for messages.
    """

    book: Any
    theme: tuple[str, ...]
    formulas: Mapping[str, Mapping[str, str]]
    where: str


def open_book(source: str | Path | bytes, formulas: Formulas = "values") -> OpenedBook:
    """Open a workbook given by its path or bytes.

    Raises:
        TableError: no such file, no XLSX workbook, one that would take too much memory, or a formula without
            its value unless ``formulas`` is ``texts``.
    """
    where = "xlsx" if isinstance(source, bytes) else str(source)
    if formulas not in ("values", "texts"):
        raise TableError(f"{where}: formulas: found {formulas!r}; expected 'values' or 'texts'")
    data = _content(source, where)
    check(data, where)
    data = without_empty_rows(data)
    try:
        book = _loaded(data, values=True)
        missing = {} if not _has_formulas(data) else _formulas_without_value(data, book)
        theme = theme_colours(book.loaded_theme)
    except Exception as error:  # a damaged part can be anything to openpyxl
        raise TableError(f"{where}: it is not an XLSX workbook ({first_line(error)})") from None
    if missing and formulas == "values":
        sheet, cells = next(iter(missing.items()))
        raise TableError(
            f"{where}: cell {next(iter(cells))} of sheet {sheet!r} has a formula without its value; expected "
            "a workbook that a spreadsheet program has saved, or formulas read as texts"
        )
    return OpenedBook(book, theme, missing, where)


def _content(source: str | Path | bytes, where: str) -> bytes:
    if isinstance(source, bytes):
        return source
    if not isinstance(source, str | Path):
        raise TableError(f"xlsx: the workbook is {type(source).__name__}; expected a path or bytes")
    try:
        return Path(source).read_bytes()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise TableError(f"{where}: the workbook cannot be read: {reason}") from None


def _loaded(data: bytes, *, values: bool) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about features that we do not need (charts, validation)
        return openpyxl.load_workbook(io.BytesIO(data), data_only=values)


def _has_formulas(data: bytes) -> bool:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return any(b"<f" in archive.read(name) for name in archive.namelist() if "worksheets/" in name)


def _formulas_without_value(data: bytes, book: Any) -> dict[str, dict[str, str]]:
    """The texts of the formulas that no program has computed, by sheet and cell.

    openpyxl gives no value for an empty text either, so the sheets themselves are asked.
    """
    found: dict[str, dict[str, str]] = {}
    for sheet in _loaded(data, values=False).worksheets:
        empty = {
            cell.coordinate: str(getattr(cell.value, "text", None) or cell.value)
            for cell in list(sheet._cells.values())
            if cell.data_type == "f" and book[sheet.title][cell.coordinate].value is None
        }
        if empty:
            found[sheet.title] = empty
    if found:
        computed = _computed(data)
        found = {
            title: {place: text for place, text in cells.items() if (title, place) not in computed}
            for title, cells in found.items()
        }
    return {title: cells for title, cells in found.items() if cells}


def _computed(data: bytes) -> set[tuple[str, str]]:
    """The cells, by sheet, whose formula has a value in the file, if only an empty text."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        book = etree.fromstring(archive.read("xl/workbook.xml"), etree.XMLParser(**_ONLY_XML))
        links = etree.fromstring(archive.read("xl/_rels/workbook.xml.rels"), etree.XMLParser(**_ONLY_XML))
        targets = {each.get("Id"): each.get("Target", "") for each in links}
        found = set()
        for sheet in book.iterfind(".//{*}sheet"):
            key = next((value for name, value in sheet.attrib.items() if name.endswith("}id")), "")
            part = targets.get(key, "").lstrip("/")
            part = part if part.startswith("xl/") else f"xl/{part}"
            if part in archive.namelist():
                root = etree.fromstring(archive.read(part), etree.XMLParser(**_ONLY_XML))
                cells = root.iterfind(".//{*}c[{*}f]")
                found |= {(sheet.get("name"), cell.get("r")) for cell in cells if _has_value(cell)}
    return found


def _has_value(cell: Any) -> bool:
    return bool(cell.findtext("{*}v")) or (cell.get("t") == "str" and cell.find("{*}v") is not None)
