# ruff: noqa: RUF001 (quotation marks as models write them)
"""Header tuples: of a table, as text, read back from whatever a model writes, and the trees they make."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.timing import quickly
from torr_plugin.papers.realhitbench.header_answers import (
    LONGEST_ANSWER,
    MOST_TUPLES,
    read_header_tuples,
    tree_roots,
)
from torr_plugin.tables import Table
from torr_plugin.tables.header_tree import HeaderNode
from torr_plugin.tables.header_tuples import AXES, HeaderTuple, header_tuples, tree_text
from torr_plugin.tables.table import Cell
from torr_plugin.testing import hierarchical_tables, tables

CITIES = Table(
    (
        (Cell("", 2, 2), Cell("Population", 1, 2)),
        (Cell("Male"), Cell("Female")),
        (Cell("City", 2), Cell("Doha"), Cell("1"), Cell("2")),
        (Cell("Al Khor (north)"), Cell("3"), Cell("4")),
        (Cell("Total", 1, 2), Cell("5"), Cell("6")),
    ),
    header_rows=2,
    header_columns=2,
)
OF_CITIES = """\
Column headers, below ROOT:
- (C0, 2, 3, Population)
  - (C1, 2, 2, Male)
  - (C1, 3, 3, Female)
Row headers, below ROOT:
- (R0, 2, 3, City)
  - (R1, 2, 2, Doha)
  - (R1, 3, 3, "Al Khor (north)")
