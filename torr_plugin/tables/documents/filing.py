"""Read the HTML of an annual report as EDGAR has it, or any other HTML, into a document.

The tree is walked once: paragraphs with their looks, tables and page breaks, in order. Page numbers and
running headers are then taken out, headings told from paragraphs, tables given titles and footnotes.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any, NamedTuple

from ...core.errors import ParseError, TableError
from ..serializers.html_layout import HtmlLayout, HtmlTable, placed, table_of
from ..serializers.html_tree import BREAK, SPACE, declared_encoding, is_hidden, parsed, settled, walk
from ..serializers.structure import most_places
from ..table import Table
from .document import Document
from .filing_cells import FiledGridReader, InlineStyle, grid_cells, style_of
from .filing_tables import condensed, table_of_grid, use_of
from .flow import Flow, FlowBreak, FlowText, text_block, without_pages
from .surroundings import with_surroundings

_BODY = re.compile(r"<TEXT>(.*?)(?:</TEXT>|\Z)", re.S)
_CONTROLS = re.compile("[\0-\x08\x0e-\x1f]")
_SAMPLE = 100_000


def read_filing(html: str | bytes, *, title: str = "") -> Document:
    """The document that an HTML text shows: a 10-K as filers write it (inline XBRL too), or any other HTML.

    What is hidden, scripts, page numbers and running headers are left out. Tables that only lay text out
    become text. Tables of data lose the columns and rows that only make space, and ``$``, ``(``, ``)`` and
    ``%`` in cells of their own are joined to their numbers; header rows, row labels (indented by two spaces a
    level), titles and footnotes are found. Tables with ``thead``, ``caption`` or our own attributes are read
    as they are. Of a complete submission the first document is read. Time is linear in the text's length.

    Args:
        html: the text, or its bytes, in UTF-8 or as they say themselves.
        title: the document's; by default what ``title`` holds.

    Raises:
        ParseError: binary data, tags nested more than 2000 deep, more than 1000 attributes in one, or tables
            whose merged cells cover more than 4 million places beyond one a cell.
    """
    text = _decoded(html) if isinstance(html, bytes) else html
    check_text(text, "filing")
    document = read_html(_main_part(text), "filing")
    return replace(document, title=title or document.title)


def read_html(html: str, name: str) -> Document:
    """See :func:`read_filing`; ``name`` is that of the format in messages."""
    root, unmarked = parsed(html, name)
    if root is None:
        return Document(())
    reader = FlowReader(unmarked, name)
    reader.walk(root)
    flow = without_pages(reader.found)
    blocks = [each if isinstance(each, Table) else text_block(each) for each in flow]
    return Document(tuple(with_surroundings(blocks)), _title(root))


def _decoded(html: bytes) -> str:
    """The text of bytes: UTF-8, else what they say, else as Windows writes them; a byte order mark wins."""
    names = ["utf-8-sig", declared_encoding(html) or "cp1252", "cp1252"]
    if html.startswith((b"\xff\xfe", b"\xfe\xff")):
        names.insert(0, "utf-16")
    for name in names:
        try:
            return html.decode(name)
        except UnicodeDecodeError:
            continue
    return html.decode("latin-1")


def check_text(text: str, name: str) -> None:
    """Refuse binary data.

    Raises:
        ParseError: more than one in a hundred of the first characters are control characters.
    """
    sample = text[:_SAMPLE]
    if len(_CONTROLS.findall(sample)) * 100 > len(sample):
        raise ParseError(f"{name}: binary data, starting with {text[:20]!r}; expected a text")


def _main_part(text: str) -> str:
    """The first document of a complete submission, which holds several between tags of its own."""
    if "<TEXT>" not in text[:_SAMPLE]:
        return text
    body = _BODY.search(text)
    return body[1] if body else text


def _title(root: object) -> str:
    found = root.findtext(".//title")  # type: ignore[attr-defined]
    return " ".join((found or "").split())


_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_BLOCKS = frozenset(
    {
        *("address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "div", "dl", "dt"),
        *("fieldset", "figcaption", "figure", "footer", "form", "header", "html", "li", "main", "nav", "ol"),
        *("p", "pre", "section", "table", "tbody", "td", "tfoot", "th", "thead", "tr", "ul", "document"),
        *_HEADINGS,
    }
)
_SKIPPED = frozenset({"ix:header", "head", "title", "svg", "math", "select", "iframe", "object"})
_TYPED = frozenset({"pre", "xmp", "listing", "plaintext"})
_BOLD, _EMPHASIS = frozenset({"b", "strong"}), frozenset({"i", "em", "u"})
_PLAIN = frozenset({"span", "div", "font", "td", "tr", "tbody"})
_NOTHING = re.compile(r"[\s\u200b\ufeff_=*.\u00b7\u2500\u2501\u2013\u2014-]*")


class _Look(NamedTuple):
    """The looks that hold inside an element."""

    bold: bool = False
    emphasis: bool = False
    centred: bool = False
    level: int = 0
    is_note: bool = False
    breaks_after: bool = False
    is_typed: bool = False  # lines stay lines


class FlowReader:
    """Collects what a tree shows, element by element, in :attr:`found`."""

    def __init__(self, unmarked: Callable[[str], str], name: str = "filing") -> None:
        self.found: list[Flow] = []
        self._name = name
        self._unmarked = unmarked
        self._looks = [_Look()]
        self._pieces: list[str] = []
        self._worn: set[_Look] = set()  # the looks of the pieces that show something
        self._items = [0]  # of each open list
        self._free = most_places(0)  # places beyond one a cell that tables may still cover

    def walk(self, root: Any) -> None:
        """Take in a tree.

        Raises:
            ParseError: merged cells cover too many places.
        """
        put_strays_behind(root)
        for event, each in walk(root, self._skips):
            if event == "data":
                self._data(each)
            elif event == "start":
                self._start(each.tag, style_of(each), each)
            else:
                self._end(each.tag)
        self._close()

    def _skips(self, element: Any) -> bool:
        """Whether an element is left out, or was taken in as a table."""
        return (
            element.tag in _SKIPPED or is_hidden(element) or (element.tag == "table" and self._took(element))
        )

    def _data(self, data: str) -> None:
        text = self._unmarked(data)
        if not self._looks[-1].is_typed:
            self._add(text)
            return
        for number, line in enumerate(text.expandtabs().splitlines()):
            if number:
                self._line_break()
            if line:
                self._add(line.replace("  ", SPACE * 2))

    def _add(self, piece: str) -> None:
        if not piece.isspace():
            self._worn.add(self._looks[-1])
        self._pieces.append(piece)

    def _start(self, tag: str, style: InlineStyle, element: Any) -> None:
        if tag in _BLOCKS:
            self._close()
        elif tag == "br":
            self._line_break()
        if style.breaks_before or tag in ("hr", "page"):
            self._close()
            self.found.append(FlowBreak())
        self._looks.append(_look(self._looks[-1], tag, style, element))
        if tag in ("ol", "ul"):
            first = element.get("start", "")
            self._items.append(int(first[:9]) - 1 if first.isdecimal() else 0)
        elif tag == "li":
            self._pieces.append(self._sign(element))
        elif style.offset > 0 and tag not in _BLOCKS and self._worn:
            self._pieces.append(" ")  # such as between a footnote's mark and its text

    def _end(self, tag: str) -> None:
        if tag in _BLOCKS:
            self._close()
            if tag in ("ol", "ul"):
                self._items.pop()
        if self._looks.pop().breaks_after:
            self._close()
            self.found.append(FlowBreak())

    def _line_break(self) -> None:
        """One break is a new line, two are a new paragraph."""
        last = next((piece for piece in reversed(self._pieces) if not piece.isspace()), "")
        if last == BREAK:
            self._close()
        else:
            self._pieces.append(BREAK)

    def _sign(self, element: Any) -> str:
        """What a browser puts before an item of a list."""
        self._items[-1] += 1
        parent = element.getparent()
        return f"{self._items[-1]}. " if parent is not None and parent.tag == "ol" else "\u2022 "

    def _close(self) -> None:
        """End the paragraph."""
        if self._worn:
            text = settled(self._pieces).replace("\u00a0", " ").strip().strip("\u200b\ufeff").strip()
            if not _NOTHING.fullmatch(text):
                self.found.append(_paragraph(text, self._worn))
            self._worn = set()
        self._pieces = []

    def _took(self, element: Any) -> bool:
        """Take a table in whole, unless its cells are to be read as paragraphs."""
        if next(element.iterdescendants("table"), None) is not None:
            return False
        self._close()
        reader = FiledGridReader(self._unmarked)
        reader.walk(element)
        written = reader.shown()
        if not any(line.cells for line in written.lines):
            return False
        layout = self._placed(written)
        if _is_marked_up(written):
            with suppress(TableError):
                self.found.append(table_of(written, self._name, layout))
                return True
        grid = condensed(grid_cells(layout))
        use = use_of(grid)
        if use == "data":
            self.found.append(table_of_grid(grid))
        elif use == "rows":
            lines = [" ".join([cell.text for cell in grid.own(r)]) for r in range(len(grid.rows))]
            self.found += [FlowText(line, in_table=len(lines) > 1) for line in lines if line]
        return use != "flow"

    def _placed(self, found: HtmlTable) -> HtmlLayout:
        """The cells in their places, which count against what the document's tables may cover."""
        own = sum(len(line.cells) for line in found.lines)
        try:
            layout = placed(found.lines, self._name, self._free + own)
        except ParseError:
            most = most_places(0)
            raise ParseError(f"{self._name}: merged cells cover more than {most} places in all") from None
        self._free -= max(0, sum(map(len, layout.covered)) - own)
        return layout


