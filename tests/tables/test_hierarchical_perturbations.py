"""Perturbations of tables with header trees: no value loses its labels, no child its parent."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from torr_plugin.tables import Cell, Table, perturbations, readers
from torr_plugin.tables.header_tree import HeaderNode, column_tree, label_rows, row_tree
from torr_plugin.testing import flat_tables, hierarchical_tables

MOVES = ["shuffle_cols", "shuffle_column_groups", "shuffle_row_groups", "shuffle_rows"]
EXCHANGES = ["exchange_column_groups", "exchange_row_groups", "exchange_sub_tables"]
seeds = st.integers(0, 2**32)

Triple = tuple[tuple[str, ...], tuple[str, ...], str]


def perturbed(name: str, table: Table, seed: int = 0) -> Table:
    return perturbations.get(name).perturb(table, np.random.default_rng(seed))


def by_line(
    tree_leaves: tuple[HeaderNode, ...], paths: tuple[tuple[str, ...], ...]
) -> dict[int, tuple[str, ...]]:
    return {
        line: path
        for leaf, path in zip(tree_leaves, paths, strict=True)
        for line in range(leaf.start, leaf.stop)
    }


def triples(table: Table) -> Counter[Triple]:
    """Row path, column path and value of every value."""
    rows, columns = row_tree(table), column_tree(table)
    row_paths, column_paths = by_line(rows.leaves, rows.paths), by_line(columns.leaves, columns.paths)
    return Counter(
        (row_paths[r], column_paths[c], table.grid[r][c].text)
        for r in range(table.header_rows, table.n_rows)
        if r not in label_rows(table)
        for c in range(table.header_columns, table.n_columns)
        if table.grid[r][c].text
    )


def edges(roots: tuple[HeaderNode, ...]) -> Counter[tuple[str, str]]:
    """Every parent with every one of its children."""

    def walk(node: HeaderNode) -> Iterator[tuple[str, str]]:
        for child in node.children:
            yield node.label, child.label
            yield from walk(child)

    return Counter(edge for root in roots for edge in walk(root))


@given(table=hierarchical_tables(), seed=seeds)
def test_every_value_keeps_its_labels_and_every_child_its_parent(table: Table, seed: int) -> None:
    for name in (*MOVES, *EXCHANGES, "insert_rows_between_groups"):
        result = perturbed(name, table, seed)
        assert triples(result) == triples(table), name
        assert edges(row_tree(result).roots) >= edges(row_tree(table).roots), name
        assert edges(column_tree(result).roots) == edges(column_tree(table).roots), name


@given(table=hierarchical_tables(layouts=("plain", "new")), seed=seeds)
def test_transposition_exchanges_the_trees(table: Table, seed: int) -> None:
    turned = perturbed("transpose", table, seed)
    assert column_tree(turned) == row_tree(table)
    assert row_tree(turned) == column_tree(table)
    assert perturbed("transpose", turned, seed) == table


@given(table=hierarchical_tables(), seed=seeds)
def test_transposition_keeps_the_labels_of_every_value_in_any_layout(table: Table, seed: int) -> None:
    turned = perturbed("transpose", table, seed)
    expected = Counter({(c, r, value): n for (r, c, value), n in triples(table).items()})
    assert triples(turned) == expected
    assert triples(perturbed("transpose", turned, seed)) == triples(table)


def test_a_label_above_its_rows_becomes_a_header_over_its_columns() -> None:
    turned = perturbed("transpose", indented())
    assert [[cell.text for cell in row] for row in turned.rows] == [
        ["", "Sum", "A", "B"],
        ["", "1", "2", "3", "", "1", "2", "3"],
        ["v", "0", "A", "A1", "A2", "A3", "B", "B1", "B2", "B3"],
    ]
    assert [cell.colspan for cell in turned.rows[0]] == [1, 1, 4, 4]
    turned = perturbed("transpose", labelled())
    assert [[cell.text for cell in row] for row in turned.rows] == [
        ["k", "-", "A", "B"],
        ["1", "2", "3", "1", "2", "3"],
        ["v", "0", "A1", "A2", "A3", "B1", "B2", "B3"],
    ]


def test_indents_by_spaces_become_header_levels() -> None:
    table = Table.flat(["k", "v"], [["A", "a"], ["  x", "ax"], ["    y", "ay"], ["B", "b"]])
    turned = perturbed("transpose", table.replace(header_columns=1))
    assert column_tree(turned).paths == (("A",), ("A", "x"), ("A", "x", "y"), ("B",))
    assert [row[-1].text for row in perturbed("transpose", turned).body] == ["a", "ax", "ay", "b"]


def roots(
    nodes: tuple[HeaderNode, ...], lines: list[tuple[Cell, ...]]
) -> Counter[tuple[str, tuple[tuple[Cell, ...], ...]]]:
    return Counter((node.label, tuple(lines[node.start : node.stop])) for node in nodes)


@given(table=hierarchical_tables(), seed=seeds)
def test_groups_move_whole_with_their_lines_in_order(table: Table, seed: int) -> None:
    columns = [tuple(line) for line in zip(*table.grid, strict=True)]
    result = perturbed("shuffle_column_groups", table, seed)
    tree, after = column_tree(table), column_tree(result)
    if len(tree.roots) > 1:
        assert roots(after.roots, list(zip(*result.grid, strict=True))) == roots(tree.roots, columns)
    result = perturbed("shuffle_row_groups", table, seed)
    tree, after = row_tree(table), row_tree(result)
    if len(tree.roots) > 1:
        assert roots(after.roots, list(result.grid)) == roots(tree.roots, list(table.grid))


@given(table=hierarchical_tables(), seed=seeds)
def test_empty_rows_stand_between_groups_alone(table: Table, seed: int) -> None:
    result = perturbed("insert_rows_between_groups", table, seed)
    empty = [r for r, row in enumerate(result.rows) if row and all(cell == Cell("") for cell in row)]
    assert [row for r, row in enumerate(result.rows) if r not in empty] == list(table.rows)
    begins = {node.start for node in row_tree(table).roots}
    assert {r - number for number, r in enumerate(empty)} <= begins - {table.header_rows}
    assert perturbed("insert_rows_between_groups", table, seed + 1) == result


def test_a_cell_from_the_header_to_the_last_row_is_not_cut_by_an_empty_row() -> None:
    head = (Cell("k"), Cell("all", 5))
    table = Table((head, (Cell("A", 2),), (), (Cell("B", 2),), ()))
    assert perturbed("insert_rows_between_groups", table) == table


@given(table=flat_tables(), seed=seeds)
@settings(max_examples=30)
def test_a_flat_table_has_no_groups(table: Table, seed: int) -> None:
    assert perturbed("insert_rows_between_groups", table, seed) is table
    assert perturbed("exchange_sub_tables", table, seed) is table
    assert perturbed("shuffle_row_groups", table, seed) == perturbed("shuffle_rows", table, seed)
    assert perturbed("shuffle_column_groups", table, seed) == perturbed("shuffle_cols", table, seed)


def indented() -> Table:
    head = (Cell("", 1, 2), Cell("v"))
    rows = [(Cell("Sum"), Cell(""), Cell("0"))]
    for group in "AB":
        rows += [(Cell(group, 1, 2), Cell(group)), *[(Cell(""), Cell(n), Cell(group + n)) for n in "123"]]
    return Table((head, *rows), header_columns=2)


def labelled() -> Table:
    rows = [tuple(map(Cell, row)) for row in ("-0",)]
    for group in "AB":
        rows += [(Cell(group, 1, 2),), *[(Cell(n), Cell(group + n)) for n in "123"]]
    return Table(((Cell("k"), Cell("v")), *rows), header_columns=1)


@pytest.mark.parametrize("table", [indented(), labelled()], ids=["indented", "labelled"])
def test_children_are_shuffled_under_their_label(table: Table) -> None:
    orders = set()
    for seed in range(60):
        values = [row[-1].text for row in perturbed("shuffle_rows", table, seed).body]
        below = [value for value in values if len(value) > 1]
        assert {tuple(sorted(below[i : i + 3])) for i in (0, 3)} == {("A1", "A2", "A3"), ("B1", "B2", "B3")}
        orders.add(tuple(below))
    assert {order[0][0] for order in orders} == {"A", "B"}
    assert len({order[:3] for order in orders}) == 12


def test_a_row_without_a_label_never_comes_to_stand_under_one() -> None:
    results = {perturbed("shuffle_rows", labelled(), seed).body[0][1].text for seed in range(40)}
    assert results == {"0"}


def test_rows_with_a_blank_label_stay_below_what_they_go_on_from() -> None:
    rows = [["A", "a"], [" ", "a2"], ["B", "b"], ["\u00a0", "b2"], ["", "b3"], ["C", "c"]]
    table = Table.flat(["k", "v"], rows).replace(header_columns=1)
    for name in ("shuffle_rows", "shuffle_row_groups", "insert_empty_rows"):
        seen = set()
        for seed in range(40):
            seen.add("".join(row[1].text or "." for row in perturbed(name, table, seed).body))
        assert all("aa2" in order and ("bb2b3" in order or "bb3b2" in order) for order in seen)
        assert len(seen) > 3


def test_rows_without_any_label_are_free() -> None:
    table = Table.flat(["k", "v"], [["", value] for value in "abc"]).replace(header_columns=1)
    assert len({perturbed("shuffle_rows", table, seed) for seed in range(60)}) == 6


def test_rows_indented_by_spaces_stay_under_theirs() -> None:
    table = Table.flat(["k", "v"], [["A", "a"], ["  x", "ax"], ["  y", "ay"], ["B", "b"], ["  z", "bz"]])
    table = table.replace(header_columns=1)
    seen = set()
    for seed in range(40):
        result = perturbed("shuffle_rows", table, seed)
        assert triples(result) == triples(table)
        seen.add(tuple(row[1].text for row in result.body))
    assert seen == {
        *[("a", *two, "b", "bz") for two in (("ax", "ay"), ("ay", "ax"))],
        *[("b", "bz", "a", *two) for two in (("ax", "ay"), ("ay", "ax"))],
    }


def test_an_empty_row_between_each_two_groups() -> None:
    result = perturbed("insert_rows_between_groups", labelled())
    assert ["".join(dict.fromkeys(cell.text for cell in row)) for row in result.body] == [
        *("-0", "", "A", "1A1", "2A2", "3A3", "", "B", "1B1", "2B2", "3B3"),
    ]


@pytest.mark.full
def test_on_real_tables(shared_data: Path) -> None:
    import pyarrow.parquet as pq

    rows = pq.read_table(
        shared_data / "hctqa" / "real.parquet", columns=["table_id", "table_csv"]
    ).to_pylist()
    texts = sorted({row["table_id"]: row["table_csv"] for row in rows}.items())[::12]
    assert len(texts) == 157
    torn = [
        (table_id, name)
        for table_id, text in texts
        if not (table := readers.get("hctqa_csv")(text)).is_flat
        for name in (*MOVES, *EXCHANGES)
        if is_torn(name, table)
    ]
    assert torn == []


def is_torn(name: str, table: Table) -> bool:
    # only header columns say what a row's first cell is once columns have changed places
    if not table.header_columns and "col" in name:
        table = table.replace(header_columns=1)
    return triples(perturbed(name, table)) != triples(table)


def test_transposing_keeps_plain_what_a_merged_cell_reaches_into() -> None:
    """A merged cell that crosses into a row group from outside: the group's label cannot stand beside it."""
    table = Table(
        ((Cell("a", 2, 4),), (), (Cell("a"), Cell("\xa0a"), Cell(""), Cell(""))),
        header_rows=0,
        header_columns=1,
    )
    turned = perturbations.get("transpose").perturb(table, np.random.default_rng(0))
    assert (turned.n_rows, turned.n_columns) == (table.n_columns, table.n_rows)


