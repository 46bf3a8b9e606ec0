"""The ZIP archive of a workbook: written reproducibly, checked before reading."""

from __future__ import annotations

import io
import re
import zipfile
import zlib

from lxml import etree
from openpyxl.utils import range_boundaries

from ...core.errors import TableError

_MOST_BYTES = 100_000_000  # of all parts, unpacked
_MOST_PARTS = 2_000
MOST_PLACES = 1_000_000  # of a table, and of all merged cells
_CELL_OR_ROW = re.compile(rb"<(?:\w+:)?(?:c|row)[\s/>]")
_MOST_MERGED = 50_000  # merged cells of a sheet; openpyxl compares each with the others
_MOST_TAGS = 4_000_000  # of a part that is no sheet: shared texts, mostly
_MOST_CELLS = 2 * MOST_PLACES  # with the rows that they stand in; openpyxl makes an object for each
_EMPTY_ROW = re.compile(rb"""<row\b(?:[^>]*?(\bhidden=["'](?:1|true))[^>]*|[^>]*)/>""")
_LARGE, _MANY_ROWS = 1_000_000, 10_000  # bytes of a sheet and elements in it, below which nothing is gained
_OLE2 = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_MODIFIED = re.compile(rb"(<dcterms:(created|modified)[^>]*>)[^<]*")
_LONG_AGO = (1980, 1, 1, 0, 0, 0)
_ENCODING = re.compile(rb"""\s*<\?xml[^>]*?encoding\s*=\s*["']([^"']*)""")


def reproducible(data: bytes) -> bytes:
    """The archive with fixed time stamps, so that equal tables give equal bytes."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w") as new:
        for info in sorted(old.infolist(), key=lambda part: part.filename != "[Content_Types].xml"):
            part = old.read(info)
            if info.filename == "docProps/core.xml":
                part = _MODIFIED.sub(rb"\g<1>1980-01-01T00:00:00Z", part)
            entry = zipfile.ZipInfo(info.filename, _LONG_AGO)
            entry.create_system, entry.external_attr = 3, 0o600 << 16
            new.writestr(entry, part, zipfile.ZIP_DEFLATED, 6)
    return out.getvalue()


def without_empty_rows(data: bytes) -> bytes:
    """The workbook without rows that hold no cell, where a sheet has many of them.

    A format or a height given to a whole column can leave a million of them, and openpyxl makes an object for
    each. Hidden ones above the last cell are kept.
    """
    with zipfile.ZipFile(io.BytesIO(data)) as old:
        sheets = [info for info in old.infolist() if info.filename.startswith("xl/worksheets/")]
        parts = {info.filename: old.read(info) for info in sheets if info.file_size > _LARGE}
        if not any(part.count(b"/>") > _MANY_ROWS for part in parts.values()):
            return data
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as new:
            for info in old.infolist():
                part = parts.get(info.filename)
                new.writestr(info.filename, old.read(info) if part is None else _without_empty_rows(part))
    return out.getvalue()


def _without_empty_rows(part: bytes) -> bytes:
    end = max(part.rfind(b"</c>"), part.rfind(b"<c "))
    return _EMPTY_ROW.sub(lambda row: row[0] if row[1] and row.start() < end else b"", part)


def check(data: bytes, where: str) -> None:
    """Refuse files that are not workbooks or would not fit in memory.

    Raises:
        TableError: no archive, a workbook of another kind, parts too many or too large, entities, merged
            cells or cells too many or too far out.
    """
    if data.startswith(_OLE2):
        raise TableError(f"{where}: {_ole2_kind(data)}")
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            _check_sizes(archive.infolist(), where)
            _check_kind(set(archive.namelist()), where)
            for info in archive.infolist():
                if info.filename.endswith((".xml", ".rels")):
                    _check_part(info.filename, archive.read(info), where)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, OSError, EOFError, zlib.error) as error:
        raise TableError(f"{where}: it is not an XLSX workbook ({first_line(error)})") from None


def _ole2_kind(data: bytes) -> str:
    """What a file in Microsoft's older container is, by the names in its directory."""
    if "EncryptedPackage".encode("utf-16-le") in data:
        return "the workbook is protected by a password; expected one saved without it"
    if any(name.encode("utf-16-le") in data for name in ("Workbook", "Book")):
        return "it is an old .xls workbook; expected one saved as .xlsx"
    return "it is an old Office document; expected an XLSX workbook"


def _check_kind(names: set[str], where: str) -> None:
    if "xl/workbook.bin" in names:
        raise TableError(f"{where}: it is a binary workbook (.xlsb); expected one saved as .xlsx")
    if {"content.xml", "mimetype"} <= names:
        raise TableError(f"{where}: it is an OpenDocument file; expected one saved as .xlsx")
    if "[Content_Types].xml" not in names:
        raise TableError(f"{where}: it is an archive, but no XLSX workbook")


def _check_sizes(parts: list[zipfile.ZipInfo], where: str) -> None:
    total = sum(info.file_size for info in parts)
    if len(parts) > _MOST_PARTS or total > _MOST_BYTES:
        raise TableError(
            f"{where}: the workbook has {len(parts)} parts of {total} bytes unpacked; "
            f"expected at most {_MOST_PARTS} and {_MOST_BYTES}"
        )


def _check_part(name: str, part: bytes, where: str) -> None:
    """Refuse encodings other than UTF-8, entities, and too many cells or merged cells."""
    encoding = _ENCODING.match(part)
    if b"\0" in part or (encoding and encoding[1].lower() not in (b"utf-8", b"us-ascii", b"ascii")):
        raise TableError(f"{where}: {name} is not written in UTF-8, as a workbook's parts are")
    if b"<!DOCTYPE" in part or b"<!ENTITY" in part:
        raise TableError(f"{where}: {name} declares entities, which no workbook does")
    if not name.startswith("xl/worksheets/") and (tags := part.count(b"<")) > _MOST_TAGS:
        raise TableError(f"{where}: {name} has {tags} tags; expected at most {_MOST_TAGS}")
    if (cells := sum(1 for _ in _CELL_OR_ROW.finditer(part))) > _MOST_CELLS:
        raise TableError(f"{where}: {name} holds {cells} cells and rows; expected at most {_MOST_CELLS}")
    if b"mergeCell" in part:
        count, places = _merged_places(part, name, where)
        if places > MOST_PLACES:
            raise TableError(f"{where}: {name} merges {places} cells; expected at most {MOST_PLACES}")
        if count > _MOST_MERGED:
            raise TableError(f"{where}: {name} has {count} merged ranges; expected at most {_MOST_MERGED}")


def _merged_places(part: bytes, name: str, where: str) -> tuple[int, int]:
    """How many merged cells a sheet has and how many places they cover; openpyxl makes an object for each."""
    count = places = 0
    try:
        for _, element in etree.iterparse(io.BytesIO(part), resolve_entities=False, no_network=True):
            local = etree.QName(element).localname
            if local == "mergeCell":
                left, top, right, bottom = range_boundaries(element.get("ref", ""))
                count += 1
                places += (right - left + 1) * (bottom - top + 1)
            if local in ("row", "mergeCell"):
                element.clear()
    except (etree.XMLSyntaxError, ValueError, TypeError) as error:
        raise TableError(f"{where}: {name} is damaged ({first_line(error)})") from None
    return count, places


def first_line(error: BaseException) -> str:
    """What an error of another package says, short enough for a message."""
    return (str(error).splitlines() or [type(error).__name__])[0][:100]
