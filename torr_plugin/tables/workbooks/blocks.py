"""Split a sheet into the blocks of its tables, at blank rows and columns.

The cuts are those of the recursive XY-cut (Nagy and Seth, ICPR 1984). Blocks are put together again where the
blanks only space out a table: below a header, between groups of rows, between columns without row labels of
their own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from ...core.errors import TableError
from ._archive import MOST_PLACES
from .kinds import Kind
from .sheets import SheetGrid, SheetRange

_MOST_CUTS = 12  # deep; a sheet of tables has three or four
_MOST_BLOCKS = 300  # beyond, a sheet is scattered cells, and taken as one block
_NEAR = 3  # rows between a table and a text that belongs to it
_CORNER = 3  # columns of row labels, over which a header may be blank
_VALUES = (Kind.NUMBER, Kind.MARK)


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

    Lines of text belong to the table they are next to.

    A sheet of lone lines has its largest as the one block, and an empty sheet none. Without ``split`` all
    that a sheet has is one block.

    Raises:
        TableError: a block covers more places than a table may have.
    """
    items = _items(grid)
    if not split and items:
        whole = _around(items)
        check_size([whole])
        return [Block(whole)], []
    listed = [Block(area, header_rows=rows) for area, rows in grid.listed if _any_meets(area, items)]
    rest = [item for item in items if not any(block.area.meets(item) for block in listed)]
    pieces = _cut(rest, _MOST_CUTS)
    if len(pieces) > _MOST_BLOCKS:
        pieces = [_around(rest)]
    check_size([*pieces, *(block.area for block in listed)])
    pieces = _joined(grid, pieces)
    lines = [area for area in pieces if _is_line(grid, area)]
    blocks = [Block(area) for area in pieces if area not in lines] + listed
    if not blocks and lines:
        largest = max(lines, key=lambda area: (len(_texts(grid, area)), -area.top))
        blocks, lines = [Block(largest)], [area for area in lines if area != largest]
    return _with_lines(grid, blocks, lines)


def check_size(areas: Sequence[SheetRange]) -> None:
    """Refuse areas that cover too much.

    Raises:
        TableError: they do.
    """
    places = sum(area.places for area in areas)
    if places > MOST_PLACES:
        raise TableError(f"the table covers {places} places; expected at most {MOST_PLACES}")


def _any_meets(area: SheetRange, items: Sequence[SheetRange]) -> bool:
    return any(area.meets(item) for item in items)


def _items(grid: SheetGrid) -> list[SheetRange]:
    """The places of all cells with a text, merged ones whole."""
    return [grid.spans.get((r, c)) or SheetRange(r, c, r, c) for r, c in sorted(grid.cells)]


def _cut(items: Sequence[SheetRange], depth: int) -> list[SheetRange]:
    """The areas of items that blank rows or columns part, from the top down."""
    if not items:
        return []
    bands = _bands(items, lambda item: (item.top, item.bottom))
    if len(bands) == 1:
        bands = _bands(items, lambda item: (item.left, item.right))
    if len(bands) == 1 or depth == 0:
        return [_around(items)]
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


def _around(items: Sequence[SheetRange]) -> SheetRange:
    return SheetRange(
        min(each.top for each in items),
        min(each.left for each in items),
        max(each.bottom for each in items),
        max(each.right for each in items),
    )


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
                merged[before] = merged[before].around(area)
        found = merged
    return found


def _continues_right(grid: SheetGrid, left: SheetRange, right: SheetRange) -> bool:
    """Whether a block beside another, of the same rows, begins with a column of values."""
    if not 2 <= right.left - left.right <= _NEAR or (left.top, left.bottom) != (right.top, right.bottom):
        return False
    kinds = [kind for r in right.rows if (kind := grid.kind(r, right.left)) is not Kind.BLANK]
    return 2 * sum(kind in _VALUES for kind in kinds) > len(kinds) and not _is_line(grid, left)


def _continues_below(grid: SheetGrid, upper: SheetRange, lower: SheetRange) -> bool:
    """Whether a block under another is its body, or more rows of it: values without headers of their own."""
    is_near = upper.bottom < lower.top <= upper.bottom + 1 + _NEAR
    if not is_near or not upper.left - _CORNER <= lower.left <= lower.right <= upper.right:
        return False
    has_values = any(grid.kind(r, c) in _VALUES for r in upper.rows for c in upper.columns)
    if (has_values and lower.left < upper.left) or len(_texts(grid, upper)) == 1 or _is_line(grid, lower):
        return False
    first = next(filter(None, (_kinds_beside_label(grid, lower, r) for r in lower.rows)), [])
    return any(kind in _VALUES for kind in first)


def _kinds_beside_label(grid: SheetGrid, area: SheetRange, r: int) -> list[Kind]:
    kinds = [grid.kind(r, c) for c in area.columns if c > area.left]
    return [kind for kind in kinds if kind is not Kind.BLANK]


def _texts(grid: SheetGrid, area: SheetRange) -> list[str]:
    return [grid.cells[r, c].text for r in area.rows for c in area.columns if (r, c) in grid.cells]


def _is_line(grid: SheetGrid, area: SheetRange) -> bool:
    """Whether a block is up to three lines of text rather than a table: one text and no value in each row."""
    cells = [(r, c) for r in area.rows for c in area.columns if (r, c) in grid.cells]
    is_single = len(cells) == len({r for r, _ in cells})
    return len(cells) == 1 or (
        is_single and len(cells) <= 3 and all(grid.kind(r, c) is Kind.TEXT for r, c in cells)
    )


def _with_lines(
    grid: SheetGrid, blocks: Sequence[Block], lines: Sequence[SheetRange]
) -> tuple[list[Block], list[SheetRange]]:
    """The blocks, each with the lines above and below it, and the lines that are near none.

    A line goes to the nearer of two tables. From the table outwards, so that each line brings the next one
    within reach.
    """
    found = sorted(blocks, key=lambda block: (block.area.top, block.area.left))
    stray: list[SheetRange] = []
    reach = {id(block.area): (block.area.top, block.area.bottom) for block in found}
    ordered = sorted(lines, key=lambda line: min((_distance(line, block.area) for block in found), default=0))
    for line in ordered:
        near = [
            (distance, i)
            for i, block in enumerate(found)
            if 0 < (distance := _distance(line, block.area, *reach[id(block.area)])) <= _NEAR
        ]
        if not near:
            stray.append(line)
            continue
        _, i = min(near)
        block, texts = found[i], tuple(_texts(grid, line))
        top, bottom = reach[id(block.area)]
        if line.bottom < block.area.top:
            found[i] = replace(block, above=texts + block.above)
        else:
            found[i] = replace(block, below=block.below + texts)
        reach[id(block.area)] = min(top, line.top), max(bottom, line.bottom)
    return found, stray


def _distance(line: SheetRange, area: SheetRange, top: int | None = None, bottom: int | None = None) -> int:
    """The rows from an area, which reaches from ``top`` to ``bottom`` by now, to a line over or under it."""
    if line.left > area.right or area.left > line.right:
        return 2 * MOST_PLACES
    return max((area.top if top is None else top) - line.bottom, line.top - (bottom or area.bottom))