@given(table=hierarchical_tables(), seed=seeds)
def test_an_exchange_moves_two_parts_and_what_lies_between_them(table: Table, seed: int) -> None:
    for name in ("exchange_row_groups", "exchange_sub_tables"):
        assert is_one_exchange([*table.grid], [*perturbed(name, table, seed).grid]), name
    columns = [list(zip(*made.grid, strict=True)) for made in (table, perturbed(EXCHANGES[0], table, seed))]
    assert is_one_exchange(*columns)


def is_one_exchange(before: list[tuple[Cell, ...]], after: list[tuple[Cell, ...]]) -> bool:
    """Whether two neighbourless slices of a list have changed places, or nothing has changed."""
    changed = [at for at, (a, b) in enumerate(zip(before, after, strict=True)) if a != b]
    if not changed:
        return True
    start, stop = changed[0], changed[-1] + 1
    old, new = before[start:stop], after[start:stop]
    return any(
        old[len(old) - j :] + old[i : len(old) - j] + old[:i] == new
        for i in range(1, len(old))
        for j in range(1, len(old) - i + 1)
    )


def test_groups_are_exchanged_rather_than_single_rows() -> None:
    values = {
        "".join(row[-1].text for row in perturbed("exchange_row_groups", indented(), seed).body)
        for seed in range(20)
    }
    assert values == {"0BB1B2B3AA1A2A3"}


