"""The accuracies of structural questions: what counts, and what does not."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from torr_plugin.scoring.metrics import metrics

values = st.lists(
    st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=6), min_size=1, max_size=6
)
places = st.sets(st.tuples(st.integers(0, 99), st.integers(0, 99)), min_size=1, max_size=4)


def score(name: str, prediction: str, reference: str) -> float:
    (value,) = metrics.get(name).scores(prediction, [reference]).values()
    return value


@given(values, values)
def test_a_list_equals_itself_however_it_is_spaced_and_no_other(one: list[str], other: list[str]) -> None:
    assert score("value_list", "|".join(one), " | ".join(one)) == 1
    same = [text.casefold() for text in one] == [text.casefold() for text in other]
    assert same <= score("value_list", " | ".join(one), " | ".join(other))
    assert score("value_list", " | ".join([*one, "x"]), " | ".join(one)) == 0


@pytest.mark.parametrize(
    ("prediction", "right"),
    [
        ("1,204 | Oslo", True),
        ("1204|oslo", True),
        ('| "1204" | Oslo |', True),
        ("Oslo | 1204", False),
        ("1204", False),
        ("1204, Oslo", False),
        ("", False),
    ],
)
def test_values(prediction: str, right: bool) -> None:
    assert score("value_list", prediction, "1,204 | Oslo") == right


@given(places, places)
def test_places_are_a_set(one: set[tuple[int, int]], other: set[tuple[int, int]]) -> None:
    written = " | ".join(f"({row}, {column})" for row, column in sorted(one, reverse=True))
    reference = " | ".join(f"({row}, {column})" for row, column in sorted(other))
    assert score("positions", written, reference) == (one == other)


@pytest.mark.parametrize(
    ("prediction", "right"),
    [
        ("(4, 2) | (5, 2)", True),
        ("5,2; 4,2", True),
        ("[4, 2], [5, 2]", True),
        ("row 4, column 2 and row 5, column 2", True),
        ("row index 4, column index 2 | row index 5, column index 2", True),
        ("Row: 4, Column: 2; Row: 5, Column: 2", True),
        ("(row=4, col=2) | (row=5, col=2)", True),
        ("row 4 and column 2 | row 5 column 2", True),
        ("column 2, row 4 and column 2, row 5", True),
        ("column 4, row 2 and column 5, row 2", False),
        ("column 9, row 4, and column 2, row 5", False),
        ("(4, 2)", False),
        ("(4, 2) | (5, 2) | (6, 2)", False),
        ("(2, 4) | (2, 5)", False),
        ("nowhere", False),
        ("9" * 10_000 + ", 2", False),
        ("column " * 20_000, False),
        ("1 " * 20_000, False),
        ("1" + " " * 20_000 + "x", False),
    ],
)
def test_positions(prediction: str, right: bool) -> None:
    assert score("positions", prediction, "(4, 2) | (5, 2)") == right


@pytest.mark.parametrize(
    ("prediction", "cells", "right"),
    [
        ("0 | 2", [[0, 0], [2, 4]], True),
        ("0 | 4", [[0, 0], [2, 4]], True),
        ("0 | 2 | 3 | 4", [[0, 0], [2, 4]], True),
        ("2, 0", [[0, 0], [2, 4]], True),
        ("0", [[0, 0], [2, 4]], False),
        ("0 | 1 | 2", [[0, 0], [2, 4]], False),
        ("None", [[0, 0]], False),
        ("None", [], True),
        ("none.", [], True),
        ("", [], False),
        ("0", [], False),
        ("-1", [[1, 1]], False),
        ("9" * 10_000, [[1, 1]], False),
    ],
)
def test_merged_columns(prediction: str, cells: list[list[int]], right: bool) -> None:
    metric = metrics.get("merged_columns")
    reference = " | ".join(str(first) for first, _ in cells) or "None"
    scores = metric.scores(prediction, [reference], {"merged": json.dumps(cells)})  # type: ignore[call-arg]
    assert scores == {"merged_columns": right}