def _look(above: _Look, tag: str, style: InlineStyle, element: Any) -> _Look:
    """The looks inside an element."""
    says_nothing = style.bold is None and style.emphasis is None and style.centred is None
    if says_nothing and tag in _PLAIN and above.breaks_after == style.breaks_after:
        return above
    return _Look(
        style.bold if style.bold is not None else above.bold or tag in _BOLD,
        style.emphasis or above.emphasis or tag in _EMPHASIS,
        style.centred if style.centred is not None else above.centred or tag == "center",
        _HEADINGS.get(tag, above.level),
        above.is_note or (tag == "p" and element.get("class") == "note"),
        style.breaks_after,
        above.is_typed or tag in _TYPED or (tag == "table" and _has_no_cells(element)),
    )


def _has_no_cells(table: Any) -> bool:
    """Whether a table is lines of text, as in filings of the nineties."""
    return next(table.iterdescendants("td", "th", "table"), None) is None


def _paragraph(text: str, worn: set[_Look]) -> FlowText:
    """The paragraph with the looks that all of it has."""
    return FlowText(
        text,
        all(look.bold for look in worn),
        all(look.emphasis for look in worn),
        all(look.centred for look in worn),
        min(look.level for look in worn),
        all(look.is_note for look in worn),
    )


def _is_marked_up(found: HtmlTable) -> bool:
    """Whether a table says itself what its parts are, as ours do and filers' never: it is read as it is."""
    heads = any(line.part == "thead" for line in found.lines)
    bodies = any(line.cells and line.part != "thead" for line in found.lines)
    return bodies and bool(heads or found.caption or found.declared)


_PARTS = frozenset(
    {"tr", "td", "th", "thead", "tbody", "tfoot", "caption", "colgroup", "col", "script", "style"}
)
_PARTS_OF_ROWS = ("tbody", "thead", "tfoot", "tr")


def put_strays_behind(root: Any) -> None:
    """Move what is out of place in each table of a tree behind it, so that one that never ends takes no text.

    A tag around rows stays, as its rows are read.
    """
    for table in list(root.iter("table")):
        strays = [stray for holder in _holders(table) for stray in _strays(holder)]
        for stray in reversed(strays):
            table.addnext(stray)


def _holders(table: Any) -> list[Any]:
    """The table, its parts and its rows."""
    parts = list(table.iterchildren(*_PARTS_OF_ROWS))
    rows = [row for part in parts if part.tag != "tr" for row in part.iterchildren("tr")]
    return [table, *parts, *rows]


def _strays(holder: Any) -> list[Any]:
    """The elements in a table, a part or a row that neither are of it nor hold any of it."""
    found = []
    for child in holder.iterchildren():
        if not isinstance(child.tag, str) or child.tag in _PARTS or child.tag == "table":
            continue
        if next(child.iter("tr", "td", "th", "table"), None) is None:
            found.append(child)
    return found
