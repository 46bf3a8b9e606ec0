"""Read the first table of an HTML text, ours or any other, from the tree that lxml builds.

Tolerated: no ``thead``, header cells in the body, missing end tags, entities, nested tags and tables, spans
that reach too far, short rows (filled with empty cells). White space at the ends of a cell is dropped, and a
run with a line break or a tab (wrapped source) becomes one space; other spaces and character references
stay. ``<br>`` is a newline, and so is the edge of a block such as ``<p>`` inside a cell.

lxml resolves references, so that ``&#32;`` looks like any blank, and drops characters that HTML forbids. Both
are therefore replaced by a mark and a code before parsing. The mark is a character that the text lacks; in
lxml's output it becomes NUL, which no HTML can hold.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...core.errors import ParseError, TableError
from ..table import Cell, Table
from .structure import most_places


def read(text: str, name: str) -> Table:
    """The first table of an HTML text.

    Raises:
        ParseError: there is no table, or none with rows.
    """
    found = written(text, name)
    if not any(line.cells for line in found.lines):
        raise ParseError(f"{name}: the table has no cells; expected rows <tr> with <th> or <td>")
    rows, is_header = _lay(found.lines, name)
    heads = sum(1 for line in found.lines if line.in_head)
    header_rows, header_columns = infer_header(is_header, heads)
    try:
        return Table(
            rows,
            header_rows=found.declared.get("data-header-rows", header_rows),
            header_columns=found.declared.get("data-header-columns", header_columns),
            title=settled(found.caption),
            notes=tuple(map(settled, found.notes)),
        )
    except TableError as error:
        raise ParseError(f"{name}: {error}") from None


def infer_header(is_header: Sequence[Sequence[bool]], heads: int) -> tuple[int, int]:
    """Header rows and header columns, given which places are ``th`` and how many rows are in ``thead``.

    Without ``thead`` the leading rows of ``th`` alone are the header; header columns are the leading columns
    that are ``th`` in every body row. At least one row and one column are left for the body.
    """
    rows = heads
    if not rows:
        while rows < len(is_header) and all(is_header[rows]):
            rows += 1
        if rows == len(is_header):
            rows = 1
    rows = min(rows, len(is_header) - 1)
    width = len(is_header[0])
    leading = (next((c for c, head in enumerate(line) if not head), width) for line in is_header[rows:])
    return rows, min(width - 1, *leading)


def _lay(lines: Sequence[HtmlRow], name: str) -> tuple[tuple[tuple[Cell, ...], ...], list[list[bool]]]:
    """Cells in their places, as in browsers: spans are cut where they leave the table or meet a cell."""
    placed: list[dict[int, bool]] = [{} for _ in lines]
    rows: list[list[tuple[int, Cell]]] = [[] for _ in lines]
    last = {line.group: index for index, line in enumerate(lines)}
    area, most = 0, most_places(sum(len(line.cells) for line in lines))
    for r, line in enumerate(lines):
        c = 0
        for found in line.cells:
            while c in placed[r]:
                c += 1
            left = last[line.group] - r + 1
            height = min(found.rowspan, left) if found.rowspan else left
            width = next((w for w in range(1, found.colspan) if c + w in placed[r]), found.colspan)
            area += height * width
            if area > most:
                raise ParseError(f"{name}: the table covers more than {most} places")
            for i in range(r, r + height):
                placed[i].update(dict.fromkeys(range(c, c + width), found.is_header))
            rows[r].append((c, Cell(settled(found.pieces), height, width)))
            c += width
    total = max(max(line, default=-1) for line in placed) + 1
    if total * len(lines) > most:
        raise ParseError(f"{name}: the table covers more than {most} places")
    for line_cells, places in zip(rows, placed, strict=True):
        missing = [c for c in range(total) if c not in places]
        if missing:
            line_cells += [(c, Cell("")) for c in missing]
            line_cells.sort(key=lambda item: item[0])
            places.update(dict.fromkeys(missing, False))
    return (
        tuple(tuple(cell for _, cell in line_cells) for line_cells in rows),
        [[places[c] for c in range(total)] for places in placed],
    )


MOST_COLUMNS = 1000
_MOST_ATTRIBUTES = 1000  # the parser compares every attribute of a tag with all others of it
_TAG = re.compile(r"""<[A-Za-z](?:[^>=]+|=(?:\s*"[^"]*"|\s*'[^']*')?)*""")
_ATTRIBUTE = re.compile(r"""[^\s"'=/]+(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"']*))?""")
_BLOCKS = frozenset(
    {"p", "div", "li", "ul", "ol", "dl", "dt", "dd", "tr", "table", "blockquote", "pre", "h1", "h2", "h3"}
)
_SILENT = frozenset({"script", "style", "template"})
_WRAP = re.compile(r" *[\t\n\f\r][ \t\n\f\r]*")
# NUL cannot occur in HTML, so it marks what must survive the collapse of white space
_BREAK, _EDGE = "\0b", "\0e"
_SOFT = re.compile(r" *(?:\0e *)+")


