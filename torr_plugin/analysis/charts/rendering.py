"""Draws charts: Vega-Lite specifications in, SVG, PNG and PDF out, without a network."""

from __future__ import annotations

import json
import re
import struct
import zlib
from collections.abc import Iterator, Mapping
from functools import cache
from threading import Lock
from types import ModuleType
from typing import Any

import vl_convert

from .fonts import own_fonts_first
from .pdf import in_one_order

SCALE = 2
"""Pixels of the PNG a pixel of the chart: 192 dots an inch."""

_SIGNATURE = 8  # bytes at the beginning of a PNG file
# names of Object.prototype in JavaScript
_OF_EVERY_OBJECT = (
    *("constructor", "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable", "toLocaleString", "toString"),
    *("valueOf", "__proto__", "__defineGetter__", "__defineSetter__", "__lookupGetter__", "__lookupSetter__"),
)
# XML has no other characters (XML 1.0, section 2.2), and vl-convert would end the whole process over one
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_STARTING = Lock()
_EMPTY = '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>'


def _library() -> ModuleType:
    """vl-convert, which reads what fonts there are when it first draws."""
    with _STARTING:
        _read_fonts()
    return vl_convert


@cache
def _read_fonts() -> None:
    with own_fonts_first():
        vl_convert.svg_to_png(_EMPTY)


def to_svg(specification: Mapping[str, Any]) -> str:
    """A chart as SVG; the same text for the same specification, independent of earlier drawings.

    Nothing is loaded from addresses in it, be they of the network or of this machine's files.
    """
    svg: str = _library().vegalite_to_svg(json.dumps(_drawable(specification)), allowed_base_urls=[])
    return _renumbered(svg)


def _drawable(part: Any) -> Any:
    """The same, with texts that can be drawn.

    Vega keeps groups in plain objects, and finds what all objects have under a label such as "constructor":
    these get a space behind them that is not seen.
    """
    if isinstance(part, str):
        text = _NOT_XML.sub("\N{REPLACEMENT CHARACTER}", part)
        return f"{text}\N{NO-BREAK SPACE}" if text in _OF_EVERY_OBJECT else text
    if isinstance(part, Mapping):
        return {_drawable(name): _drawable(value) for name, value in part.items()}
    return [_drawable(each) for each in part] if isinstance(part, list | tuple) else part


def _renumbered(svg: str) -> str:
    """The ids of gradients and clips counted from 0: Vega counts on from chart to chart."""
    names: dict[str, str] = {}
    for kind, number in re.findall(r'id="(gradient_|clip)(\d+)"', svg):
        names.setdefault(f"{kind}{number}", f"{kind}{len(names)}")
    return re.sub(
        r'(id="|url\(#)((?:gradient_|clip)\d+)', lambda found: found[1] + names.get(found[2], found[2]), svg
    )


def to_png(svg: str) -> bytes:
    """A chart's SVG as the bytes of a PNG file."""
    return _packed(_library().svg_to_png(svg, scale=SCALE))


def to_pdf(svg: str) -> bytes:
    """A chart's SVG as the bytes of a PDF file, with its letters as text; the same bytes for the same SVG."""
    return in_one_order(_library().svg_to_pdf(svg))


def _packed(png: bytes) -> bytes:
    """The same picture in about a third of the bytes: vl-convert writes it fast, but hardly compressed."""
    chunks = list(_chunks(png))
    pixels = zlib.compress(zlib.decompress(b"".join(data for kind, data in chunks if kind == b"IDAT")), 3)
    packed, written = [png[:_SIGNATURE]], False
    for kind, data in chunks:
        if kind != b"IDAT":
            packed.append(_chunk(kind, data))
        elif not written:
            packed.append(_chunk(kind, pixels))
            written = True
    return b"".join(packed)


def _chunks(png: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Kind and content of a PNG file's chunks: length, kind, content, checksum."""
    place = _SIGNATURE
    while place < len(png):
        (length,) = struct.unpack(">I", png[place : place + 4])
        yield png[place + 4 : place + 8], png[place + 8 : place + 8 + length]
        place += 12 + length


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
