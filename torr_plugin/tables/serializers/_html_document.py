"""Reading the first table of an HTML text, ours or the world's.

Tolerated: no ``thead``, header cells in the body, missing end tags, entities, nested tags and tables, spans
that reach too far, short rows (filled with empty cells). White space at the ends of a cell goes, and a run of
it that holds a line break or a tab (wrapped source) is one space; other spaces stay, and so does all that is
written as a character reference. ``<br>`` is a newline, and so is the edge of a block such as ``<p>`` inside
a cell.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from html.parser import HTMLParser

from ..errors import ParseError, TableError
from ..table import Cell, Table

_MOST_PLACES = 4_000_000
_MOST_COLUMNS = 1000
_BLOCKS = frozenset(
    {"p", "div", "li", "ul", "ol", "dl", "dt", "dd", "tr", "table", "blockquote", "pre", "h1", "h2", "h3"}
)
_SILENT = frozenset({"script", "style", "template"})
_WRAP = re.compile(r" *[\t\n\f\r][ \t\n\f\r]*")
_REFERENCE = re.compile(r"&#(?:0*(9|10|12|13|32)|[xX]0*(9|[aA]|[cC]|[dD]|20))(?:;|(?![0-9a-fA-F]))")
_CODES = {"9": "t", "10": "n", "a": "n", "12": "f", "c": "f", "13": "r", "d": "r", "32": "s", "20": "s"}
_LITERAL = {"t": "\t", "n": "\n", "f": "\f", "r": "\r", "s": " "}
# NUL cannot stand in HTML, so it marks what must survive the collapse of white space
_BREAK, _EDGE = "\0b", "\0e"
_SOFT = re.compile(r" *(?:\0e *)+")


@dataclass
class _Found:
    """A cell as written."""

    is_header: bool
    rowspan: int
    colspan: int
    pieces: list[str] = field(default_factory=list)


@dataclass
class _Line:
    """A row as written, and the part of the table (head, body) it stands in."""

    group: int
    in_head: bool
    cells: list[_Found] = field(default_factory=list)


class _Reader(HTMLParser):
    """Collects rows, caption, notes and header depth of the first table."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.lines: list[_Line] = []
        self.caption: list[str] = []
        self.notes: list[list[str]] = []
        self.told: dict[str, int] = {}
        self.depth = 0
        self.is_done = False
        self._group = 0
        self._in_head = False
        self._row_is_open = False
        self._silent = 0
        self._target: list[str] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Open tables, rows and cells; breaks and blocks inside a cell."""
        given = {key: value or "" for key, value in attrs}
        if tag == "table":
            self._open_table(given)
        elif self.depth == 1:
            self._open(tag, given)
        elif self.is_done and tag == "p" and given.get("class") == "note":
            self.notes.append([])
            self._target = self.notes[-1]
        elif self._target is not None:
            self._inline(tag)

    def handle_endtag(self, tag: str) -> None:
        """Close what a tag closes."""
        if tag in _SILENT:
            self._silent = max(0, self._silent - 1)
        if tag == "table" and self.depth:
            self.depth -= 1
            if not self.depth:
                self.is_done, self._target = True, None
            elif self._target is not None:
                self._target.append(_EDGE)
        elif self.depth == 1 and tag in ("td", "th", "tr", "caption", "thead", "tbody", "tfoot"):
            self._target = None
            self._row_is_open = self._row_is_open and tag in ("td", "th", "caption")
            self._in_head = self._in_head and tag != "thead"
        elif self.is_done and tag == "p":
            self._target = None
        elif self._target is not None and (tag in _BLOCKS or tag in ("td", "th")):
            self._target.append(_EDGE if tag in _BLOCKS else " ")

    def handle_data(self, data: str) -> None:
        """Text goes to the open cell, caption or note."""
        if self._target is not None and not self._silent:
            self._target.append(data)

    def _open_table(self, given: dict[str, str]) -> None:
        if self.is_done:
            return
        self.depth += 1
        if self.depth == 1:
            for key in ("data-header-rows", "data-header-columns"):
                if given.get(key, "").isdecimal():
                    self.told[key] = int(given[key][:9])
        elif self._target is not None:
            self._target.append(_EDGE)

    def _open(self, tag: str, given: dict[str, str]) -> None:
        if tag in ("thead", "tbody", "tfoot"):
            self._group += 1
            self._in_head, self._row_is_open, self._target = tag == "thead", False, None
        elif tag == "tr":
            self._open_row()
        elif tag in ("td", "th"):
            if not self._row_is_open:
                self._open_row()
            cell = _Found(
                tag == "th", _span(given.get("rowspan")), min(_span(given.get("colspan")) or 1, _MOST_COLUMNS)
            )
            self.lines[-1].cells.append(cell)
            self._target = cell.pieces
        elif tag == "caption":
            self._target = self.caption
        elif self._target is not None:
            self._inline(tag)

    def _open_row(self) -> None:
        self.lines.append(_Line(self._group, self._in_head))
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


def read(text: str, name: str) -> Table:
    """The first table of an HTML text.

    Raises:
        ParseError: there is no table, or none with rows.
    """
    reader = _Reader()
    reader.feed(
        _REFERENCE.sub(
            lambda match: "\0" + _CODES[(match[1] or match[2]).lower()], text.replace("\0", "\ufffd")
        )
    )
    reader.close()
    if not reader.lines and not reader.depth and not reader.is_done:
        raise ParseError(f"{name}: the text has no <table>; it starts with {text[:40]!r}")
    if not any(line.cells for line in reader.lines):
        raise ParseError(f"{name}: the table has no cells; expected rows <tr> with <th> or <td>")
    rows, is_header = _lay(reader.lines, name)
    heads = sum(1 for line in reader.lines if line.in_head)
    header_rows, header_columns = infer_header(is_header, heads)
    try:
        return Table(
            rows,
            header_rows=reader.told.get("data-header-rows", header_rows),
            header_columns=reader.told.get("data-header-columns", header_columns),
            title=_settled(reader.caption),
            notes=tuple(map(_settled, reader.notes)),
        )
    except TableError as error:
        raise ParseError(f"{name}: {error}") from None


def infer_header(is_header: Sequence[Sequence[bool]], heads: int) -> tuple[int, int]:
    """Header rows and header columns, from which places are ``th`` and how many rows stand in ``thead``.

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


def most_places(cells: int) -> int:
    """How many places so many cells may cover: large tables are read, small ones of huge spans are not."""
    return _MOST_PLACES + cells


def _lay(lines: Sequence[_Line], name: str) -> tuple[tuple[tuple[Cell, ...], ...], list[list[bool]]]:
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
            rows[r].append((c, Cell(_settled(found.pieces), height, width)))
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


def _span(value: str | None) -> int:
    """HTML's number: 1 where there is none; 0 means to the end (rows)."""
    digits = re.match(r"\s*([0-9]{1,9})", value or "")
    return min(int(digits[1]), 65534) if digits else 1


def _settled(pieces: Sequence[str]) -> str:
    """Collected text with its white space collapsed, breaks and references put in."""
    text = _WRAP.sub(" ", "".join(pieces)).strip(" ")
    if "\0" not in text:
        return text
    text = re.sub(r" *\0b *", "\0n", text)
    edges = _SOFT.sub(_EDGE, text)
    text = edges.removeprefix(_EDGE).removesuffix(_EDGE).replace(_EDGE, "\0n")
    return re.sub(r"\0([tnfrs])", lambda match: _LITERAL[match[1]], text)