@dataclass
class HtmlCell:
    """A cell as written."""

    is_header: bool
    rowspan: int
    colspan: int
    pieces: list[str] = field(default_factory=list)


@dataclass
class HtmlRow:
    """A row as written, and its part of the table (head, body)."""

    group: int
    in_head: bool
    cells: list[HtmlCell] = field(default_factory=list)


@dataclass
class HtmlTable:
    """The content of a table; texts are pieces for :func:`settled`."""

    lines: list[HtmlRow] = field(default_factory=list)
    caption: list[str] = field(default_factory=list)
    notes: list[list[str]] = field(default_factory=list)
    declared: dict[str, int] = field(default_factory=dict)


def written(text: str, name: str) -> HtmlTable:
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
    reader = _GridReader(unmarked)
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
    from lxml import etree  # writing HTML needs no lxml

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


class _GridReader:
    """Collects rows, caption, notes and header depth, element by element."""

    def __init__(self, unmarked: Callable[[str], str]) -> None:
        self.found = HtmlTable()
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
                    self.found.declared[key] = int(element.get(key)[:9])
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
        cell = HtmlCell(tag == "th", _span(element.get("rowspan")), colspan)
        self.found.lines[-1].cells.append(cell)
        self._target = cell.pieces

    def _open_row(self) -> None:
        self.found.lines.append(HtmlRow(self._group, self._in_head))
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


_SPACE = re.compile(r"&#(?:0*(9|10|12|13|32)|[xX]0*(9|[aA]|[cC]|[dD]|20))(?:;|(?![0-9a-fA-F]))")
_CODES = {"9": "t", "10": "n", "a": "n", "12": "f", "c": "f", "13": "r", "d": "r", "32": "s", "20": "s"}
_LITERAL = {"t": "\t", "n": "\n", "f": "\f", "r": "\r", "s": " "}
_REFERENCE = re.compile(
    r"&(?!(?:amp|lt|gt|quot);)(?:#[0-9]+;?|#[xX][0-9a-fA-F]+;?|[A-Za-z][A-Za-z0-9]{1,31};?)"
)
# control characters, surrogates, and what Unicode reserves
_ODD = re.compile(
    "[\x01-\x08\x0b\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff"
    + "".join(chr(plane << 16 | end) for plane in range(1, 17) for end in (0xFFFE, 0xFFFF))
    + "]"
)
_CARRIED = re.compile("\0(?:([tnfrs])|x([0-9a-f]{1,6});)")
_AS = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"}
_PRIVATE = (*range(0xE000, 0xF900), *range(0xF0000, 0xFFFFE))


def carried(text: str) -> tuple[str, Callable[[str], str]]:
    """The text for the parser, and what turns the mark in a text that the parser gives back into NUL."""
    text = text.replace("\0", "\ufffd")
    mark = _mark(text)
    if "&" in text:
        text = _SPACE.sub(lambda match: mark + _CODES[(match[1] or match[2]).lower()], text)
        text = _REFERENCE.sub(_resolved, text)
    if _ODD.search(text):
        text = _ODD.sub(lambda match: f"{mark}x{ord(match[0]):x};", text)
    return text, lambda piece: piece.replace(mark, "\0")


def _mark(text: str) -> str:
    """A character that occurs in the text neither literally nor by reference."""
    plain = html.unescape(text) if "&" in text else ""
    return next(chr(code) for code in _PRIVATE if chr(code) not in text and chr(code) not in plain)


def _resolved(match: re.Match[str]) -> str:
    """The characters that a reference means, by HTML's own rules; one that means nothing stays as it is."""
    return re.sub('[&<>"]', lambda special: _AS[special[0]], html.unescape(match[0]))


def restored(text: str) -> str:
    """The text with what was carried back in its place."""
    return _CARRIED.sub(lambda match: _LITERAL[match[1]] if match[1] else chr(int(match[2], 16)), text)
