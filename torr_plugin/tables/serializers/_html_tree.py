"""The first table of an HTML text as lxml reads it: its rows and cells as written, caption and notes."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...core.errors import ParseError
from ._html_characters import carried, restored

MOST_COLUMNS = 1000
_MOST_ATTRIBUTES = 1000  # the parser compares every attribute of a tag with all others of it
_TAG = re.compile(r"""<[A-Za-z](?:[^>=]+|=(?:\s*"[^"]*"|\s*'[^']*')?)*""")
_ATTRIBUTE = re.compile(r"""[^\s"'=/]+(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"']*))?""")
_BLOCKS = frozenset(
    {"p", "div", "li", "ul", "ol", "dl", "dt", "dd", "tr", "table", "blockquote", "pre", "h1", "h2", "h3"}
)
_SILENT = frozenset({"script", "style", "template"})
_WRAP = re.compile(r" *[\t\n\f\r][ \t\n\f\r]*")
# NUL cannot stand in HTML, so it marks what must survive the collapse of white space
_BREAK, _EDGE = "\0b", "\0e"
_SOFT = re.compile(r" *(?:\0e *)+")


@dataclass
class Found:
    """A cell as written."""

    is_header: bool
    rowspan: int
    colspan: int
    pieces: list[str] = field(default_factory=list)


@dataclass
class Line:
    """A row as written, and the part of the table (head, body) it stands in."""

    group: int
    in_head: bool
    cells: list[Found] = field(default_factory=list)


@dataclass
class Written:
    """What a table says; texts are pieces for :func:`settled`."""

    lines: list[Line] = field(default_factory=list)
    caption: list[str] = field(default_factory=list)
    notes: list[list[str]] = field(default_factory=list)
    told: dict[str, int] = field(default_factory=dict)


def written(text: str, name: str) -> Written:
    """The first table of an HTML text and the notes behind it.

    Raises:
        ParseError: there is no table, tags are nested deeper than lxml goes, or one has too many attributes.
    """
    _check_attributes(text, name)
    safe, unmarked = carried(text)
    root = _parsed(safe, name)
    table = next(root.iter("table"), None) if root is not None else None
    if table is None:
        raise ParseError(f"{name}: the text has no <table>; it starts with {text[:40]!r}")
    reader = _Reader(unmarked)
    reader.walk(table)
    for note in table.xpath("following::p[@class='note']"):
        reader.note(note)
    return reader.found


def _check_attributes(text: str, name: str) -> None:
    for tag in _TAG.finditer(text):
        start, end = tag.span()
        is_long = end - start > 2 * _MOST_ATTRIBUTES
        if is_long and sum(1 for _ in _ATTRIBUTE.finditer(text, start, end)) > _MOST_ATTRIBUTES:
            raise ParseError(f"{name}: a tag has more than {_MOST_ATTRIBUTES} attributes; expected fewer")


def _parsed(text: str, name: str) -> Any:
    """The tree of a text; None where there is nothing in it."""
    from lxml import etree

    parser = etree.HTMLParser(encoding="utf-8", huge_tree=True, no_network=True, remove_pis=True)
    try:
        root = etree.fromstring(text.encode(), parser)
    except etree.LxmlError:
        root = None
    # all else that is wrong with a text is mended, but what is too deep would be left out
    limits = [entry.message for entry in parser.error_log if entry.type_name == "ERR_RESOURCE_LIMIT"]
    if limits:
        raise ParseError(f"{name}: tags are nested more than 2000 deep; expected a table that is not")
    return root


