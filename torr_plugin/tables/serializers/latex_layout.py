r"""Lay out the cells of a LaTeX table in a rectangle.

LaTeX has an empty cell in every place that a cell of an earlier row covers. Where that cell is not empty, the
covering cell is cut above it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...core.errors import ParseError
from ..table import Cell
from .latex_text import Content
from .structure import most_places


@dataclass
class _Area:
    """A cell in its place."""

    row: int
    column: int
    height: int
    width: int
    text: str

    def holds(self, column: int, width: int) -> bool:
        return self.column <= column and column + width <= self.column + self.width


def lay(rows: Sequence[Sequence[Content]], name: str) -> tuple[tuple[Cell, ...], ...]:
    """The rows of a table, every place covered.

    Raises:
        ParseError: the cells cover too many places.
    """
    budget = _Budget(most_places(sum(map(len, rows))), name)
    lines = _placed(rows, budget)
    _lift(lines, budget)
    kept, covers = _covered(lines, budget)
    width = max(max(cover, default=-1) for cover in covers) + 1
    budget.check(width * len(rows))
    return tuple(_row(areas, cover, width) for areas, cover in zip(kept, covers, strict=True))


class _Budget:
    """Counts the places touched, and stops where they are too many."""

    def __init__(self, most: int, name: str) -> None:
        self.most, self.name, self.spent = most, name, 0

    def spend(self, places: int) -> None:
        self.spent += places
        self.check(self.spent)

    def check(self, places: int) -> None:
        if places > self.most:
            raise ParseError(f"{self.name}: the table covers more than {self.most} places")


def _placed(rows: Sequence[Sequence[Content]], budget: _Budget) -> list[list[_Area]]:
    lines = []
    for r, row in enumerate(rows):
        line, column = [], 0
        for cell in row:
            width = max(1, cell.colspan)
            budget.check(width)
            line.append(_Area(r, column, cell.rowspan or 1, width, cell.text))
            column += width
        budget.check(column)
        lines.append(line)
    return lines


def _lift(lines: list[list[_Area]], budget: _Budget) -> None:
    r"""Cells that reach upwards (``\multirow{-2}``) begin at their top, if the cells there are empty."""
    by_column: list[dict[int, _Area]] | None = None
    lifting = _Budget(budget.most, budget.name)
    for r, line in enumerate(lines):
        for area in line:
            if area.height >= 0:
                continue
            by_column = by_column or [{each.column: each for each in other} for other in lines]
            top, height = r + area.height + 1, -area.height
            area.height = 1
            if top < 0:
                continue
            lifting.spend(height)
            above = [by_column[i].get(area.column) for i in range(top, r)]
            if above and all(each and not each.text and each.width == area.width for each in above):
                first = by_column[top][area.column]
                first.text, first.height, area.text = area.text, height, ""


def _covered(lines: list[list[_Area]], budget: _Budget) -> tuple[list[list[_Area]], list[dict[int, _Area]]]:
    """The cells that are no placeholders, and which cell covers each column, row by row."""
    kept: list[list[_Area]] = []
    covers: list[dict[int, _Area]] = []
    open_: list[_Area] = []
    for r, line in enumerate(lines):
        above = {c: area for area in open_ for c in range(area.column, area.column + area.width)}
        cut = [area for cell in line for area in _hit(cell, above)]
        gone = set(map(id, cut))
        for area in cut:
            area.height = r - area.row
        open_ = [area for area in open_ if id(area) not in gone]
        cover = {c: area for c, area in above.items() if id(area) not in gone}
        own = [cell for cell in line if cell.column not in cover]
        for cell in own:
            cell.height = min(cell.height, len(lines) - r)
            budget.spend(cell.height * cell.width)
            cover.update(dict.fromkeys(range(cell.column, cell.column + cell.width), cell))
        open_ = [area for area in (*open_, *own) if area.row + area.height > r + 1]
        kept.append(own)
        covers.append(cover)
    return kept, covers


def _hit(cell: _Area, above: dict[int, _Area]) -> list[_Area]:
    """The cells from above that must end above this one."""
    under = {id(area): area for c in range(cell.column, cell.column + cell.width) if (area := above.get(c))}
    is_place_holder = not cell.text and cell.height == 1
    return [area for area in under.values() if not (is_place_holder and area.holds(cell.column, cell.width))]


def _row(areas: Sequence[_Area], cover: dict[int, _Area], width: int) -> tuple[Cell, ...]:
    cells = [(area.column, Cell(area.text, area.height, area.width)) for area in areas]
    if len(cover) < width:
        cells += [(c, Cell("")) for c in range(width) if c not in cover]
        cells.sort(key=lambda cell: cell[0])
    return tuple(cell for _, cell in cells)
