"""What every perturbation keeps."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from torr_plugin.tables import Cell, Table, perturbations
from torr_plugin.tables.perturbations.hierarchy import transposed
from torr_plugin.tables.perturbations.transpose import _grouped
from torr_plugin.testing import flat_tables, tables

NAMES = [
    "exchange_column_groups",
    "exchange_row_groups",
    "exchange_sub_tables",
    "insert_empty_rows",
    "insert_rows_between_groups",
    "none",
    "shuffle_cols",
    "shuffle_column_groups",
    "shuffle_row_groups",
    "shuffle_rows",
    "transpose",
]
seeds = st.integers(0, 2**32)


def perturbed(name: str, table: Table, seed: int = 0) -> Table:
    return perturbations.get(name).perturb(table, np.random.default_rng(seed))


def inked(table: Table) -> Counter[tuple[str, frozenset[int]]]:
    """Texts and the sizes of what they cover, blind to transposition; empty single cells left out."""
    return Counter(
        (cell.text, frozenset({cell.rowspan, cell.colspan}))
        for row in table.rows
        for cell in row
        if (cell.text, cell.rowspan, cell.colspan) != ("", 1, 1)
    )


def said(table: Table) -> Counter[str]:
    """Texts without white space around them (indentation is layout), empty ones left out."""
    return Counter(text for row in table.rows for cell in row if (text := cell.text.strip()))


def test_names() -> None:
    assert perturbations.names() == sorted([*NAMES, "nonsense"])
    assert all(
        perturbations.get(name).name == name and perturbations.get(name).keeps_content for name in NAMES
    )
    assert not perturbations.get("nonsense").keeps_content


@given(table=tables(), seed=seeds)
@settings(max_examples=40)
def test_same_cells_same_seed_same_result(table: Table, seed: int) -> None:
    before = repr(table)
    for name in NAMES:
        result = perturbed(name, table, seed)
        if name == "transpose" and any(path[1:] for path in table.row_tree.paths):
            # the label of a row group may come to cover its columns
            assert said(result) == said(table), name
        else:
            assert inked(result) == inked(table), name
        assert result == perturbed(name, table, seed), name
        assert (result.title, result.notes) == (table.title, table.notes), name
        assert repr(table) == before, name


def lines(table: Table) -> list[tuple[Cell, ...]]:
    return [tuple(line) for line in table.grid]


def columns(table: Table) -> list[tuple[Cell, ...]]:
    return list(zip(*table.grid, strict=True))


def assert_same_cells(result: Table, table: Table) -> None:
    assert Counter(cell for row in result.rows for cell in row) == Counter(
        cell for row in table.rows for cell in row
    )
    assert (result.header_rows, result.header_columns) == (table.header_rows, table.header_columns)


@given(table=tables(), seed=seeds)
@settings(max_examples=40)
def test_shuffles_move_whole_rows_and_columns_with_their_header_paths(table: Table, seed: int) -> None:
    result, depth = perturbed("shuffle_rows", table, seed), table.header_rows
    assert_same_cells(result, table)
    assert lines(result)[:depth] == lines(table)[:depth]
    assert Counter(lines(result)[depth:]) == Counter(lines(table)[depth:])
    result, depth = perturbed("shuffle_cols", table, seed), table.header_columns
    assert_same_cells(result, table)
    assert columns(result)[:depth] == columns(table)[:depth]
    pairs = Counter(zip(table.column_paths, columns(table), strict=True))
    assert Counter(zip(result.column_paths, columns(result), strict=True)) == pairs


@pytest.mark.full
@given(table=tables(), seed=seeds)
@settings(max_examples=40)
def test_transpose_is_its_own_inverse(table: Table, seed: int) -> None:
    once = perturbed("transpose", table, seed)
    # where labels stand above their rows the layout changes (tests/tables/test_hierarchical_perturbations.py)
    back_is_plain = _grouped(once, transposed(once)) is None
    assume(_grouped(table, transposed(table)) is None and back_is_plain)
    assert [[cell.text for cell in line] for line in once.grid] == [
        [cell.text for cell in line] for line in columns(table)
    ]
    assert (once.header_rows, once.header_columns) == (table.header_columns, table.header_rows)
    assert perturbed("transpose", once, seed) == table


@given(table=tables(), seed=seeds)
@settings(max_examples=40)
def test_insertion_adds_two_empty_rows(table: Table, seed: int) -> None:
    result = perturbed("insert_empty_rows", table, seed)
    empty = (Cell(""),) * table.n_columns
    assert result.n_rows == table.n_rows + 2
    assert result.header_rows == table.header_rows
    assert result.rows[: table.header_rows] == table.rows[: table.header_rows]
    assert result.rows.count(empty) == table.rows.count(empty) + 2
    assert [row for row in result.rows if row != empty] == [row for row in table.rows if row != empty]


@given(table=flat_tables(), seed=seeds)
def test_numbers_stay_numbers(table: Table, seed: int) -> None:
    for name in NAMES:
        result = perturbed(name, table, seed)
        kept = Counter(repr(cell.raw) for row in result.rows for cell in row if cell.raw != "")
        assert kept == Counter(repr(cell.raw) for row in table.rows for cell in row if cell.raw != "")


def test_rows_under_one_label_move_together_and_are_shuffled_within() -> None:
    rows = [(Cell("g"), Cell("x"))]
    for group in "ABC":
        rows += [(Cell(group, 3), Cell(f"{group}0")), (Cell(f"{group}1"),), (Cell(f"{group}2"),)]
    table = Table(tuple(rows))
    orders = set()
    for seed in range(40):
        texts = [line[1].text for line in perturbed("shuffle_rows", table, seed).body]
        assert [text[0] for text in texts] == sorted(
            [text[0] for text in texts], key=[*dict.fromkeys(t[0] for t in texts)].index
        )
        assert all(line[0].text == line[1].text[0] for line in perturbed("shuffle_rows", table, seed).body)
        orders.add(tuple(texts))
    assert len({tuple(order[::3][i][0] for i in range(3)) for order in orders}) > 3  # groups change places
    assert len({tuple(text[1] for text in order[:3]) for order in orders}) > 3  # and rows in them


def test_columns_stay_under_their_merged_header_at_every_depth() -> None:
    top = (Cell("who", 3), Cell("2019", 1, 4), Cell("2020", 1, 4))
    middle = tuple(Cell(f"{year}{half}", 1, 2) for year in "90" for half in "ab")
    low = tuple(Cell(f"{year}{half}{n}") for year in "90" for half in "ab" for n in "12")
    body = (Cell("x"), *(Cell(cell.text + "!") for cell in low))
    table = Table((top, middle, low, body), header_rows=3, header_columns=1)
    seen = set()
    for seed in range(60):
        result = perturbed("shuffle_cols", table, seed)
        assert result.column_paths[0] == ("who",)
        for path, cell in zip(result.column_paths[1:], result.body[0][1:], strict=True):
            assert path == ({"9": "2019", "0": "2020"}[cell.text[0]], cell.text[:2], cell.text[:3])
        seen.add(result)
    assert len(seen) > 20


def test_a_band_over_all_columns_does_not_bind_them() -> None:
    table = Table((tuple(map(Cell, "abc")), (Cell("band", 1, 3),), tuple(map(Cell, "123"))), header_columns=1)
    results = {perturbed("shuffle_cols", table, seed) for seed in range(20)}
    assert {result.column_paths for result in results} == {(("a",), ("b",), ("c",)), (("a",), ("c",), ("b",))}


def test_every_order_and_place_is_drawn() -> None:
    table = Table.flat(["a", "b", "c"], [["1", "", ""], ["2", "", ""], ["3", "", ""]])
    orders = {
        tuple(line[0].text for line in perturbed("shuffle_rows", table, seed).body) for seed in range(200)
    }
    assert len(orders) == 6
    assert len({perturbed("shuffle_cols", table, seed).column_paths for seed in range(200)}) == 6
    places = {
        tuple(line[0].text for line in perturbed("insert_empty_rows", table, seed).body)
        for seed in range(300)
    }
    assert len(places) == 10  # two alike among three others: 5 choose 2
