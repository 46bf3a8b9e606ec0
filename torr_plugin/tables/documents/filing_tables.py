"""Tables of filings: what filers split over cells is joined, space dropped, headers and levels found.

A number is often three cells: ``$``, ``(41``, ``)``; and columns stand apart by empty columns. Signs are
joined to their numbers first. A column is then dropped if all it shows is shown by a neighbour, so that a
header over ``$``, number and ``)`` covers one column afterwards, and one over two years and the space between
them two. Tables that only lay text out are told from tables of data.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import Any, Literal, TypeAlias

from ..serializers.html_reading import GridReader, HtmlCell, HtmlLayout
from ..serializers.html_tree import settled
from ..table import Cell, Table

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


Column = dict[int, int]
"""The rows in which a column shows something -> the number of the cell that it shows there."""


@dataclass(frozen=True, slots=True)
class CondensedGrid:
    """A grid without space: ``rows[r][c]`` is the cell that covers the place, None where it is empty."""

    rows: list[list[GridCell | None]]

    @property
    def width(self) -> int:
        """Columns."""
        return len(self.rows[0]) if self.rows else 0

    def own(self, row: int) -> list[GridCell]:
        """The cells that begin in a row."""
        line = self.rows[row]
        above = self.rows[row - 1] if row else [None] * len(line)
        return [
            cell
            for c, cell in enumerate(line)
            if cell is not None and cell is not above[c] and (c == 0 or cell is not line[c - 1])
        ]


def condensed(rows: Sequence[Sequence[GridCell]]) -> CondensedGrid:
    """The grid of the cells with text."""
    joined = [_joined(row) for row in rows]
    cells = [cell for row in joined for cell in row]
    kept = sorted({cell.row for cell in cells})
    columns = _kept(_columns(cells))
    return CondensedGrid([[cells[column[r]] if r in column else None for column in columns] for r in kept])


def without_shifted_headers(grid: CondensedGrid, header_rows: int) -> CondensedGrid:
    """The grid with a column that has texts in the header alone put over its neighbour without one."""
    columns = [[line[c] for line in grid.rows] for c in range(grid.width)]
    c = 0
    while c + 1 < len(columns):
        left, right = columns[c], columns[c + 1]
        if _is_shifted(left, right, header_rows) or _is_shifted(right, left, header_rows):
            columns[c : c + 2] = [[a or b for a, b in zip(left, right, strict=True)]]
        else:
            c += 1
    if len(columns) == grid.width:
        return grid
    return CondensedGrid([list(line) for line in zip(*columns, strict=True)])


def _is_shifted(head: Sequence[GridCell | None], body: Sequence[GridCell | None], header_rows: int) -> bool:
    """Whether one column has nothing below the header, and the other nothing of its own beside its texts."""
    if any(head[header_rows:]) or not any(body[header_rows:]) or not any(head):
        return False
    return all(a is None or b is None or a is b for a, b in zip(head, body, strict=True)) and not any(
        b is not None and b is not a for a, b in zip(head[:header_rows], body[:header_rows], strict=True)
    )


def _joined(row: Sequence[GridCell]) -> list[GridCell]:
    """The row with signs joined to the numbers beside them."""
    joined: list[GridCell] = []
    for cell in row:
        before = joined[-1] if joined else None
        if before is not None and (
            joins_after(before.text, cell.text) or joins_before(cell.text, before.text)
        ):
            joined[-1] = replace(before, text=before.text + cell.text, width=cell.end - before.column)
        else:
            joined.append(cell)
    return joined


def _columns(cells: Sequence[GridCell]) -> list[Column]:
    columns: list[Column] = [{} for _ in range(max((cell.end for cell in cells), default=0))]
    for number, cell in enumerate(cells):
        if cell.height == 1 == cell.width:
            columns[cell.column][cell.row] = number
            continue
        for r in range(cell.row, cell.row + cell.height):
            for c in range(cell.column, cell.end):
                columns[c][r] = number
    return columns


def _kept(columns: Sequence[Column]) -> list[Column]:
    """The columns that show what no neighbour shows; each is compared once for every one that is dropped."""
    kept: list[Column] = []
    for column in columns:
        while kept and kept[-1].items() <= column.items():
            kept.pop()
        if not kept or not column.items() <= kept[-1].items():
            kept.append(column)
    return kept


Use: TypeAlias = "Literal['data', 'rows', 'flow', 'nothing']"
"""A table of data; text whose rows are paragraphs; text that flows through one column of cells; no text."""

BULLET = re.compile(
    r"[\u2022\u25cf\u25cb\u25aa\u25a0\u25a1\u25e6\u2043\u00b7\u00a7\u27a2\u2713*o\u2013\u2014-]"
)
_ENUMERATOR = re.compile(r"\(?(?:\d{1,2}|[A-Za-z]|[ivx]{1,5})[.)]|\*{1,3}|\u2020|Note\s\d+[.:]?", re.I)
_SIGNED = re.compile(r"/s/|[\u2610\u2611\u2612\u2713\u2714]|\[\s?[xX ]\s?\]")
_PAGE = re.compile(r"(?:[A-Z]{1,2}-)?\d{1,4}|[ivxl]{1,6}|N/A")
_LISTED = re.compile(r"(?:part|item|note)s?\s+[\divx]+|signatures|index", re.I)
_LONG = 150


def use_of(grid: CondensedGrid) -> Use:
    """What a table is used for.

    Data has two rows and two columns at least, and among the cells beside the labels two values or a fifth of
    them; or texts under a full row of column names. These only lay text out: one column or one row, bullets
    or numbers beside text, pages beside what is on them, signatures, boxes to tick, long texts.
    """
    if not grid.rows:
        return "nothing"
    if grid.width == 1:
        return "flow"
    cells = [cell for r in range(len(grid.rows)) for cell in grid.own(r)]
    if sum(len(cell.text) for cell in cells) > _LONG * len(cells):
        return "rows" if len(grid.rows) > 1 else "flow"
    if len(grid.rows) == 1 or _is_list(grid) or _is_contents(grid):
        return "rows"
    if any(_SIGNED.search(cell.text) for cell in cells):
        return "rows"
    return "data" if _has_values(cells, grid) or _has_names(grid) else "rows"


def _is_list(grid: CondensedGrid) -> bool:
    """Bullets or numbers in the first column, text in the only other one."""
    if grid.width != 2:
        return False
    signs = [line[0].text for line in grid.rows if line[0] is not None and line[0] is not line[1]]
    if not signs or not all(BULLET.fullmatch(sign) or _ENUMERATOR.fullmatch(sign) for sign in signs):
        return False
    return not any(line[1] is not None and is_value(line[1].text) for line in grid.rows)


def _is_contents(grid: CondensedGrid) -> bool:
    """Pages in the last column, never going back, beside links, items, or under the word Page."""
    last = [line[-1] for line in grid.rows if line[-1] is not None and line[-1] is not line[0]]
    pages = [cell.text for cell in last if _PAGE.fullmatch(cell.text)]
    headed = bool(last) and last[0].text.strip(". ").lower() in ("page", "page no", "page number", "pages")
    if len(pages) < 2 or len(pages) < len(last) - 1 - headed:
        return False
    numbers = [int(page) for page in pages if page.isdecimal()]
    if any(a > b for a, b in pairwise(numbers)):
        return False
    firsts = [line[0].text for line in grid.rows if line[0] is not None]
    listed = sum(1 for text in firsts if _LISTED.match(text))
    return headed or sum(cell.is_link for cell in last) * 2 > len(last) or listed * 2 > len(firsts)


def _has_values(cells: Sequence[GridCell], grid: CondensedGrid) -> bool:
    first = {id(line[0]) for line in grid.rows}
    beside = [cell.text for cell in cells if id(cell) not in first]
    values = sum(map(is_value, beside))
    return values * 5 >= len(beside) and (values >= 2 or 0 < len(beside) <= 2 * values)


def _has_names(grid: CondensedGrid) -> bool:
    """Texts under a full row of short names that differ, most places filled; ``th`` settles it."""
    head = grid.own(0)
    if all(cell.is_header for cell in head) and len(head) > 1:
        return True
    full = len(head) == grid.width and len({cell.text for cell in head}) == grid.width
    is_short = all(len(cell.text) <= 80 and not cell.text.startswith("(") for cell in head)
    filled = sum(cell is not None for line in grid.rows for cell in line)
    return full and is_short and len(grid.rows) > 2 and filled * 5 >= 4 * grid.width * len(grid.rows)


_UNIT = re.compile(
    r"\(.*\)|(?:\(|amounts\s+|dollars\s+|shares\s+|u\.s\.\s+)*in\s+(?:millions|thousands|billions).*", re.I
)
_SAME = 2.0  # points by which equal indentations may differ
_INDENT = "  "
_MOST_LEVELS = 15


def table_of_grid(grid: CondensedGrid) -> Table:
    """The table of a grid of at least two rows and two columns."""
    header_rows = header_depth(grid)
    grid = without_shifted_headers(grid, header_rows)
    levels = _levels([line[0] for line in grid.rows[header_rows:]])
    return Table(
        tuple([_row(grid, r, levels if r >= header_rows else {}) for r in range(len(grid.rows))]),
        header_rows=header_rows,
        header_columns=_label_columns(grid, header_rows),
    )


def header_depth(grid: CondensedGrid) -> int:
    """How many leading rows are the header: those of ``th``, else those above the first row with a value.

    Rows that only have a label, such as ``Assets:``, right above that row are the body's; years, dates and
    units (``(in millions)``) are the header's.
    """
    most = len(grid.rows) - 1
    marked = next((r for r in range(len(grid.rows)) if not all(cell.is_header for cell in grid.own(r))), 0)
    if marked:
        return min(marked, most)
    first = next((r for r, line in enumerate(grid.rows) if any(map(is_value, _beside(line)))), None)
    if first is None:
        return min(1, most)
    while first and not _beside(grid.rows[first - 1]) and not _is_unit(grid.rows[first - 1]):
        first -= 1
    return min(first, most)


def _beside(line: Sequence[GridCell | None]) -> list[str]:
    """The texts of a row beside its label."""
    return [cell.text for cell in line[1:] if cell is not None and cell is not line[0]]


def _is_unit(line: Sequence[GridCell | None]) -> bool:
    return line[0] is not None and bool(_UNIT.fullmatch(line[0].text))


def _label_columns(grid: CondensedGrid, header_rows: int) -> int:
    """Leading columns of labels: one beside values; more where labels cover rows or leave a blank."""
    body = grid.rows[header_rows:]
    if not any(is_value(text) for line in body for text in _beside(line)):
        return 0
    for c in range(grid.width - 1):
        texts = [cell.text for line in body if (cell := line[c]) is not None]
        if 2 * sum(map(is_value, texts)) >= len(texts) + bool(c):
            return c
        if not any(_goes_on(line, c) for line in body):
            return c + 1
    return grid.width - 1


def _goes_on(line: Sequence[GridCell | None], c: int) -> bool:
    """Whether a label in the next column belongs under the one in this: it covers rows, or is blank here."""
    cell, beside = line[c], line[c + 1]
    if beside is None or beside is cell or is_value(beside.text):
        return False
    return cell is None or cell.height > beside.height


def _levels(labels: Sequence[GridCell | None]) -> dict[float, int]:
    """The level of each offset among labels: 0 for the smallest, 1 for the next that differs, ..."""
    levels: dict[float, int] = {}
    level, last = -1, float("-inf")
    for offset in sorted({cell.offset for cell in labels if cell is not None}):
        if offset - last > _SAME:
            level, last = level + 1, offset
        levels[offset] = min(level, _MOST_LEVELS)
    return levels


def _row(grid: CondensedGrid, r: int, levels: dict[float, int]) -> tuple[Cell, ...]:
    line, cells = grid.rows[r], []
    for c, cell in enumerate(line):
        if cell is None:
            cells.append(Cell(""))
        elif (c == 0 or line[c - 1] is not cell) and (r == 0 or grid.rows[r - 1][c] is not cell):
            width = height = 1
            while c + width < len(line) and line[c + width] is cell:
                width += 1
            while height < cell.height and _reaches(grid, r + height, c, cell):
                height += 1
            indent = _INDENT * levels.get(cell.offset, 0) if c == 0 else ""
            cells.append(Cell(indent + cell.text, height, width))
    return tuple(cells)


def _reaches(grid: CondensedGrid, r: int, c: int, cell: GridCell) -> bool:
    return r < len(grid.rows) and grid.rows[r][c] is cell
