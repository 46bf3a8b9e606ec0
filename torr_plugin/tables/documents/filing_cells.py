"""Cells of filings: the looks that styles set, figures and signs as they are written, indentation."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from ..serializers.html_layout import HtmlCell, HtmlLayout
from ..serializers.html_reading import GridReader
from ..serializers.html_tree import settled

BULLET = re.compile(
    r"[\u2022\u25cf\u25cb\u25aa\u25a0\u25a1\u25e6\u2043\u00b7\u00a7\u27a2\u2713*o\u2013\u2014-]"
)
_LENGTH = re.compile(r"(-?\d*\.?\d+)\s*(pt|px|in|em|rem|ex|cm|mm|pc|%)?")
_POINTS = {"pt": 1.0, "px": 0.75, "in": 72.0, "em": 10.0, "rem": 10.0, "ex": 5.0, "cm": 28.3, "mm": 2.83}
_POINTS |= {"pc": 12.0, "%": 5.0, None: 0.75}  # type: ignore[dict-item]
_LONGEST_STYLE = 4000
_LEFT = {"padding-left", "margin-left", "text-indent"}
_BOLD_WEIGHT = re.compile(r"\bbold(er)?\b|\b[6-9]00\b")


@dataclass(frozen=True, slots=True)
class InlineStyle:
    """The looks that a style sets; None where it says nothing.

    ``offset`` is how far the content begins to the right of its container, in points: padding, margin and
    indentation of the first line.
    """

    bold: bool | None = None
    emphasis: bool | None = None
    centred: bool | None = None
    offset: float = 0.0
    breaks_before: bool = False
    breaks_after: bool = False


PLAIN = InlineStyle()


def style_of(element: Any) -> InlineStyle:
    """The style of an lxml element; its content's ``b``, ``i``, ``center`` are the reader's to know."""
    get = element.get
    text, align = get("style"), get("align")
    if text is None and align is None:
        return PLAIN
    return inline_style((text or "")[:_LONGEST_STYLE], (align or "").strip().lower()[:10])


@lru_cache(maxsize=4096)  # a filing repeats a few hundred styles
def inline_style(text: str, align: str = "") -> InlineStyle:
    """The style that a ``style`` attribute sets, beside an ``align`` attribute."""
    pairs = [part.partition(":") for part in text.lower().split(";")]
    rules = {key.strip(): value.strip() for key, _, value in pairs}
    weight = rules.get("font-weight") or rules.get("font", "")
    is_bold = bool(_BOLD_WEIGHT.search(weight))
    look = rules.get("font-style", "") + rules.get("font", "")
    line = rules.get("text-decoration", "") + rules.get("text-decoration-line", "")
    where = rules.get("text-align", align)
    return InlineStyle(
        bold=is_bold if is_bold or "font-weight" in rules else None,
        emphasis=True if "italic" in look or "underline" in line else None,
        centred=where == "center" if where else None,
        offset=_offset(rules),
        breaks_before=_breaks(rules, "before"),
        breaks_after=_breaks(rules, "after"),
    )


def _breaks(rules: dict[str, str], side: str) -> bool:
    found = rules.get(f"page-break-{side}", rules.get(f"break-{side}", ""))
    return found in ("always", "page", "left", "right")


def _offset(rules: dict[str, str]) -> float:
    offset = 0.0
    for box in ("padding", "margin"):
        if f"{box}-left" not in rules and (sides := rules.get(box, "").split()):
            offset += _points(sides[3 if len(sides) > 3 else 1 if len(sides) > 1 else 0])
    return offset + sum(_points(rules[key]) for key in _LEFT & rules.keys())


def _points(length: str) -> float:
    match = _LENGTH.match(length)
    return float(match[1]) * _POINTS[match[2]] if match else 0.0


_NUMBER = r"(?:\d{1,3}(?:,\d{3})+|\d+)?(?:\.\d+)?"
_VALUE = re.compile(
    r"\(?\s*[-\u2013\u2014\u2212+<>~]?\s*(?:[A-Z]{0,3}[$\u20ac\u00a3\u00a5\u20b9])?\s*\(?\s*"
    r"(?=[\d.])" + _NUMBER + r"\s*\)?\s*(?:%|x|bps|pts?\.?|\u00a2|[KMB])?\s*\)?"
    r"(?:\s*(?:\([a-z\d]{1,2}\)|\*{1,3}|\u2020|[\u00b9\u00b2\u00b3\u2070-\u2079]))*",
)
_NIL = re.compile(
    r"(?:[A-Z]{0,3}[$\u20ac\u00a3\u00a5\u20b9])?\s*(?:[-\u2013\u2014\u2212]{1,3}|N/?[AM]|n/?[am])\s*%?"
)
_YEAR = re.compile(r"(?:FY\s?)?(?:18|19|20|21)\d\d[AEPaep]?(?:\s*\([a-z\d]{1,2}\))*")
_RULE = re.compile(r"[_=\s\u2500\u2501]{2,}|[-\u2013\u2014]{4,}")

_LONGEST_VALUE = 40

PREFIX = re.compile(r"[-\u2013\u2014+(]?\s*(?:[A-Z]{0,3}[$\u20ac\u00a3\u00a5\u20b9]|Rs\.?)\s*\(?|\(")
"""A currency sign, an opening parenthesis, or both, that stand before a number in a cell of their own."""

SUFFIX = re.compile(r"\)\s*(?:%|x|bps|pts?\.?|\u00a2)?|(?:%|x|bps|pts?\.?|\u00a2)\s*\)?")
"""A closing parenthesis, a unit, or both, that stand behind a number in a cell of their own."""


def is_value(text: str) -> bool:
    """Whether a cell holds a number as figures are written (``$ (1,204)``, ``12.5%``, a dash) and no year."""
    if len(text) > _LONGEST_VALUE:
        return False
    return bool(_VALUE.fullmatch(text) or _NIL.fullmatch(text)) and not _YEAR.fullmatch(text)


def is_rule(text: str) -> bool:
    """Whether a text draws a line, as typed tables do: ``=====``."""
    return bool(_RULE.fullmatch(text))


def joins_after(text: str, following: str) -> bool:
    """Whether a text of a cell belongs before the text of the next: ``$`` before ``5,229``."""
    return (
        len(text) <= 5
        and bool(PREFIX.fullmatch(text))
        and following[:1] in "0123456789.($-\u2013\u2014\u2212"
    )


def joins_before(text: str, preceding: str) -> bool:
    """Whether a text of a cell belongs behind the text of the cell before it: ``)`` behind ``(41``."""
    return (
        len(text) <= 5
        and bool(SUFFIX.fullmatch(text))
        and is_value(preceding + (")" if "(" in preceding else ""))
    )


_PER_BLANK = 4.0  # points that a leading non-breaking space stands for
_PER_COLUMN = 10.0  # and an empty column before a label
_BLANKS = "\u00a0\u2002\u2003\u2007\u2009 "
_EMPTY = _BLANKS + "\t\n\r\f\v\x85\u2000\u200b\u202f\ufeff"


@dataclass(slots=True)
class FiledCell(HtmlCell):
    """A cell as written, with the offset of its text in points, and whether it links into the document."""

    offset: float = 0.0
    is_link: bool = False


@dataclass(slots=True)
class GridCell:
    """A cell with text in its place of a grid; ``offset`` is how far the text is indented, in points."""

    text: str
    row: int
    column: int
    height: int = 1
    width: int = 1
    offset: float = 0.0
    is_header: bool = False
    is_link: bool = False

    @property
    def end(self) -> int:
        """The column after the last one covered."""
        return self.column + self.width


class FiledGridReader(GridReader):
    """Collects a table's cells with the offsets of their texts."""

    def __init__(self, unmarked: Callable[[str], str]) -> None:
        super().__init__(unmarked)
        self._filed = FiledCell(False)  # the last cell
        self._begun = False  # whether the last cell has text

    def _cell(self, tag: str, element: Any) -> HtmlCell:
        self._filed = FiledCell(tag == "th", offset=style_of(element).offset)
        self._begun = False
        return self._filed

    def _data(self, data: str) -> None:
        self._begun = self._begun or not data.isspace()
        super()._data(data)

    def _inline(self, tag: str, element: Any) -> None:
        if not self._begun:
            self._filed.offset += style_of(element).offset
        if tag == "a" and (element.get("href") or "").startswith("#"):
            self._filed.is_link = True
        super()._inline(tag, element)


def grid_cells(layout: HtmlLayout) -> list[list[GridCell]]:
    """The cells with text, row by row; each text is on one line, without white space at its ends."""
    rows = []
    for r, line in enumerate(layout.rows):
        row = []
        for column, cell, height, width in line:
            if not cell.pieces or not isinstance(cell, FiledCell):
                continue
            text = settled(cell.pieces).replace("\n", " ")
            shown = text.strip(_EMPTY).replace("\u00a0", " ")
            if shown and not is_rule(shown):
                blanks = len(text) - len(text.lstrip(_BLANKS))
                offset = cell.offset + blanks * _PER_BLANK + column * _PER_COLUMN
                row.append(GridCell(shown, r, column, height, width, offset, cell.is_header, cell.is_link))
        rows.append(row)
    return rows
