"""The metric of header trees: by hand, and under what models write."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from torr_plugin.papers.realhitbench.header_tree_metric import tree_scores
from torr_plugin.scoring import metrics
from torr_plugin.tables import Table, serializers
from torr_plugin.tables.header_tuples import header_tuples, tree_text
from torr_plugin.testing import hierarchical_tables, tables

from .test_header_tuples import CITIES

METRIC = metrics.get("header_tree")
RIGHT = tree_text(header_tuples(CITIES))
SHOWN = serializers.get("json").serialize(CITIES)


def scores(answer: str, shown: str = str(SHOWN)) -> dict[str, float]:
    return METRIC.scores(answer, ["7"], {"shown_table": shown})  # type: ignore[call-arg]


def of(tree_f1: float, path_f1: float) -> object:
    return pytest.approx({"tree_f1": tree_f1, "path_f1": path_f1})


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (RIGHT, of(1, 1)),
        (RIGHT.upper().replace("ROOT", "root"), of(1, 1)),
        (RIGHT + "\n(C0, 0, 1, Place)\n(R0, 0, 1, corner)", of(1, 1)),
        ("", of(0, 0)),
        ("I see no headers.", of(0, 0)),
        # one of seven is missing
        (RIGHT.replace("(R0, 4, 4, Total)", ""), of(12 / 13, 12 / 13)),
        # one stands elsewhere
        (RIGHT.replace("(R0, 4, 4, Total)", "(R0, 5, 5, Total)"), of(6 / 7, 1)),
        # a wrong label of a parent takes its two children along
        (RIGHT.replace("Population", "People"), of(4 / 7, 4 / 7)),
        # without their parent, the two children are roots
        (RIGHT.replace("(C0, 2, 3, Population)", ""), of(8 / 13, 8 / 13)),
    ],
)
def test_by_hand(answer: str, expected: object) -> None:
    assert scores(answer) == expected


@pytest.mark.parametrize("shift", [-2, -1, 1, 5])
def test_where_a_model_counts_from_makes_no_difference(shift: int) -> None:
    moved = [replace(each, start=each.start + shift, end=each.end + shift) for each in header_tuples(CITIES)]
    assert tree_scores(moved, header_tuples(CITIES)) == of(1, 1)


def test_an_axis_without_labels_counts_neither_way() -> None:
    flat = Table.flat(["City", "Size"], [["Doha", "1"], ["Al Khor", "2"]])
    rows = "(R0, 1, 1, Doha) (R0, 2, 2, Al Khor)"
    assert scores(
        f"(C0, 0, 0, City) (C0, 1, 1, Size) {rows}", str(serializers.get("json").serialize(flat))
    ) == of(1, 1)
    assert tree_scores(header_tuples(flat), ()) == of(1, 1)


def test_without_the_table_the_references_are_the_trees() -> None:
    without = RIGHT.replace("(R0, 4, 4, Total)", "")
    assert METRIC.scores(without, [without, RIGHT]) == of(1, 1)
    assert METRIC.scores(without, [RIGHT]) == of(12 / 13, 12 / 13)


@settings(max_examples=20)
@given(st.one_of(tables(), hierarchical_tables()))
def test_the_tree_of_any_table_matches_itself(table: Table) -> None:
    assert tree_scores(header_tuples(table), header_tuples(table)) == of(1, 1)


@pytest.mark.full
@settings(max_examples=15)
@given(hierarchical_tables(), hierarchical_tables())
def test_scores_of_any_tree_are_between_0_and_1(one: Table, other: Table) -> None:
    assert all(0 <= score <= 1 for score in tree_scores(header_tuples(one), header_tuples(other)).values())
