"""Walk the tree of a filing: paragraphs with their looks, tables, and page breaks, in order."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

from ....core.errors import ParseError, TableError
from ...serializers.html_reading import SILENT, HtmlLayout, HtmlTable, placed, table_of
from ...serializers.html_tree import BREAK, SPACE, settled
from ...serializers.structure import most_places
from ...table import Table
from .columns import condensed
from .grids import FiledGridReader, grid_cells
from .layout import use_of
from .strays import put_strays_behind
from .styles import InlineStyle, style_of
from .tables import table_of_grid

_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_BLOCKS = frozenset(
    {
        *("address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "div", "dl", "dt"),
        *("fieldset", "figcaption", "figure", "footer", "form", "header", "html", "li", "main", "nav", "ol"),
        *("p", "pre", "section", "table", "tbody", "td", "tfoot", "th", "thead", "tr", "ul", "document"),
        *_HEADINGS,
    }
)
_SKIPPED = SILENT | {"ix:header", "head", "title", "noscript", "svg", "math", "select", "iframe", "object"}
_TYPED = frozenset({"pre", "xmp", "listing", "plaintext"})
_BOLD, _EMPHASIS = frozenset({"b", "strong"}), frozenset({"i", "em", "u"})
_PLAIN = frozenset({"span", "div", "font", "td", "tr", "tbody"})
_NOTHING = re.compile(r"[\s\u200b\ufeff_=*.\u00b7\u2500\u2501\u2013\u2014-]*")


@dataclass(frozen=True, slots=True)
class FlowText:
    """A paragraph and its looks; ``level`` of a heading's tag, 0 without one."""

    text: str
    bold: bool = False
    emphasis: bool = False
    centred: bool = False
    level: int = 0
    is_note: bool = False
    in_table: bool = False


@dataclass(frozen=True, slots=True)
class FlowBreak:
    """The end of a printed page."""


Flow: TypeAlias = "FlowText | FlowBreak | Table"


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
        from lxml import etree

        put_strays_behind(root)
        skipped = None
        walker = etree.iterwalk(root, events=("start", "end", "comment"))
        for event, element in walker:
            if event == "start":
                tag, style = element.tag, style_of(element)
                if tag in _SKIPPED or style.hidden or (tag == "table" and self._took(element)):
                    skipped = element
                    walker.skip_subtree()
                    continue
                self._start(tag, style, element)
                if element.text:
                    self._data(element.text)
            else:
                if event == "end" and element is not skipped:
                    self._end(element.tag)
                if element.tail:
                    self._data(element.tail)
        self._close()

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
