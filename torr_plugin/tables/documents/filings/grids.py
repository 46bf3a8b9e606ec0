"""Read the grid of a filing's table: cells with their places, and how far their texts are indented."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ...serializers.html_reading import GridReader, HtmlCell, HtmlLayout
from ...serializers.html_tree import settled
from .styles import PLAIN, style_of
from .values import is_rule

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
    """Collects a table's cells with the offsets of their texts; what is hidden is left out."""

    def __init__(self, unmarked: Callable[[str], str]) -> None:
        super().__init__(unmarked)
        self._filed = FiledCell(False)  # the last cell
        self._style = PLAIN  # of the last element
        self._begun = False  # whether the last cell has text

    def hides(self, element: Any) -> bool:  # noqa: D102
        self._style = style_of(element)
        return self._style.hidden

    def _cell(self, tag: str, element: Any) -> HtmlCell:
        self._filed = FiledCell(tag == "th", offset=self._style.offset)
        self._begun = False
        return self._filed

    def _data(self, data: str | None) -> None:
        if data:
            self._begun = self._begun or not data.isspace()
            super()._data(data)

    def _inline(self, tag: str, element: Any) -> None:
        if not self._begun:
            self._filed.offset += self._style.offset
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
