"""Show some rows of a table: a part of its body in the original order, and a random order to draw it in.

In: a table, and the numbers of rows. Out: the table with the header and these rows alone.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from .header_tree import label_rows
from .perturbations.hierarchy import first_places, of_rows
from .table import Cell, Table

if TYPE_CHECKING:
    import numpy as np


def with_rows(table: Table, rows: Iterable[int]) -> Table:
    """The table with its header rows and some others, in their order.

    A merged cell reaches over as many rows as are left of those that it covered, and begins at the first of
    them.

    Args:
        table: the table.
        rows: numbers of rows, the header's counted; those of the header may be missing.

    Raises:
        TableError: no row is below the header.
    """
    kept = [*range(table.header_rows), *sorted({row for row in rows if row >= table.header_rows})]
    if len(kept) == table.n_rows:
        return table
    if not table.has_spans:
        return table.replace(rows=tuple([table.rows[row] for row in kept]))
    grid, places = table.grid, first_places([table.origins[row] for row in kept])
    return table.replace(
        rows=tuple([tuple([_shortened(grid[r][c], r, kept) for r, c in line]) for line in places])
    )


def _shortened(cell: Cell, start: int, kept: Sequence[int]) -> Cell:
    """A cell that began in row ``start``, over those of its rows that are kept."""
    left = bisect_left(kept, start + cell.rowspan) - bisect_left(kept, start)
    return cell if left == cell.rowspan else cell._replace(rowspan=left)


@dataclass(frozen=True)
class RowDraw:
    """The rows of a table's body in a random order; the first ones of it are a sample.

    A smaller sample is a part of a larger one. A row brings the labels that it stands under: the rows above
    it that say whose it is. A row that is nothing but a label is shown with rows below it alone.

    Attributes:
        table: the table.
        order: the numbers of the rows that are drawn, in the order of the draw.
    """

    table: Table
    order: tuple[int, ...]

    @classmethod
    def of(cls, table: Table, rng: np.random.Generator) -> RowDraw:
        """Draw an order."""
        body = range(table.header_rows, table.n_rows)
        labels = set() if table.is_flat else set(label_rows(table))
        drawn = [row for row in body if row not in labels] or [*body]
        return cls(table, tuple([drawn[at] for at in rng.permutation(len(drawn)).tolist()]))

    def first(self, count: int) -> Table:
        """The table with the first ``count`` rows of the draw, at least one, and the labels above them.

        All of them are the whole table, labels without rows included.
        """
        return with_rows(self.table, self.rows(count))

    def rows(self, count: int) -> Collection[int]:
        """The numbers of the rows below the header that :meth:`first` shows."""
        if count >= len(self.order):
            return range(self.table.header_rows, self.table.n_rows)
        drawn = self.order[:count]
        return {*drawn, *[label for row in drawn for label in self._above.get(row, ())]}

    @cached_property
    def _above(self) -> dict[int, list[int]]:
        """For each row the label rows that it stands under, where there are any."""
        above: dict[int, list[int]] = {}
        for start, stop in of_rows(self.table).headed:
            for row in range(start + 1, stop):
                above.setdefault(row, []).append(start)
        return above
