"""Which header trees are symmetric."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from torr_plugin.papers.hctqa.symmetry import is_symmetric
from torr_plugin.tables import Table

from ...tables.test_header_tree import TWO_YEARS, spanned


def test_labels_are_compared_without_case_and_marks() -> None:
    assert is_symmetric(TWO_YEARS.column_tree)


def test_labels_that_differ_are_asymmetric() -> None:
    table = spanned(
        [("", 3, 1), ("Land", 1, 3), ("Water", 1, 2)],
        [("Used", 1, 2), ("Unused", 2, 1), ("Sea", 2, 1), ("Lake", 2, 1)],
        [("Crops", 1, 1), ("Wood", 1, 1)],
        [("x", 1, 1), *[("1", 1, 1)] * 5],
        header_rows=3,
        header_columns=1,
    )
    tree = table.column_tree
    assert tree.paths[:3] == (("Land", "Used", "Crops"), ("Land", "Used", "Wood"), ("Land", "Unused"))
    assert not is_symmetric(tree)


def test_a_single_parent_has_nothing_to_be_symmetric_with() -> None:
    table = spanned([("Year", 1, 2)], [("2019", 1, 1), ("2020", 1, 1)], [("1", 1, 1), ("2", 1, 1)])
    assert table.column_tree.is_nested
    assert not is_symmetric(table.column_tree)


def test_a_title_over_all_columns_is_passed_over_for_symmetry() -> None:
    table = spanned(
        [("Pupils", 1, 4)],
        [("2019", 1, 2), ("2020", 1, 2)],
        [("M", 1, 1), ("F", 1, 1), ("M", 1, 1), ("F", 1, 1)],
        [("1", 1, 1)] * 4,
        header_rows=3,
    )
    assert is_symmetric(table.column_tree)


@given(st.integers(1, 4), st.integers(1, 4))
def test_equal_children_under_every_parent_are_symmetric(parents: int, children: int) -> None:
    table = Table.of_texts(
        [
            [label for p in range(parents) for label in (f"p{p}", *[""] * (children - 1))],
            [f"c{c}" for _ in range(parents) for c in range(children)],
            ["1"] * (parents * children),
        ],
        header_rows=2,
    )
    tree = table.column_tree
    assert is_symmetric(tree) == (parents > 1)
