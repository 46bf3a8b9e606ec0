"""Read the first table of an HTML text, ours or any other, from the tree that lxml builds.

The table is read as a browser shows it: the first ``thead`` is above all other rows and the first ``tfoot``
below them, what is hidden is left out (an invisible cell is an empty one), rows without a cell have no
height, and raised digits are raised (``1,234<sup>1</sup>`` is ``1,234¹``). Tolerated: no ``thead``, header
cells in the body, missing end tags, entities, nested tags and tables, spans that reach too far, short rows
(filled with empty cells). White space at the ends of a cell is dropped, and a run with a line break or a tab
(wrapped source) becomes one space; other spaces and character references stay. ``<br>`` is a newline, and so
is the edge of a block such as ``<p>`` inside a cell.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from ...core.errors import ParseError
from ..table import Table
from .html_layout import MOST_COLUMNS, HtmlCell, HtmlRow, HtmlTable, shown_rows, table_of
from .html_tree import BREAK, EDGE, is_blank_cell, is_hidden, parsed, walk


def read(text: str, name: str) -> Table:
    """The first table of an HTML text.

    Raises:
        ParseError: there is no table, or none with rows.
    """
    return table_of(written(text, name), name)


BLOCKS = frozenset(
    {"p", "div", "li", "ul", "ol", "dl", "dt", "dd", "tr", "table", "blockquote", "pre", "h1", "h2", "h3"}
)
_SPAN = re.compile(r"\s*([0-9]{1,9})")


def written(text: str, name: str) -> HtmlTable:
    """The first table of an HTML text and the notes behind it.

    Raises:
        ParseError: there is no table, tags are nested deeper than lxml goes, or one has too many attributes.
    """
    root, unmarked = parsed(text, name)
    tables = root.iter("table") if root is not None else iter(())
    table = next(filter(_shows, tables), None)
    if table is None:
        raise ParseError(f"{name}: the text has no <table>; it starts with {text[:40]!r}")
    reader = GridReader(unmarked)
    reader.walk(table)
    for note in filter(_shows, table.xpath("following::p[@class='note']")):
        reader.note(note)
    return reader.shown()


def _shows(element: Any) -> bool:
    return not any(map(is_hidden, (element, *element.iterancestors())))


class GridReader:
    """Collects rows, caption, notes and header depth, element by element."""

    def __init__(self, unmarked: Callable[[str], str]) -> None:
        self.found = HtmlTable()
        self._unmarked = unmarked
        self._depth = 0
        self._group = 0
        self._part = ""
        self._parts: set[str] = set()
        self._raised: list[int] = []  # for each open sup or sub the number of pieces before it
        self._row_is_open = False
        self._target: list[str] | None = None

    def walk(self, element: Any) -> None:
        """Take in an element and all in it but what is hidden."""
        for event, each in walk(element, self._skips):
            if event == "data":
                self._data(each)
            elif event == "start":
                self._start(each.tag, each)
            else:
                self._end(each.tag)

    def _skips(self, element: Any) -> bool:
        hidden = is_hidden(element)
        if hidden and is_blank_cell(element):
            self._start(element.tag, element)
            self._end(element.tag)
        return hidden

    def shown(self) -> HtmlTable:
        """What was found, its rows as :func:`shown_rows` has them."""
        self.found.lines = shown_rows(self.found.lines)
        return self.found

    def note(self, element: Any) -> None:
        """Take in a paragraph behind the table."""
        self.found.notes.append([])
        self._target = self.found.notes[-1]
        self.walk(element)
        self._target = None

    def _data(self, data: str) -> None:
        """Text goes to the open cell, caption or note."""
        if self._target is not None:
            self._target.append(self._unmarked(data))

    def _start(self, tag: str, element: Any) -> None:
        """Open tables, rows and cells; breaks and blocks inside a cell."""
        if tag == "table":
            self._open_table(element)
        elif self._depth == 1:
            self._open(tag, element)
        else:
            self._inline(tag, element)

    def _end(self, tag: str) -> None:
        """Close what a tag closes."""
        if tag == "table":
            self._depth -= 1
            if self._depth and self._target is not None:
                self._target.append(EDGE)
        elif self._depth == 1 and tag in ("td", "th", "tr", "caption", "thead", "tbody", "tfoot"):
            self._target = None
            self._row_is_open = self._row_is_open and tag in ("td", "th", "caption")
            self._part = "" if tag == self._part else self._part
        elif tag in ("sup", "sub") and self._target is not None and self._raised:
            start = self._raised.pop()
            self._target[start:] = _raised(tag, "".join(self._target[:start]), self._target[start:])
        elif self._target is not None and tag in BLOCKS:
            self._target.append(EDGE)

    def _open_table(self, element: Any) -> None:
        self._depth += 1
        if self._depth == 1:
            for key in ("data-header-rows", "data-header-columns"):
                if element.get(key, "").isdecimal():
                    self.found.declared[key] = int(element.get(key)[:9])
        elif self._target is not None:
            self._target.append(EDGE)

    def _open(self, tag: str, element: Any) -> None:
        if tag in ("td", "th"):
            self._open_cell(tag, element)
        elif tag == "tr":
            self._open_row()
        elif tag in ("thead", "tbody", "tfoot"):
            self._group += 1
            lines = self.found.lines
            goes_on = tag == "thead" and bool(lines) and lines[-1].part == tag
            self._part = tag if tag != "tbody" and (tag not in self._parts or goes_on) else ""
            self._parts.add(tag)
            self._row_is_open, self._target = False, None
        elif tag == "caption":
            self._target = self.found.caption
        else:
            self._inline(tag, element)

    def _open_cell(self, tag: str, element: Any) -> None:
        if not self._row_is_open:
            self._open_row()
        cell = self._cell(tag, element)
        self._raised.clear()
        cell.rowspan = _span(element.get("rowspan"))
        cell.colspan = min(_span(element.get("colspan")) or 1, MOST_COLUMNS)
        self.found.lines[-1].cells.append(cell)
        self._target = cell.pieces

    def _cell(self, tag: str, element: Any) -> HtmlCell:
        """A new cell of one place."""
        return HtmlCell(tag == "th")

    def _open_row(self) -> None:
        self.found.lines.append(HtmlRow(self._group, self._part))
        self._row_is_open, self._target = True, None

    def _inline(self, tag: str, element: Any) -> None:
        if self._target is None:
            return
        if tag == "br":
            self._target.append(BREAK)
        elif tag in ("sup", "sub"):
            self._raised.append(len(self._target))
        elif tag in BLOCKS or tag in ("td", "th"):
            self._target.append(EDGE if tag in BLOCKS else " ")


_SUPERSCRIPT = str.maketrans(
    "0123456789+-\u2212=()n",
    "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079\u207a\u207b\u207b\u207c\u207d\u207e\u207f",
)
_SUBSCRIPT = str.maketrans("0123456789", "\u2080\u2081\u2082\u2083\u2084\u2085\u2086\u2087\u2088\u2089")
_RAISED = re.compile(r"\s*[+\u2212-]?\d[\d+\u2212=()n,. -]*")


def _raised(tag: str, before: str, pieces: list[str]) -> list[str]:
    """The digits of a ``sup`` raised, those of a ``sub`` behind a digit lowered; other texts as they are."""
    text = "".join(pieces)
    if not _RAISED.fullmatch(text) or (tag == "sub" and not before[-1:].isdecimal()):
        return pieces
    return [text.strip().translate(_SUPERSCRIPT if tag == "sup" else _SUBSCRIPT)]


def _span(value: str | None) -> int:
    """HTML's number: 1 where there is none; 0 means to the end (rows)."""
    if value is None:
        return 1
    digits = _SPAN.match(value)
    return min(int(digits[1]), 65534) if digits else 1
