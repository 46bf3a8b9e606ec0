"""Where cells lie: each in the first free place of its row, as HTML lays them out."""

from __future__ import annotations

from hypothesis import given

from torr_plugin.tables import Cell, Table
from torr_plugin.testing import tables


def test_cells_take_the_first_free_places_of_their_rows() -> None:
    table = Table(
        ((Cell("a", 2), Cell("b"), Cell("c", 2, 2)), (Cell("d"),), (Cell("e", 1, 3), Cell("f"))),
        header_rows=0,
    )
    assert ["".join([cell.text for cell in line]) for line in table.grid] == ["abcc", "adcc", "eeef"]
    assert table.origins[1] == ((0, 0), (1, 1), (0, 2), (0, 2))


@given(table=tables())
def test_every_place_is_of_the_one_cell_that_reaches_it(table: Table) -> None:
    listed = 0
    for r, line in enumerate(table.grid):
        assert len(line) == table.n_columns
        for c, cell in enumerate(line):
            top, left = table.origins[r][c]
            assert table.grid[top][left] is cell
            assert (r - top < cell.rowspan, c - left < cell.colspan) == (True, True)
            listed += (top, left) == (r, c)
    assert listed == sum(map(len, table.rows))
    assert [[cell for _, cell in row] for row in table.placed_rows] == list(map(list, table.rows))
