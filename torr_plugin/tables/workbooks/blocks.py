# ruff: noqa: RUF001 (signs of other scripts)
"""Split a sheet into the blocks of its tables, at blank rows and columns, with the lines of text around them.

The cuts are those of the recursive XY-cut (Nagy and Seth, ICPR 1984). Blocks are put together again where the
blanks only space out a table: below a header, between groups of rows, between columns without row labels of
their own. Lines of text at the ends of a block are its title and notes, and so are those above and below it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from ...core.errors import TableError
from .opening import MOST_PLACES
from .sheets import VALUES, Kind, SheetGrid, SheetRange

_MOST_CUTS = 12  # deep; a sheet of tables has three or four
_MOST_BLOCKS = 300  # beyond, a sheet is scattered cells, and taken as one block
_NEAR = 3  # rows between a table and a text that belongs to it
_CORNER = 3  # columns of row labels, over which a header may be blank
_MOST_LINES = 20  # at each end of a block
_LONG = 40  # letters; a text longer than this and alone in the last row is a note
_NOTE = re.compile(
    r"\s*(?:[(（\[*†‡#]*\s*(?:notes?|sources?|remarks?|footnotes?|备注|備註|附注|附註|注释|註釋|注|註|说明|說明"
    r"|资料来源|資料來源|数据来源|數據來源|来源|來源)\s*[\d)）\]]*\s*[:：.、)]|[*†‡]\s*\S|[a-z\d][)）]\s|[(（\[][a-z\d*]{1,3}[)）\]]\s*\S)",
    re.IGNORECASE,
)
_UNIT = re.compile(
    r"\s*[(（]?\s*(?:单位|單位|units?|in\s+(?:thousands|millions|billions|%)).{0,40}", re.IGNORECASE
)


@dataclass(frozen=True)
class Block:
    """A table's place on a sheet, with the lines of text around it.

    Attributes:
        area: where its cells are.
        above: texts above it, a title first; ``below`` those under it.
        header_rows: how many it has where the workbook declares them, else None.
    """

    area: SheetRange
    above: tuple[str, ...] = ()
    below: tuple[str, ...] = ()
    header_rows: int | None = None


def find_blocks(grid: SheetGrid, *, split: bool = True) -> tuple[list[Block], list[SheetRange]]:
    """The blocks of a sheet in reading order, and the texts that are near none of them.

    A sheet of lone lines has its largest as the one block, and an empty sheet none. Without ``split`` all
    that a sheet has is one block.

    Raises:
        TableError: a block covers more places than a table may have.
    """
    items = [grid.span(r, c) for r, c in sorted(grid.cells)]
    if not split and items:
        whole = SheetRange.around(items)
        check_size([whole])
        return [_without_lines(grid, Block(whole))], []
    blocks = [Block(area, header_rows=rows) for area, rows in grid.declared if any(map(area.meets, items))]
    rest = [item for item in items if not any(block.area.meets(item) for block in blocks)]
    pieces = _cut(rest, _MOST_CUTS)
    pieces = pieces if len(pieces) <= _MOST_BLOCKS else [SheetRange.around(rest)]
    check_size([*pieces, *(block.area for block in blocks)])
    pieces = _joined(grid, pieces)
    lines = [area for area in pieces if _is_line(grid, area)]
    blocks += [Block(area) for area in pieces if area not in lines]
    if not blocks and lines:
        largest = max(lines, key=lambda area: (len(_texts(grid, area)), -area.top))
        blocks, lines = [Block(largest)], [area for area in lines if area != largest]
    found, stray = _with_lines(grid, blocks, lines)
    return [_without_lines(grid, block) for block in found], stray


def check_size(areas: Sequence[SheetRange]) -> None:
    """Refuse areas that cover too much.

    Raises:
        TableError: they do.
    """
    places = sum(area.places for area in areas)
    if places > MOST_PLACES:
        raise TableError(f"the table covers {places} places; expected at most {MOST_PLACES}")


def _cut(items: Sequence[SheetRange], depth: int) -> list[SheetRange]:
    """The areas of items that blank rows or columns part, from the top down."""
    if not items:
        return []
    bands = _bands(items, lambda item: (item.top, item.bottom))
    if len(bands) == 1:
        bands = _bands(items, lambda item: (item.left, item.right))
    if len(bands) == 1 or depth == 0:
        return [SheetRange.around(items)]
    return [area for band in bands for area in _cut(band, depth - 1)]


def _bands(
    items: Sequence[SheetRange], span: Callable[[SheetRange], tuple[int, int]]
) -> list[list[SheetRange]]:
    """The items in groups between which no span reaches."""
    bands: list[list[SheetRange]] = []
    reach = 0
    for item in sorted(items, key=span):
        start, stop = span(item)
        if not bands or start > reach + 1:
            bands.append([])
        bands[-1].append(item)
        reach = max(reach, stop)
    return bands


def _joined(grid: SheetGrid, areas: Sequence[SheetRange]) -> list[SheetRange]:
    """The areas, those of one table put together."""
    found = list(areas)
    for continues in (_continues_right, _continues_below):
        merged: list[SheetRange] = []
        for area in found:
            before = next((i for i, each in enumerate(merged) if continues(grid, each, area)), None)
            if before is None:
                merged.append(area)
            else:
                merged[before] = SheetRange.around([merged[before], area])
        found = merged
    return found


def _continues_right(grid: SheetGrid, left: SheetRange, right: SheetRange) -> bool:
    """Whether a block beside another, of the same rows, begins with a column of values."""
    if not 2 <= right.left - left.right <= _NEAR or (left.top, left.bottom) != (right.top, right.bottom):
        return False
    kinds = [kind for r in right.rows if (kind := grid.kind(r, right.left)) is not Kind.BLANK]
    return 2 * sum(kind in VALUES for kind in kinds) > len(kinds) and not _is_line(grid, left)


def _continues_below(grid: SheetGrid, upper: SheetRange, lower: SheetRange) -> bool:
    """Whether a block under another is its body, or more rows of it: values without headers of their own."""
    is_near = upper.bottom < lower.top <= upper.bottom + 1 + _NEAR
    if not is_near or not upper.left - _CORNER <= lower.left <= lower.right <= upper.right:
        return False
    has_values = any(grid.kind(r, c) in VALUES for r in upper.rows for c in upper.columns)
    if (has_values and lower.left < upper.left) or len(_texts(grid, upper)) == 1 or _is_line(grid, lower):
        return False
    lines = ([grid.kind(r, c) for c in lower.columns[1:]] for r in lower.rows)
    first: list[Kind] = next((kinds for kinds in lines if set(kinds) - {Kind.BLANK}), [])
    return any(kind in VALUES for kind in first)


def _texts(grid: SheetGrid, area: SheetRange) -> list[str]:
    return [grid.cells[r, c].text for r in area.rows for c in area.columns if (r, c) in grid.cells]


def _is_line(grid: SheetGrid, area: SheetRange) -> bool:
    """Whether a block is up to three lines of text rather than a table: one text and no value in each row."""
    cells = [(r, c) for r in area.rows for c in area.columns if (r, c) in grid.cells]
    is_single = len(cells) == len({r for r, _ in cells}) <= 3
    return len(cells) == 1 or (is_single and all(grid.kind(r, c) is Kind.TEXT for r, c in cells))


def _with_lines(
    grid: SheetGrid, blocks: Sequence[Block], lines: Sequence[SheetRange]
) -> tuple[list[Block], list[SheetRange]]:
    """The blocks, each with the lines above and below it, and the lines that are near none.

    A line goes to the nearest table; from the table outwards, each brings the next one within reach.
    """
    found = sorted(blocks, key=lambda block: (block.area.top, block.area.left))
    reach = [(block.area.top, block.area.bottom) for block in found]
    stray: list[SheetRange] = []

    def distances(line: SheetRange) -> list[tuple[int, int]]:
        return [
            (max(top - line.bottom, line.top - bottom), i)
            for i, (top, bottom) in enumerate(reach)
            if line.left <= found[i].area.right and found[i].area.left <= line.right
        ]

    for line in sorted(lines, key=lambda line: min(distances(line), default=(0, 0))[0]):
        distance, i = min([each for each in distances(line) if each[0] > 0], default=(_NEAR + 1, 0))
        if distance > _NEAR:
            stray.append(line)
            continue
        block, texts = found[i], tuple(_texts(grid, line))
        if line.bottom < block.area.top:
            found[i] = replace(block, above=texts + block.above)
        else:
            found[i] = replace(block, below=block.below + texts)
        reach[i] = min(reach[i][0], line.top), max(reach[i][1], line.bottom)
    return found, stray


def _without_lines(grid: SheetGrid, block: Block) -> Block:
    """The block without the lines of text at its ends, which join those around it."""
    area, above, below = block.area, list(block.above), list(block.below)
    for _ in range(_MOST_LINES):
        texts = _leading_line(grid, area)
        if not texts:
            break
        above += texts
        bottom = max(span.bottom for _, span in grid.in_row(area, area.top))
        area = _trimmed(grid, replace(area, top=min(bottom, area.bottom - 1) + 1))
    for _ in range(_MOST_LINES):
        text = _trailing_line(grid, area)
        if text is None:
            break
        below.insert(0, text)
        area = _trimmed(grid, replace(area, bottom=area.bottom - 1))
    return replace(block, area=area, above=tuple(above), below=tuple(below))


def _leading_line(grid: SheetGrid, area: SheetRange) -> tuple[str, ...]:
    """The texts of the first row if it is a title or a remark: alone, or with a unit, over a fuller row."""
    placed = grid.in_row(area, area.top)
    texts = [cell.text for cell, _ in placed]
    if not placed or area.left == area.right or any(cell.kind is not Kind.TEXT for cell, _ in placed):
        return ()
    span = placed[0][1]
    below = 0
    for r in range(span.bottom + 1, min(span.bottom + 1 + _MOST_LINES, area.bottom + 1)):
        kinds = [cell.kind for cell, _ in grid.in_row(area, r)]
        below = max(below, len(kinds))
        if len(kinds) > 1 or (kinds and kinds[0] is not Kind.TEXT):
            break
    is_first = span.left == area.left and below > 1
    if len(texts) == 2 and is_first and area.right - area.left > 1 and _UNIT.fullmatch(texts[1]):
        return texts[0], texts[1]
    is_whole = span.left == area.left and span.right >= area.right
    is_line = is_whole or is_first or _UNIT.fullmatch(texts[0])
    return (texts[0],) if len(texts) == 1 and below and is_line else ()


def _trailing_line(grid: SheetGrid, area: SheetRange) -> str | None:
    """The text of the last row if it is a note: alone, and merged across, long, or named one."""
    placed = grid.in_row(area, area.bottom)
    if len(placed) != 1 or area.bottom - area.top < 2 or area.left == area.right:
        return None
    cell, span = placed[0]
    is_covered = any(each.top < area.bottom <= each.bottom and each.meets(area) for each in grid.merged)
    if span.left != area.left or is_covered or cell.kind is not Kind.TEXT:
        return None
    return cell.text if span.right >= area.right or len(cell.text) > _LONG or _NOTE.match(cell.text) else None


def _trimmed(grid: SheetGrid, area: SheetRange) -> SheetRange:
    """The area without blank rows and columns at its sides."""
    found = SheetRange.around(
        [grid.span(r, c) for r in area.rows for c in area.columns if (r, c) in grid.cells]
    )
    return replace(found, bottom=min(found.bottom, area.bottom), right=min(found.right, area.right))
