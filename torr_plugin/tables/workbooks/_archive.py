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
_MOST_CELLS = 2 * MOST_PLACES  # with the rows that they stand in; openpyxl makes an object for each
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


def check(data: bytes, where: str) -> None:
    """Refuse files that are not workbooks or would not fit in memory.

    Raises:
        TableError: no archive, parts too many or too large, entities, merged cells or cells too far out.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            _check_sizes(archive.infolist(), where)
            if "[Content_Types].xml" not in archive.namelist():
                raise TableError(f"{where}: it is an archive, but no XLSX workbook")
            for info in archive.infolist():
                if info.filename.endswith((".xml", ".rels")):
                    _check_part(info.filename, archive.read(info), where)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, OSError, EOFError, zlib.error) as error:
        raise TableError(f"{where}: it is not an XLSX workbook ({_first_line(error)})") from None


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
    if (cells := sum(1 for _ in _CELL_OR_ROW.finditer(part))) > _MOST_CELLS:
        raise TableError(f"{where}: {name} holds {cells} cells and rows; expected at most {_MOST_CELLS}")
    if b"mergeCell" in part and (merged := _merged_places(part, name, where)) > MOST_PLACES:
        raise TableError(f"{where}: {name} merges {merged} cells; expected at most {MOST_PLACES}")


def _merged_places(part: bytes, name: str, where: str) -> int:
    """How many places the merged cells of a sheet cover; openpyxl makes an object for each."""
    places = 0
    try:
        for _, element in etree.iterparse(io.BytesIO(part), resolve_entities=False, no_network=True):
            local = etree.QName(element).localname
            if local == "mergeCell":
                left, top, right, bottom = range_boundaries(element.get("ref", ""))
                places += (right - left + 1) * (bottom - top + 1)
            if local in ("row", "mergeCell"):
                element.clear()
    except (etree.XMLSyntaxError, ValueError, TypeError) as error:
        raise TableError(f"{where}: {name} is damaged ({_first_line(error)})") from None
    return places


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:100]
