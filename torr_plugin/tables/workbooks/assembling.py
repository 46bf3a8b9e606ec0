"""From the cells of a sheet to the value of a table."""

from __future__ import annotations

from ...core.errors import TableError
from ..serializers.structure import Area, Structure, assemble
from ..table import Cell, CellStyle, Table
from .sheets import SheetGrid, SheetRange

_MOST_LETTERS = 20_000_000  # of a table; one text can be in many cells
_BLANK = Cell("")


def assembled(
    grid: SheetGrid, area: SheetRange, structure: Structure, where: str, *, exact: bool = False
) -> Table:
    """The table of an area's cells; ``exact`` where its texts keep the spaces in front as they are.

    Raises:
        TableError: the texts are too long together, or a table that cannot be.
    """
    body = area.top + structure.header_rows
    lines, letters = [], 0
    for r in area.rows:
        line = []
        for c in area.columns:
            cell = grid.cells.get((r, c))
            is_label = c == area.left and structure.header_columns > 0 and r >= body
            shown = cell.as_cell(indented=is_label, widened=not exact) if cell else None
            line.append(shown or _blank(grid.styled.get((r, c))))
            letters += len(line[-1].text)
        lines.append(line)
    if letters > _MOST_LETTERS:
        raise TableError(f"{where}: the table has {letters} characters; expected at most {_MOST_LETTERS}")
    structure.merged = _merged(grid, area)
    return assemble(lines, structure, where)


def _blank(style: CellStyle | None) -> Cell:
    return Cell("", style=style) if style else _BLANK


def _merged(grid: SheetGrid, area: SheetRange) -> tuple[Area, ...]:
    """The merged cells that begin inside an area, as areas of it."""
    return tuple(
        (
            each.top - area.top,
            each.left - area.left,
            min(each.bottom, area.bottom) - each.top + 1,
            min(each.right, area.right) - each.left + 1,
        )
        for each in grid.merged
        if each.top in area.rows and each.left in area.columns
    )
