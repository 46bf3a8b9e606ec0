"""Samples of values and shuffled attributes."""

from __future__ import annotations

from decimal import Decimal
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from torr_plugin.papers.hctqa.generator.parameters.models import ValueRange
from torr_plugin.papers.hctqa.generator.sampling import (
    axis,
    consecutive,
    distinct_values,
    sample_values,
    shuffled,
)

from .small import parameters

SHOP = parameters().attributes["Shop"]


def test_the_samples_of_the_paper_s_example() -> None:
    years = ["2001", "2002", "2003", "2004", "2005", "2006"]
    drawn = {tuple(consecutive(years, (3, 3), Random(seed))) for seed in range(200)}
    assert drawn == {tuple(years[start : start + 3]) for start in range(4)}
    sizes = {len(consecutive(years, (1, 5), Random(seed))) for seed in range(200)}
    assert sizes == {1, 2, 3, 4, 5}
    assert consecutive(years, None, Random(0)) == years


@given(
    st.lists(st.integers(), unique=True, min_size=1), st.integers(1, 9), st.integers(0, 9), st.integers(0, 99)
)
def test_a_sample_is_consecutive_and_as_long_as_the_list_allows(
    values: list[int], least: int, more: int, seed: int
) -> None:
    drawn = list(consecutive(values, (least, least + more), Random(seed)))
    start = values.index(drawn[0])
    assert values[start : start + len(drawn)] == drawn
    assert min(least, len(values)) <= len(drawn) <= least + more


def test_a_hierarchy_is_sampled_at_every_level_each_branch_by_itself() -> None:
    every = {sample_values(SHOP, (1, 2), Random(seed)).paths for seed in range(300)}
    assert all(1 <= len({path[0] for path in paths}) <= 2 for paths in every)
    under_fruit = {tuple(path[1] for path in paths if path[0] == "Fruit") for paths in every} - {()}
    assert under_fruit == {("Pear",), ("Plum",), ("Fig",), ("Pear", "Plum"), ("Plum", "Fig")}
    assert sample_values(SHOP, None, Random(0)).paths[-1] == ("Paper", "Note")


def test_a_value_without_values_below_it_stands_at_every_level() -> None:
    sea = parameters().attributes["Sea"]
    assert sample_values(sea, None, Random(0)).paths == (
        ("High sea", "High sea"),
        ("Baltic", "Riga"),
        ("Baltic", "Kiel"),
    )


@pytest.mark.parametrize(
    ("command", "columns", "rows"),
    [("none", 1, 1), ("cols", 6, 1), ("row", 1, 2), ("rowscols", 6, 2), ("all", 60, 60)],
)
def test_shuffle_commands(command: str, columns: int, rows: int) -> None:
    """Each command reaches all orders that it allows; ``all`` moves codes between the axes."""
    drawn = [shuffled("abc", "xy", command, Random(seed)) for seed in range(1500)]  # type: ignore[arg-type]
    assert all(sorted(left + right) == list("abcxy") and len(left) == 3 for left, right in drawn)
    assert len({tuple(left) for left, _ in drawn}) == columns
    assert len({tuple(left + right) for left, right in drawn}) == (
        120 if command == "all" else columns * rows
    )


def test_a_hierarchy_is_never_split() -> None:
    drawn = [
        sample_values(SHOP, None, Random(0)),
        sample_values(parameters().attributes["Day"], (2, 2), Random(0)),
    ]
    for order in (drawn, drawn[::-1]):
        made = axis(order)
        start = made.attributes.index("Aisle")
        assert made.attributes[start + 1] == "Good"
        assert (start, start + 1) in made.groups
        assert len(made.leaves) == 6 * 2 == len(set(made.leaves))


@given(
    st.integers(-50, 50), st.integers(0, 60), st.sampled_from([0, 2]), st.integers(1, 200), st.integers(0, 9)
)
def test_numbers_are_never_twice_and_overflow_at_the_upper_bound(
    low: int, more: int, decimals: int, count: int, seed: int
) -> None:
    span = ValueRange(low, low + more, decimals)
    drawn = distinct_values(span, count, Random(seed))
    assert len(set(drawn)) == len(drawn) == count
    unit = Decimal(1).scaleb(-decimals)
    assert all(value >= low * unit and value % unit == 0 for value in drawn)
    assert max(drawn) <= max(span.high, low + count - 1) * unit
