"""Samples of a table's rows: in order, merged cells over what is left, labels kept, smaller within larger."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from torr_plugin.core.errors import TableError
from torr_plugin.tables import Cell, Table, serializers
from torr_plugin.tables.header_tree import label_rows, walk
from torr_plugin.tables.row_samples import RowDraw, with_rows
from torr_plugin.testing import flat_tables, hierarchical_tables, tables

ANY = st.one_of(tables(max_rows=8), hierarchical_tables())
SEEDS = st.integers(0, 3)


def merged(table: Table, rows: list[int] | None = None) -> set[frozenset[tuple[int, int]]]:
    """The places of each cell, in some rows, which count from 0."""
    kept = list(range(table.n_rows)) if rows is None else rows
    found: dict[tuple[int, int], set[tuple[int, int]]] = {}
    for new, old in enumerate(kept):
        for column, origin in enumerate(table.origins[old]):
            found.setdefault(origin, set()).add((new, column))
    return set(map(frozenset, found.values()))


@pytest.mark.full
@settings(max_examples=50, deadline=None)
@given(table=ANY, data=st.data())
def test_a_part_has_the_rows_and_each_cell_covers_what_is_left_of_it(
    table: Table, data: st.DataObject
) -> None:
    rows = data.draw(st.sets(st.integers(table.header_rows, table.n_rows - 1), min_size=1))
    found = with_rows(table, rows)  # a table refuses cells that do not fill a rectangle
    kept = [*range(table.header_rows), *sorted(rows)]
    assert [[cell.raw for cell in line] for line in found.grid] == [
        [cell.raw for cell in table.grid[row]] for row in kept
    ]
    assert merged(found) == merged(table, kept)
    assert found.replace(rows=table.rows) == table  # header, title and notes stay
    json = serializers.get("json")
    assert json.parse(json.serialize(found)).texts_only == found.texts_only
    assert with_rows(found, range(found.n_rows)) is found


def test_cells_keep_numbers_and_styles_and_a_part_needs_a_row() -> None:
    table = Table(((Cell("a"), Cell("b")), (Cell("x", 3), Cell.of(1)), (Cell.of(2),), (Cell.of(3),)))
    found = with_rows(table, [3, 2])
    assert found.rows == ((Cell("a"), Cell("b")), (Cell("x", 2), Cell.of(2)), (Cell.of(3),))
    with pytest.raises(TableError, match="no rows below its 1 header row"):
        with_rows(table, [0])


@pytest.mark.full
@settings(max_examples=50, deadline=None)
@given(
    table=hierarchical_tables(labels=st.integers(0, 10**6).map(lambda number: f"label {number}")),
    seed=SEEDS,
    count=st.integers(1, 12),
)
def test_sampled_rows_stand_under_the_labels_that_they_stood_under(
    table: Table, seed: int, count: int
) -> None:
    draw = RowDraw.of(table, np.random.default_rng(seed))
    shown = draw.first(count)
    before = {(path, *values(table, leaf.start)) for path, leaf in walk(table.row_tree.roots)}
    after = [(path, *values(shown, leaf.start)) for path, leaf in walk(shown.row_tree.roots)]
    assert before.issuperset(after)
    lines = [tuple(cell.text for cell in line) for line in shown.body]
    for row in draw.order[:count]:
        assert tuple(cell.text for cell in table.grid[row]) in lines
    if count < len(draw.order):  # a label is shown with a row below it alone
        assert all(row + 1 < shown.n_rows for row in label_rows(shown))
        assert len(lines) <= count + sum(len(path) for path, *_ in after)


def values(table: Table, row: int) -> list[str]:
    return [cell.text for cell in table.grid[row][table.header_columns :]]


@settings(max_examples=30, deadline=None)
@given(table=st.one_of(ANY, flat_tables(max_rows=9)), seed=SEEDS)
def test_draws_are_the_same_again_and_smaller_ones_are_part_of_larger(table: Table, seed: int) -> None:
    draw, again = (RowDraw.of(table, np.random.default_rng(seed)) for _ in range(2))
    assert draw == again
    samples = [draw.first(count) for count in range(1, len(draw.order) + 2)]
    assert samples[-1] is table
    heights = [each.n_rows for each in samples]
    assert heights == sorted(heights)
    for small, large in pairwise(samples):
        left = iter([[cell.raw for cell in line] for line in large.body])
        assert all([cell.raw for cell in line] in left for line in small.body)  # in order


def test_every_row_is_as_likely() -> None:
    table = Table.flat(["n"], [[str(n)] for n in range(8)])
    counts = dict.fromkeys(map(str, range(8)), 0)
    for seed in range(800):
        for line in RowDraw.of(table, np.random.default_rng(seed)).first(2).body:
            counts[line[0].text] += 1
    assert min(counts.values()) > 150  # of 200
    assert max(counts.values()) < 250


def test_a_table_of_labels_alone_is_sampled_too() -> None:
    table = Table(((Cell("a"), Cell("b")), *[(Cell(text), Cell("")) for text in "xyz"]), header_columns=1)
    assert len(RowDraw.of(table, np.random.default_rng(0)).first(1).body) == 1