- (R0, 4, 4, Total)"""


def labelled(nodes: Sequence[HeaderNode]) -> tuple[HeaderNode, ...]:
    """The nodes with a label, each below the nearest one with a label."""
    found: list[HeaderNode] = []
    for node in nodes:
        below = labelled(node.children)
        found += [HeaderNode(node.label, node.start, node.stop, below)] if node.label else below
    return tuple(found)


def test_as_a_person_reads_them() -> None:
    assert tree_text(header_tuples(CITIES)) == OF_CITIES
    assert tree_text(()) == ""


@given(st.one_of(tables(), hierarchical_tables()))
def test_from_a_table_to_text_and_back_to_its_trees(table: Table) -> None:
    written = header_tuples(table)
    for text in (tree_text(written), " ".join(map(str, written))):
        read = read_header_tuples(text)
        assert set(read) == set(written)
        assert tree_roots(read, "C") == labelled(table.column_tree.roots)
        assert tree_roots(read, "R") == labelled(table.row_tree.roots)


@pytest.mark.parametrize(
    "text",
    [
        "Sure! L = [(R0, 1, 2, City), (C1, 3, 3, Male)] and that is all",
        "- **(R0, 1, 2, City)**\n  - `(C1, 3, 3, Male)`",
        '[["R0", 1, 2, "City"], ["C1", 3, 3, "Male"]]',
        "[('R0', 1, 2, 'City'), ('C1', 3, 3, 'Male')]",
        "T1 = (R0, 1, 2, “City”)\nT2 = (c1, 3, 3, ‘Male’)",
        "* R0, 1, 2, City\n* C1, 3, 3, Male\n",
        "| axis | start | end | text |\n|---|---|---|---|\n| R0 | 1 | 2 | City |\n| C1 | 3 | 3 | Male |",
        "Row 0: 1-2: City\nColumn 1: 3 to 3: Male",
        "(R, 0, 1, 2, City) (C, 1, 3, 3, Male)",
        "(R0, 2, 1, City), (C1, 3, Male)",
        "(R-1, 0, 9, ROOT) (R0, 1, 2, City) (R0, 5, 5, ) (C1, 3, 3, Male) (C2, 4, 4, )",
        '{"rows": [{"axis": "R", "level": 0, "start": 1, "end": 2, "text": "City", "children": []}],'
        ' "columns": [{"t1": "C1", "t2": "3", "t3": 3, "t4": "Male"}]}',
        "(R0, 1, 2, City)\n(C1, 3, 3, Male)\n(R0, 1, 2, City)",
    ],
)
def test_however_a_model_writes_them(text: str) -> None:
    assert read_header_tuples(text) == (HeaderTuple("R", 0, 1, 2, "City"), HeaderTuple("C", 1, 3, 3, "Male"))


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("(R0, 1, 1, Doha, Al Khor)", "Doha, Al Khor"),
        ("(R0, 1, 1, Share (in %))", "Share (in %)"),
        ("(R0, 1, 1, a (b), (R0, 1, 1, a (b)", "a (b"),
        ('(R0, 1, 1, "say \\"a), b\\"")', 'say "a), b"'),
        ('(R0, 1, 1, "the "big" one")', 'the "big" one'),
        ("(R0, 1, 1, 'Bachelor's')", "Bachelor's"),
        ("(R0, 1, 1, 2010)", "2010"),
        ("(R0, 1, 1, cut off", "cut off"),
    ],
)
def test_labels_with_signs_in_them(text: str, label: str) -> None:
    assert read_header_tuples(text) == (HeaderTuple("R", 0, 1, 1, label),)


def test_a_quotation_mark_that_is_never_closed_takes_in_no_other_tuple() -> None:
    found = read_header_tuples("(R0, 1, 1, 'Doha)\n(R0, 2, 2, 'Al Khor')\n(R0, 3, 3, 'Bachelor's')")
    assert [(each.start, each.text) for each in found] == [(1, "'Doha"), (2, "Al Khor"), (3, "Bachelor's")]


def test_prose_holds_no_tuples() -> None:
    text = "Row 3, as columns 1, 2, and 3 show, is a total; see row 1, 2 (2010) or column 0: 2019, say."
    assert read_header_tuples(text) == ()


@settings(max_examples=40)
@given(
    st.text(max_size=12), st.sampled_from(["(R0, 1, 2, ", '["C0", 1, 1, "', '{"axis": "R"', "| R0 | 1 | 1 |"])
)
def test_any_text_is_read(text: str, begin: str) -> None:
    for answer in (text, begin + text, text + begin + text):
        for axis in AXES:
            tree_roots(read_header_tuples(answer), axis)


@pytest.mark.full
@pytest.mark.parametrize(
    "piece",
    ['(R0,1,1,"', "(R0,1,1,(((a)", "(R0,1,1,'", '{"axis":"', '"a":"\\', "R0 ", "(" * 50, "(R0, 1, 1, x)\n"],
)
def test_hostile_text_takes_little_time(piece: str) -> None:
    text = piece * (2 * LONGEST_ANSWER // len(piece))
    assert len(quickly(lambda: read_header_tuples(text))) <= MOST_TUPLES


def named(*tuples: tuple[int, int, int, str]) -> list[HeaderTuple]:
    return [HeaderTuple("C", *each) for each in tuples]


def outline(nodes: Sequence[HeaderNode]) -> list[object]:
    return [[node.label, *outline(node.children)] if node.children else node.label for node in nodes]


def test_a_parent_is_on_the_nearest_level_that_contains_its_child() -> None:
    of = named((0, 1, 4, "a"), (1, 1, 2, "b"), (2, 2, 2, "c"), (2, 4, 4, "d"), (3, 9, 9, "e"))
    assert outline(tree_roots(of, "C")) == [["a", ["b", "c"], "d"], "e"]
    assert tree_roots(of, "R") == ()


def test_of_overlapping_parents_the_one_that_starts_last_counts() -> None:
    of = named((0, 1, 5, "a"), (0, 2, 6, "b"), (1, 3, 4, "x"), (1, 1, 3, "y"), (1, 5, 7, "z"))
    assert outline(tree_roots(of, "C")) == [["a", "y"], ["b", "x"], "z"]


def test_tuples_that_contain_each_other_make_no_cycle() -> None:
    of = named((0, 1, 3, "a"), (1, 1, 3, "b"), (2, 1, 3, "a"), (1, 1, 3, "b"))
    assert outline(tree_roots(of, "C")) == [["a", ["b", "a"]]]


header_tuple_lists = st.lists(
    st.builds(
        HeaderTuple,
        axis=st.sampled_from(AXES),
        level=st.integers(0, 4),
        start=st.integers(0, 6),
        end=st.integers(0, 6),
        text=st.sampled_from("ab"),
    ),
    max_size=12,
)


def naive_parent(each: HeaderTuple, others: Sequence[HeaderTuple]) -> HeaderTuple | None:
    around = [
        other
        for other in others
        if other.axis == each.axis
        and other.level < each.level
        and other.start <= each.start
        and each.end <= other.end
    ]
    return max(around, key=lambda other: (other.level, other.start, -other.end, other.text), default=None)


def naive_roots(tuples: Sequence[HeaderTuple], parent: HeaderTuple | None = None) -> tuple[HeaderNode, ...]:
    """The nodes below a parent, by the rule as it is written."""
    ordered = sorted(set(tuples), key=lambda each: (each.start, -each.end, each.level, each.text))
    return tuple(
        HeaderNode(each.text, each.start, each.end + 1, naive_roots(tuples, each))
        for each in ordered
        if naive_parent(each, tuples) == parent
    )


@given(header_tuple_lists, st.randoms(use_true_random=False))
def test_any_tuples_make_one_tree_in_any_order(tuples: list[HeaderTuple], chance: random.Random) -> None:
    ordered = [
        replace(each, start=min(each.start, each.end), end=max(each.start, each.end)) for each in tuples
    ]
    for axis in AXES:
        roots = tree_roots(chance.sample(ordered, len(ordered)), axis)
        assert roots == naive_roots([each for each in ordered if each.axis == axis])
        assert tree_roots(tuples, axis) == tree_roots(tuples[::-1], axis)


def test_ten_thousand_tuples_take_little_time() -> None:
    of = [HeaderTuple("R", n % 100, n, 20_000 - n, f"a{n}") for n in range(MOST_TUPLES)]
    quickly(lambda: tree_roots(of, "R"))


def test_json_of_any_label_is_read() -> None:
    label = 'a\n"b" \\ (c'
    assert read_header_tuples(f'["R0", 1, 1, {json.dumps(label)}]')[0].text == label
