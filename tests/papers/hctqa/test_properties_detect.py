"""Properties of tables that show them by construction."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from torr_plugin.papers.hctqa import property_names as names
from torr_plugin.papers.hctqa.properties import detect
from torr_plugin.papers.hctqa.property_names import DETECTED
from torr_plugin.tables import Cell, Table
from torr_plugin.testing import tables


def found(table: Table) -> set[str]:
    return {name for name, yes in detect(table).items() if yes}


def flat(*lines: str) -> Table:
    return Table.of_texts([line.split("|") for line in lines])


def test_a_plain_table_has_none() -> None:
    assert found(flat("City|Area|People", "Doha|132|956457", "Rayyan|2450|605712")) == set()


def test_an_answer_has_every_name_but_what_needs_the_picture() -> None:
    answer = detect(flat("a|b", "c|1"))
    assert tuple(answer) == DETECTED
    assert names.SPLIT_HEADER_CELL not in answer


def test_totals_below_groups_make_no_branch_deeper() -> None:
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
    assert found(table) == {names.ROW_NESTING, names.BALANCED_ROW, names.ASYMMETRIC_ROW}


def test_groups_with_the_same_labels_are_symmetric() -> None:
    rows = (
        (Cell("Age", 2, 1), Cell("Total", 1, 2), Cell("Here", 1, 2), Cell("Abroad", 1, 2)),
        tuple(Cell(text) for text in ("F", "M") * 3),
        tuple(map(Cell, ("15-19", "4101", "6654", "3816", "4989", "285", "1665"))),
        tuple(map(Cell, ("20-24", "36318", "198204", "30436", "186524", "5882", "11680"))),
    )
    assert found(Table(rows, header_rows=2, header_columns=1)) == {
        *(names.MULTI_LEVEL_COLUMN, names.BALANCED_COLUMN, names.SYMMETRIC_COLUMN)
    }


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


def headed(*lines: str, header_rows: int, header_columns: int = 1) -> Table:
    rows = [line.split("|") for line in lines]
    return Table.of_texts(rows, header_rows=header_rows, header_columns=header_columns)


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