class _Reader:
    """Collects rows, caption, notes and header depth, element by element."""

    def __init__(self, unmarked: Callable[[str], str]) -> None:
        self.found = Written()
        self._unmarked = unmarked
        self._depth = 0
        self._group = 0
        self._in_head = False
        self._row_is_open = False
        self._silent = 0
        self._target: list[str] | None = None

    def walk(self, element: Any) -> None:
        """Take in an element and all in it; comments say nothing."""
        from lxml import etree

        walker = etree.iterwalk(element, events=("start", "end", "comment"))
        for event, each in walker:
            if event == "start":
                self._start(each.tag, each)
                self._data(each.text)
            else:
                if event == "end":
                    self._end(each.tag)
                if each is not element:
                    self._data(each.tail)

    def note(self, element: Any) -> None:
        """Take in a paragraph behind the table."""
        self.found.notes.append([])
        self._target = self.found.notes[-1]
        self.walk(element)
        self._target = None

    def _data(self, data: str | None) -> None:
        """Text goes to the open cell, caption or note."""
        if data and self._target is not None and not self._silent:
            self._target.append(self._unmarked(data))

    def _start(self, tag: str, element: Any) -> None:
        """Open tables, rows and cells; breaks and blocks inside a cell."""
        if tag == "table":
            self._open_table(element)
        elif self._depth == 1:
            self._open(tag, element)
        else:
            self._inline(tag)

    def _end(self, tag: str) -> None:
        """Close what a tag closes."""
        if tag in _SILENT:
            self._silent = max(0, self._silent - 1)
        if tag == "table":
            self._depth -= 1
            if self._depth and self._target is not None:
                self._target.append(_EDGE)
        elif self._depth == 1 and tag in ("td", "th", "tr", "caption", "thead", "tbody", "tfoot"):
            self._target = None
            self._row_is_open = self._row_is_open and tag in ("td", "th", "caption")
            self._in_head = self._in_head and tag != "thead"
        elif self._target is not None and tag in _BLOCKS:
            self._target.append(_EDGE)

    def _open_table(self, element: Any) -> None:
        self._depth += 1
        if self._depth == 1:
            for key in ("data-header-rows", "data-header-columns"):
                if element.get(key, "").isdecimal():
                    self.found.told[key] = int(element.get(key)[:9])
        elif self._target is not None:
            self._target.append(_EDGE)

    def _open(self, tag: str, element: Any) -> None:
        if tag in ("td", "th"):
            self._open_cell(tag, element)
        elif tag == "tr":
            self._open_row()
        elif tag in ("thead", "tbody", "tfoot"):
            self._group += 1
            self._in_head, self._row_is_open, self._target = tag == "thead", False, None
        elif tag == "caption":
            self._target = self.found.caption
        else:
            self._inline(tag)

    def _open_cell(self, tag: str, element: Any) -> None:
        if not self._row_is_open:
            self._open_row()
        colspan = min(_span(element.get("colspan")) or 1, MOST_COLUMNS)
        cell = Found(tag == "th", _span(element.get("rowspan")), colspan)
        self.found.lines[-1].cells.append(cell)
        self._target = cell.pieces

    def _open_row(self) -> None:
        self.found.lines.append(Line(self._group, self._in_head))
        self._row_is_open, self._target = True, None

    def _inline(self, tag: str) -> None:
        if self._target is None:
            return
        if tag in _SILENT:
            self._silent += 1
        elif tag == "br":
            self._target.append(_BREAK)
        elif tag in _BLOCKS or tag in ("td", "th"):
            self._target.append(_EDGE if tag in _BLOCKS else " ")


def _span(value: str | None) -> int:
    """HTML's number: 1 where there is none; 0 means to the end (rows)."""
    digits = re.match(r"\s*([0-9]{1,9})", value or "")
    return min(int(digits[1]), 65534) if digits else 1


def settled(pieces: Sequence[str]) -> str:
    """Collected text with its white space collapsed, breaks and carried characters put in."""
    text = _WRAP.sub(" ", "".join(pieces)).strip(" ")
    if "\0" not in text:
        return text
    text = re.sub(r" *\0b *", "\0n", text)
    edges = _SOFT.sub(_EDGE, text)
    text = edges.removeprefix(_EDGE).removesuffix(_EDGE).replace(_EDGE, "\0n")
    return restored(text)
