"""Tables of filings: what filers split over cells is joined, space dropped, headers and levels found.

A number is often three cells: ``$``, ``(41``, ``)``; and columns stand apart by empty columns. Signs are
joined to their numbers first. A column is then dropped if all it shows is shown by a neighbour, so that a
header over ``$``, number and ``)`` covers one column afterwards, and one over two years and the space between
them two. Tables that only lay text out are told from tables of data.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal, TypeAlias

from ..table import Cell, Table
from .filing_cells import BULLET, GridCell, is_value, joins_after, joins_before

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
