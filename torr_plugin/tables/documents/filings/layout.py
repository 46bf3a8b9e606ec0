"""Tell tables of data from tables that only lay text out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Literal, TypeAlias

from .columns import CondensedGrid
from .grids import GridCell
from .values import is_value

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
