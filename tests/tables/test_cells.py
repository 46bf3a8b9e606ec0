"""Where cells come to lie, beside the plainest way to find out: a place after the other in one dictionary."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from torr_plugin.tables import Cell, Table, TableError
from torr_plugin.tables.table import lay_out
from torr_plugin.testing import tables

CELLS = st.builds(Cell, st.sampled_from("abc"), st.integers(0, 3), st.integers(0, 3))
ONES = st.builds(Cell, st.sampled_from("abc"))
ROWS = st.lists(st.lists(CELLS | ONES | ONES, max_size=4), min_size=1, max_size=5)


def plainly(rows: Sequence[Sequence[Cell]]) -> dict[tuple[int, int], tuple[Cell, tuple[int, int]]]:
    """For every place of the rectangle its cell and where that begins."""
    found: dict[tuple[int, int], tuple[Cell, tuple[int, int]]] = {}
    for r, row in enumerate(rows):
        c = 0
        for cell in row:
            while (r, c) in found:
                c += 1
            _cover(found, cell, (r, c), len(rows))
            c += cell.colspan
    columns = [[c for row, c in found if row == r] for r in range(len(rows))]
    width = max(max(line, default=-1) + 1 for line in columns)
    for r, line in enumerate(columns):
        if len(line) != width:
            raise TableError(
                f"row {r} of the table covers {len(line)} columns, expected {width} as in the widest row"
            )
    return found


def _cover(
    found: dict[tuple[int, int], tuple[Cell, tuple[int, int]]], cell: Cell, at: tuple[int, int], height: int
) -> None:
    r, c = at
    if cell.rowspan < 1 or cell.colspan < 1:
        raise TableError(
            f"cell {cell.text!r} in row {r} has a span below 1 ({cell.rowspan} x {cell.colspan})"
        )
    if r + cell.rowspan > height:
        raise TableError(
            f"cell {cell.text!r} in row {r} spans {cell.rowspan} rows, but only {height - r} are left"
        )
    for i in range(r, r + cell.rowspan):
        for j in range(c, c + cell.colspan):
            if (i, j) in found:
                raise TableError(
                    f"cell {cell.text!r} in row {r} overlaps cell {found[i, j][0].text!r} at column {j}"
                )
            found[i, j] = cell, at


def outcome(rows: list[list[Cell]], lay: Callable[[Any], Any]) -> Any:
    """The rectangle as a dictionary, or why there is none."""
    try:
        return lay([tuple(row) for row in rows])
    except TableError as refusal:
        return str(refusal)


def placed(rows: Sequence[tuple[Cell, ...]]) -> dict[tuple[int, int], tuple[Cell, tuple[int, int]]]:
    found = lay_out(rows)
    return {
        (r, c): (cell, found.origins[r][c])
        for r, line in enumerate(found.grid)
        for c, cell in enumerate(line)
    }


@settings(max_examples=200)
@given(rows=ROWS)
def test_any_cells_lie_or_are_refused_as_a_place_after_the_other(rows: list[list[Cell]]) -> None:
    assert outcome(rows, placed) == outcome(rows, plainly)


@given(table=tables())
def test_a_table_has_its_own_cells_where_they_lie(table: Table) -> None:
    found, expected = placed(table.rows), plainly(table.rows)
    assert found == expected
    assert all(found[at][0] is cell for at, (cell, _) in expected.items())
    assert table.grid == tuple(
        tuple(found[r, c][0] for c in range(table.n_columns)) for r in range(table.n_rows)
    )
