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


def headed(*lines: str, header_rows: int, header_columns: int = 1) -> Table:
    rows = [line.split("|") for line in lines]
    return Table.of_texts(rows, header_rows=header_rows, header_columns=header_columns)


def test_a_year_beside_its_quarters_is_an_aggregate_that_no_word_names() -> None:
    table = headed(
        "Sector|2017 Quarters||||Year 2017", "|1|2|3|4|", "Mining|34.0|33.2|33.5|35.2|34.0", header_rows=2
    )
    answer = found(table)
    assert {names.COLUMN_AGGREGATION, names.GLOBAL_COLUMN, names.IMPLICIT_COLUMN} <= answer
    assert not {names.LOCAL_COLUMN, names.EXPLICIT_COLUMN} & answer


def test_a_year_without_quarters_is_none() -> None:
    assert names.COLUMN_AGGREGATION not in found(flat("Sector|Year 2016|Year 2017", "a|3.1|34.0", "b|5|71"))


def test_gdp_is_the_whole_of_its_sectors_and_a_formula_says_so() -> None:
    growth = ("Farming|3.1|4.9", "Mining|9.9|-1.2", "Services|-2.9|0.4")
    named = found(flat("Sector|2019|2020", *growth, "Gross Domestic Product|2.2|0.9"))
    assert {names.GLOBAL_ROW, names.IMPLICIT_ROW} <= named
    assert names.LOCAL_ROW not in named
    spelled = headed(
        "||2019|2020",
        *[f"{x[0]}|{x}" for x in growth],
        "(F+M+S)|GDP|2.2|0.9",
        header_rows=1,
        header_columns=2,
    )
    assert names.EXPLICIT_ROW in found(spelled)


def test_a_title_over_some_groups_only_makes_no_branch_deeper() -> None:
    shallow = {names.BALANCED_COLUMN, names.SYMMETRIC_COLUMN}
    spans = (
        (Cell("Area", 3, 1), Cell("Total", 2, 2), Cell("Nationality", 1, 4)),
        (Cell("Citizens", 1, 2), Cell("Others", 1, 2)),
        tuple(map(Cell, "FMFMFM")),
        tuple(map(Cell, ("x", "12", "33", "97", "43", "54", "22"))),
    )
    assert shallow <= found(Table(spans, header_rows=3, header_columns=1))
    named = tuple(
        tuple(Cell("Land" if c.text == "Total" else c.text, c.rowspan, c.colspan) for c in row)
        for row in spans
    )
    assert not shallow & found(Table(named, header_rows=3, header_columns=1))


def test_footnotes_behind_labels_make_no_difference_unless_they_tell_neighbours_apart() -> None:
    def symmetric(*labels: str) -> bool:
        table = headed("|Births||Deaths|", "|" + "|".join(labels), "1990|12|34|567|89", header_rows=2)
        return names.SYMMETRIC_COLUMN in found(table)

    assert symmetric("Number", "Rate 1", "Number", "Rate 2")
    assert symmetric("No. sold", "Non- local", "No sold", "non-local")
    assert not symmetric("Type 1", "Type 2", "Type 3", "Type 4")
    assert not symmetric("Number", "Rate", "Number", "Share")


def test_a_column_of_codes_with_a_total_below_is_no_nesting() -> None:
    lines = ("G|Trade|12|9", "P|Schools|5|4", "S|Other|7|1", "|Total|24|14")
    answer = found(flat("Code|Activity|2019|2020", *lines))
    assert names.ROW_NESTING not in answer
    assert names.GLOBAL_ROW in answer


def test_a_stray_number_among_words_makes_no_line_of_numbers() -> None:
    lines = [
        f"{code}|{n}|{n + 7}|{2 * n + 7}" for code, n in zip("ABC1EFG", range(1234, 9000, 1111), strict=True)
    ]
    answer = found(headed("|".join(("Code", "x", "y", "Total")), *lines, header_rows=1, header_columns=0))
    assert names.GLOBAL_COLUMN in answer


@pytest.mark.full
@pytest.mark.parametrize(
    "table",
    [
        Table.of_texts([*[[f"h{i}", f"g{i}", "k"] for i in range(3000)], ["x", "1", "2"]], header_rows=3000),
        Table.of_texts([["x", "1"], *[[" " * i + "r", "1"] for i in range(3000)]], header_columns=1),
        Table.of_texts(
            [["h"] * 2001, *[[f"c{i}{j}" for j in range(2000)] + ["1"] for i in range(3)]],
            header_columns=2000,
        ),
        Table.of_texts([["x", "a", "b"], *[["r", "9" * 10_000, "0." + "1" * 38]] * 9]),
        Table.of_texts([["x", "a", "b"], *[["nan", "inf", "-1e999"]] * 9]),
        Table.of_texts([[""] * 40] * 300),
    ],
    ids=["deep header", "deep indentation", "deep header columns", "long numbers", "no numbers", "blank"],
)
def test_hostile_tables_are_answered(table: Table) -> None:
    assert tuple(detect(table)) == DETECTED


def test_a_label_written_on_each_line_is_a_value_and_no_parent() -> None:
    lines = [[name, metric, "17"] for name in ("A", "B") for metric in ("RMSE", "MAE")]
    table = Table.of_texts([["Set", "Metric", "Value"], *lines], header_columns=2)
    assert names.ROW_NESTING not in found(table)


def test_what_a_change_leads_to_is_no_sum() -> None:
    table = flat("Region|2019|2020|Change", "North|110|152|42", "South|217|223|6", "East|244|351|107")
    assert found(table) == {names.COLUMN_AGGREGATION, names.GLOBAL_COLUMN, names.EXPLICIT_COLUMN}


def test_changes_add_up_among_themselves() -> None:
    table = flat(
        "Region|Men, change|Women, change|All, change",
        "North|42|113|155",
        "South|217|-21|196",
        "East|44|351|395",
    )
    assert names.GLOBAL_COLUMN in found(table)