def test_sub_tables_are_exchanged_with_their_labels() -> None:
    exchanged = perturbed("exchange_sub_tables", labelled())
    assert ["".join(dict.fromkeys(cell.text for cell in row)) for row in exchanged.body] == [
        *("-0", "B", "1B1", "2B2", "3B3", "A", "1A1", "2A2", "3A3"),
    ]
    assert perturbed("exchange_sub_tables", indented()) == indented()


def test_columns_are_exchanged_under_one_parent_alone() -> None:
    head = (Cell("k", 2), Cell("A", 1, 2), Cell("B", 1, 2), Cell("C", 1, 1))
    names = tuple(map(Cell, ("a1", "a2", "b1", "b2", "c1")))
    table = Table((head, names, tuple(map(Cell, "r12345"))), header_rows=2, header_columns=1)
    orders = {"".join(cell.text for cell in perturbed(EXCHANGES[0], table, s).body[0]) for s in range(20)}
    assert orders == {"r34125"}
    single = Table((tuple(map(Cell, "kab")), tuple(map(Cell, "r12"))), header_columns=1)
    assert perturbed(EXCHANGES[0], single).body[0][1].text == "2"


def test_rows_may_be_nested_as_deep_as_the_table_is_long() -> None:
    rows = [(Cell("  " * level + "a"), Cell(str(level))) for level in range(300)]
    deep = Table(((Cell("k"), Cell("v")), *rows, (*map(Cell, "b1"),)), header_columns=1)
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(300)
    try:
        exchanged = perturbed("exchange_row_groups", deep)
    finally:
        sys.setrecursionlimit(limit)
    assert [row[0].text for row in exchanged.body[:2]] == ["b", "a"]
