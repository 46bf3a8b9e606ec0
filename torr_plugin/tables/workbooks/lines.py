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
    r"|资料来源|資料來源|数据来源|數據來源|来源|來源)\s*[\d)）\]]*\s*[:：.、)]|[*†‡]\s*\S|[a-z\d][)）]\s|[(（\[][a-z\d*]{1,3}[)）\]]\s*\S)",
    re.IGNORECASE,
)
_UNIT = re.compile(
    r"\s*[(（]?\s*(?:单位|單位|units?|in\s+(?:thousands|millions|billions|%)).{0,40}", re.IGNORECASE
)


def without_lines(grid: SheetGrid, block: Block) -> Block:
    """The block without the lines of text at its ends, which join those around it."""
    area, above, below = block.area, list(block.above), list(block.below)
    for _ in range(_MOST_LINES):
        texts = _leading_line(grid, area)
        if not texts:
            break
        above += texts
        area = _trimmed(grid, replace(area, top=_after(grid, area)))
    for _ in range(_MOST_LINES):
        text = _trailing_line(grid, area)
        if text is None:
            break
        below.insert(0, text)
        area = _trimmed(grid, replace(area, bottom=area.bottom - 1))
    return replace(block, area=area, above=tuple(above), below=tuple(below))


def _after(grid: SheetGrid, area: SheetRange) -> int:
    """The first row below the cells of the first row."""
    spans = [span for _, span in _placed(grid, area, area.top)]
    return min(max(span.bottom for span in spans), area.bottom - 1) + 1


def _leading_line(grid: SheetGrid, area: SheetRange) -> tuple[str, ...]:
    """The texts of the first row if it is a title or a remark: alone, or with a unit, over a fuller row."""
    placed = _placed(grid, area, area.top)
    cells = [cell for cell, _ in placed]
    if not cells or area.left == area.right or any(cell.kind is not Kind.TEXT for cell in cells):
        return ()
    span = placed[0][1]
    below = _below_lines(grid, area, span.bottom)
    is_first = span.left == area.left and below > 1
    if len(cells) == 2 and is_first and area.right - area.left > 1 and _UNIT.fullmatch(cells[1].text):
        return cells[0].text, cells[1].text
    is_whole = span.left == area.left and span.right >= area.right
    is_line = is_whole or is_first or _UNIT.fullmatch(cells[0].text)
    return (cells[0].text,) if len(cells) == 1 and below and is_line else ()


def _below_lines(grid: SheetGrid, area: SheetRange, r: int) -> int:
    """How many cells the first row below a line has that is no blank row and no line itself."""
    seen = 0
    for below in range(r + 1, min(r + 1 + _MOST_LINES, area.bottom + 1)):
        cells = _cells(grid, area, below)
        seen = max(seen, len(cells))
        if len(cells) > 1 or (cells and cells[0][1].kind is not Kind.TEXT):
            break
    return seen


def _trailing_line(grid: SheetGrid, area: SheetRange) -> str | None:
    """The text of the last row if it is a note: alone, and merged across, long, or named one."""
    placed = _placed(grid, area, area.bottom)
    if len(placed) != 1 or area.bottom - area.top < 2 or area.left == area.right:
        return None
    cell, span = placed[0]
    if span.top < area.bottom or span.left != area.left or _is_covered(grid, area):
        return None
    is_whole = span.right >= area.right
    is_note = is_whole or len(cell.text) > _LONG or _NOTE.match(cell.text)
    return cell.text if is_note and cell.kind is Kind.TEXT else None


def _is_covered(grid: SheetGrid, area: SheetRange) -> bool:
    """Whether a cell from above reaches into the last row."""
    return any(each.top < area.bottom <= each.bottom and each.meets(area) for each in grid.merged)


def _placed(grid: SheetGrid, area: SheetRange, r: int) -> list[tuple[SheetCell, SheetRange]]:
    """The cells of a row, with their places."""
    return [(cell, grid.spans.get((r, c), SheetRange(r, c, r, c))) for c, cell in _cells(grid, area, r)]


def _cells(grid: SheetGrid, area: SheetRange, r: int) -> list[tuple[int, SheetCell]]:
    return [(c, cell) for c in area.columns if (cell := grid.cells.get((r, c)))]


def _trimmed(grid: SheetGrid, area: SheetRange) -> SheetRange:
    """The area without blank rows and columns at its sides."""
    found = [
        grid.spans.get((r, c), SheetRange(r, c, r, c))
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
