"""Properties of tables that show them by construction."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from torr_plugin.tables import Cell, Table
from torr_plugin.tables.properties import DETECTED, detect, names
from torr_plugin.tables.strategies import tables


def found(table: Table) -> set[str]:
    return {name for name, yes in detect(table).items() if yes}


def flat(*lines: str) -> Table:
    return Table.of_texts([line.split("|") for line in lines])


def test_a_plain_table_is_relational_and_nothing_else() -> None:
    assert found(flat("City|Area|People", "Doha|132|956457", "Rayyan|2450|605712")) == {names.STANDARD}


def test_an_answer_has_every_name_but_what_needs_the_picture() -> None:
    answer = detect(flat("a|b", "c|1"))
    assert tuple(answer) == DETECTED
    assert names.SPLIT_HEADER_CELL not in answer


@pytest.mark.parametrize(
    ("last", "terms"),
    [("Total", names.EXPLICIT_ROW), ("Kingdom", names.IMPLICIT_ROW)],
)
def test_a_row_that_sums_all_others_is_global_by_any_name(last: str, terms: str) -> None:
    table = flat(
        "Region|2019|2020", "North|1,204|1,310", "South|988|1,007", "East|431|455", f"{last}|2,623|2,772"
    )
    assert found(table) == {names.ROW_AGGREGATION, names.GLOBAL_ROW, terms}


def test_a_sum_of_some_rows_is_local_and_rounding_is_forgiven() -> None:
    table = flat("Fuel|2019|2020", "Solid|12.3|14.1", "Coal|7.15|9.04", "Wood|5.19|5.02", "Gas|30.7|28.4")
    assert found(table) == {names.ROW_AGGREGATION, names.LOCAL_ROW, names.IMPLICIT_ROW}


def test_one_misprint_does_not_hide_a_total() -> None:
    table = flat("R|a|b|c|d", "N|1204|1310|977|433", "S|988|1007|651|240", "T|2192|2317|1623|673")
    assert names.GLOBAL_ROW in found(table)


def test_totals_of_groups_are_local_and_the_total_of_totals_global() -> None:
    table = Table.of_texts(
        [
            ["Kind", "Sex", "2019", "2020"],
            ["State", "Boys", "6276", "5665"],
            ["", "Girls", "4128", "3644"],
            ["", "Total", "10404", "9309"],
            ["Private", "Boys", "1144", "1419"],
            ["", "Girls", "934", "885"],
            ["", "Total", "2078", "2304"],
            ["All schools", "Total", "12482", "11613"],
        ],
        header_columns=2,
    )
    assert found(table) == {
        *(names.ROW_NESTING, names.BALANCED_ROW, names.ASYMMETRIC_ROW),
        *(names.ROW_AGGREGATION, names.GLOBAL_ROW, names.LOCAL_ROW, names.EXPLICIT_ROW),
    }


def test_columns_that_total_the_same_label_of_all_groups_are_local() -> None:
    rows = (
        (Cell("Age", 2, 1), Cell("Total", 1, 2), Cell("Here", 1, 2), Cell("Abroad", 1, 2)),
        tuple(Cell(text) for text in ("F", "M") * 3),
        tuple(map(Cell, ("15-19", "4101", "6654", "3816", "4989", "285", "1665"))),
        tuple(map(Cell, ("20-24", "36318", "198204", "30436", "186524", "5882", "11680"))),
    )
    answer = found(Table(rows, header_rows=2, header_columns=1))
    assert {names.MULTI_LEVEL_COLUMN, names.BALANCED_COLUMN, names.SYMMETRIC_COLUMN} <= answer
    assert {names.LOCAL_COLUMN, names.EXPLICIT_COLUMN} <= answer
    assert names.GLOBAL_COLUMN not in answer


def test_an_average_column_is_found_by_its_number_and_name() -> None:
    table = flat("Model|A|B|C|Avg", "x|61.2|70.4|55.1|62.2", "y|64.0|72.9|58.3|65.1")
    assert found(table) == {names.COLUMN_AGGREGATION, names.GLOBAL_COLUMN, names.EXPLICIT_COLUMN}


def test_change_between_the_only_two_columns_is_global() -> None:
    table = flat("Task|2019|2020|% change", "x|120|150|25.0", "y|80|60|-25.0")
    assert {names.GLOBAL_COLUMN, names.EXPLICIT_COLUMN} <= found(table)


def test_scores_near_each_other_are_no_averages() -> None:
    table = flat(
        "Model|B1|B2|B3", "a|0.70|0.47|0.36", "b|0.67|0.46|0.36", "c|0.65|0.45|0.34", "d|0.67|0.46|0.36"
    )
    assert found(table) == {names.STANDARD}


def test_label_rows_are_row_group_labels_and_no_nesting() -> None:
    table = flat("Age|n|m", "Men||", "young|17|20", "old|25|31", "Women||", "young|13|18", "old|29|35")
    assert found(table) == {names.ROW_GROUP_LABEL}


def test_header_columns_and_depth_that_nobody_told_are_read_from_the_cells() -> None:
    rows = (
        (Cell("Set"), Cell("Small", 1, 2), Cell("Large", 1, 2)),
        tuple(map(Cell, ("Metric", "Recall", "Gain", "Recall", "Gain"))),
        tuple(map(Cell, ("MF", "0.1145", "0.1179", "0.0896", "0.0584"))),
        tuple(map(Cell, ("FM", "0.1434", "0.1422", "0.0995", "0.0621"))),
    )
    assert found(Table(rows)) == {names.MULTI_LEVEL_COLUMN, names.BALANCED_COLUMN, names.SYMMETRIC_COLUMN}


@given(tables())
@settings(max_examples=60)
def test_any_table_has_consistent_properties(table: Table) -> None:
    answer = detect(table)
    for whole, parts in (
        (names.MULTI_LEVEL_COLUMN, (names.BALANCED_COLUMN, names.UNBALANCED_COLUMN)),
        (names.MULTI_LEVEL_COLUMN, (names.SYMMETRIC_COLUMN, names.ASYMMETRIC_COLUMN)),
        (names.ROW_NESTING, (names.BALANCED_ROW, names.UNBALANCED_ROW)),
        (names.ROW_NESTING, (names.SYMMETRIC_ROW, names.ASYMMETRIC_ROW)),
    ):
        assert sum(answer[part] for part in parts) == answer[whole]
    for whole, parts in (
        (names.COLUMN_AGGREGATION, (names.GLOBAL_COLUMN, names.LOCAL_COLUMN)),
        (names.COLUMN_AGGREGATION, (names.EXPLICIT_COLUMN, names.IMPLICIT_COLUMN)),
        (names.ROW_AGGREGATION, (names.GLOBAL_ROW, names.LOCAL_ROW)),
        (names.ROW_AGGREGATION, (names.EXPLICIT_ROW, names.IMPLICIT_ROW)),
    ):
        assert any(answer[part] for part in parts) == answer[whole]
    assert answer[names.STANDARD] == (sum(answer.values()) == answer[names.STANDARD])


@given(st.lists(st.lists(st.integers(1000, 99999), min_size=3, max_size=3), min_size=2, max_size=8))
def test_a_sum_below_its_rows_is_always_found(numbers: list[list[int]]) -> None:
    total = [sum(column) for column in zip(*numbers, strict=True)]
    lines = [[f"r{i}", *map(str, row)] for i, row in enumerate([*numbers, total])]
    answer = detect(Table.of_texts([["x", "a", "b", "c"], *lines]))
    assert answer[names.ROW_AGGREGATION]
    assert answer[names.GLOBAL_ROW]
    assert answer[names.IMPLICIT_ROW]
