"""Make a table of a filing's grid: header rows, row labels with their indentation, merged cells."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ...table import Cell, Table
from .columns import CondensedGrid, without_shifted_headers
from .grids import GridCell
from .values import is_value

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
