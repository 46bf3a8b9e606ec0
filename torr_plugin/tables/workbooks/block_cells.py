"""The cells of a table's block, as the detection of headers asks about them."""

from __future__ import annotations

from functools import cached_property

from .kinds import Kind
from .sheets import SheetCell, SheetGrid, SheetRange

_LOOKED_AT = 400  # rows of a table, from which kinds and styles are told


class BlockCells:
    """The cells of a table's block, each merged one in all of its places; rows and columns count from 0."""

    def __init__(self, grid: SheetGrid, area: SheetRange) -> None:
        self.height = min(area.bottom - area.top + 1, _LOOKED_AT)
        self.width = area.right - area.left + 1
        self.frozen = max(grid.frozen[0] - area.top + 1, 0), max(grid.frozen[1] - area.left + 1, 0)
        self.has_filter = any(each.top == area.top and each.meets(area) for each in grid.filters)
        seen = SheetRange(area.top, area.left, area.top + self.height - 1, area.right)
        self.merged = tuple(
            SheetRange(
                each.top - area.top, each.left - area.left, each.bottom - area.top, each.right - area.left
            )
            for each in grid.merged
            if each.meets(seen)
        )
        self._cells = [[grid.cells.get((r, c)) for c in area.columns] for r in seen.rows]
        self._fills = [
            [style.fill if (style := grid.styled.get((r, c))) else "" for c in area.columns]
            for r in seen.rows
        ]
        self.origins = [[(r, c) for c in range(self.width)] for r in range(self.height)]
        for each in self.merged:
            for r in range(max(each.top, 0), min(each.bottom + 1, self.height)):
                for c in range(max(each.left, 0), min(each.right + 1, self.width)):
                    self.origins[r][c] = (each.top, each.left)

    def at(self, r: int, c: int) -> SheetCell | None:
        """The cell that covers a place; None for a blank one."""
        row, column = self.origins[r][c]
        return self._cells[row][column] if row >= 0 <= column else None

    @cached_property
    def kinds(self) -> list[list[Kind]]:
        """The kind in each place."""
        return [
            [cell.kind if (cell := self.at(r, c)) else Kind.BLANK for c in range(self.width)]
            for r in range(self.height)
        ]

    def fill(self, r: int, c: int) -> str:
        """The fill of a place, also of a blank one."""
        cell = self.at(r, c)
        return (cell.style.fill if cell.style else "") if cell else self._fills[r][c]

    def distinct(self, r: int) -> int:
        """How many cells of a row have a text; a merged one counts once."""
        return len({self.origins[r][c] for c in range(self.width) if self.kinds[r][c] is not Kind.BLANK})

    def is_section(self, r: int) -> bool:
        """Whether a row's only text is in its first place."""
        return self.distinct(r) == 1 and self.kinds[r][0] is not Kind.BLANK

    @cached_property
    def numeric(self) -> tuple[int, ...]:
        """The columns that mostly hold numbers below the first row."""
        return tuple([c for c in range(self.width) if self._is_numeric(c)])

    def _is_numeric(self, c: int) -> bool:
        column = [self.kinds[r][c] for r in range(1, self.height)]
        filled = [kind for kind in column if kind is not Kind.BLANK]
        numbers = filled.count(Kind.NUMBER)
        return numbers > 0 and numbers + filled.count(Kind.MARK) >= 0.6 * len(filled)
