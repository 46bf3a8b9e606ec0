# ruff: noqa: RUF001 (signs of other scripts)
"""Lines of text in a table's block: a title and remarks in its first rows, notes in its last."""

from __future__ import annotations

import re
from dataclasses import replace

from .blocks import Block
from .kinds import Kind
from .sheets import SheetCell, SheetGrid, SheetRange

_MOST_LINES = 20  # at each end
_LONG = 40  # letters; a text longer than this and alone in the last row is a note
_NOTE = re.compile(
    r"\s*(?:[(（\[*†‡#]*\s*(?:notes?|sources?|remarks?|footnotes?|备注|備註|附注|附註|注释|註釋|注|註|说明|說明"
    r"|资料来源|資料來源|数据来源|數據來源|来源|來源)\s*[\d)）\]]*\s*[:：.、)]|[*†‡]\s*\S|[a-z\d][)）]\s|\(\d+\)\s\S{20})",
    re.IGNORECASE,
)
_UNIT = re.compile(
    r"\s*[(（]?\s*(?:单位|單位|units?|in\s+(?:thousands|millions|billions|%)).{0,40}", re.IGNORECASE
)


def without_lines(grid: SheetGrid, block: Block) -> Block:
    """The block without the lines of text at its ends, which join those around it."""
    area, above, below = block.area, list(block.above), list(block.below)
    for _ in range(_MOST_LINES):
        text = _leading_line(grid, area)
        if text is None:
            break
        above.append(text)
        area = _trimmed(grid, replace(area, top=_after(grid, area)))
    for _ in range(_MOST_LINES):
        text = _trailing_line(grid, area)
        if text is None:
            break
        below.insert(0, text)
        area = _trimmed(grid, replace(area, bottom=area.bottom - 1))
    return replace(block, area=area, above=tuple(above), below=tuple(below))


def _after(grid: SheetGrid, area: SheetRange) -> int:
    """The first row below the cell that is alone in the first row."""
    _, span = _alone(grid, area, area.top) or (None, area)
    return min(span.bottom, area.bottom - 1) + 1


def _leading_line(grid: SheetGrid, area: SheetRange) -> str | None:
    """The text of the first row if it is a title or a remark: alone, with a fuller row below."""
    alone = _alone(grid, area, area.top)
    if alone is None or area.top == area.bottom or area.left == area.right:
        return None
    cell, span = alone
    is_whole = span.left == area.left and span.right >= area.right
    is_first = span.left == area.left and len(_cells(grid, area, span.bottom + 1)) > 1
    if span.bottom >= area.bottom or cell.kind is not Kind.TEXT:
        return None
    return cell.text if is_whole or is_first or _UNIT.fullmatch(cell.text) else None


def _trailing_line(grid: SheetGrid, area: SheetRange) -> str | None:
    """The text of the last row if it is a note: alone, and merged across, long, or named one."""
    alone = _alone(grid, area, area.bottom)
    if alone is None or area.bottom - area.top < 2 or area.left == area.right:
        return None
    cell, span = alone
    if span.top < area.bottom or span.left != area.left or _is_covered(grid, area):
        return None
    is_whole = span.right >= area.right
    is_note = is_whole or len(cell.text) > _LONG or _NOTE.match(cell.text)
    return cell.text if is_note and cell.kind is Kind.TEXT else None


def _is_covered(grid: SheetGrid, area: SheetRange) -> bool:
    """Whether a cell from above reaches into the last row."""
    return any(each.top < area.bottom <= each.bottom and each.meets(area) for each in grid.merged)


def _alone(grid: SheetGrid, area: SheetRange, r: int) -> tuple[SheetCell, SheetRange] | None:
    """The only cell of a row, with its place."""
    cells = _cells(grid, area, r)
    if len(cells) != 1:
        return None
    c, cell = cells[0]
    span = next((each for each in grid.merged if (each.top, each.left) == (r, c)), SheetRange(r, c, r, c))
    return cell, span


def _cells(grid: SheetGrid, area: SheetRange, r: int) -> list[tuple[int, SheetCell]]:
    return [(c, cell) for c in area.columns if (cell := grid.cells.get((r, c)))]


def _trimmed(grid: SheetGrid, area: SheetRange) -> SheetRange:
    """The area without blank rows and columns at its sides."""
    spans = {(each.top, each.left): each for each in grid.merged}
    found = [
        spans.get((r, c), SheetRange(r, c, r, c))
        for r in area.rows
        for c in area.columns
        if (r, c) in grid.cells
    ]
    return SheetRange(
        min(each.top for each in found),
        min(each.left for each in found),
        max(min(each.bottom, area.bottom) for each in found),
        max(min(each.right, area.right) for each in found),
    )
