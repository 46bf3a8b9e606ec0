"""The parts of vl-convert's PDF files in one order: it writes fonts and names in a random one."""

from __future__ import annotations

import re
from itertools import pairwise

_OF_A_FONT = 5
"""Consecutive objects of a font: its Type0 dictionary, then four that only this font uses."""

_OBJECT = re.compile(rb"^(?=\d+ 0 obj\n)", re.MULTILINE)
_NUMBER = re.compile(rb"\d+")
_FONT = re.compile(rb"\d+ 0 obj\n<<\n  /Type /Font\n  /Subtype /Type0\n  /BaseFont /[A-Z]{6}\+(\S+)")
_REFERENCE = re.compile(rb"\b(\d+)(?= 0 (?:obj|R)\b)")
# names of what a page uses, a line each; no stream holds such lines
_RESOURCES = re.compile(rb"(?:^ +/[a-z]+\d+ \d+ 0 R\n){2,}", re.MULTILINE)


def in_one_order(pdf: bytes) -> bytes:
    """The same document with its fonts in the order of their names, and what a page uses likewise.

    A file that is laid out in another way, by another version of vl-convert, keeps its fonts as they are.
    """
    pdf = _RESOURCES.sub(_sorted, pdf)
    body, found, rest = pdf.rpartition(b"xref\n0 ")
    head, *objects = _OBJECT.split(body)
    starts = [place for place, each in enumerate(objects) if _FONT.match(each)]
    together = all(b - a == _OF_A_FONT for a, b in pairwise(starts))
    if not (found and starts and together and b"trailer" in rest and b"startxref" in rest):
        return pdf
    own = slice(starts[0], starts[-1] + _OF_A_FONT)
    objects[own] = _fonts_in_order([objects[start : start + _OF_A_FONT] for start in starts])
    trailer, _, _ = rest[rest.index(b"trailer") :].rpartition(b"startxref")
    written = head + b"".join(objects)
    return written + _references(len(head), objects) + trailer + b"startxref\n%d\n%%%%EOF" % len(written)


def _sorted(lines: re.Match[bytes]) -> bytes:
    return b"".join(sorted(lines[0].splitlines(keepends=True)))


def _fonts_in_order(fonts: list[list[bytes]]) -> list[bytes]:
    """The objects of all fonts, numbered again: the first object of each keeps its number."""
    ordered = sorted(fonts, key=_name)
    before = [_number(each) for font in ordered for each in font[1:]]
    numbers = dict(zip(before, [_number(each) for font in fonts for each in font[1:]], strict=True))
    return [
        _REFERENCE.sub(lambda found: numbers.get(found[1], found[1]), each)
        for font in ordered
        for each in font
    ]


def _name(font: list[bytes]) -> bytes:
    found = _FONT.match(font[0])
    return found[1] if found else b""


def _number(each: bytes) -> bytes:
    found = _NUMBER.match(each)
    return found[0] if found else b""


def _references(start: int, objects: list[bytes]) -> bytes:
    """The table of where each object begins."""
    places = {}
    for each in objects:
        places[int(_number(each))] = start
        start += len(each)
    lines = (b"%010d 00000 n\r\n" % places[number] for number in sorted(places))
    return b"xref\n0 %d\n0000000000 65535 f\r\n%b" % (len(places) + 1, b"".join(lines))
