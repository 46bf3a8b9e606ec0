"""Columns of names as codes: the same names as text conversion gives, whatever the column held."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from torr_plugin.analysis.frame import as_categories, first_seen, pairs, used_names

COLUMNS: dict[str, tuple[pd.Series[Any], list[str | None]]] = {
    "text": (pd.Series(["b", "a", "b", None]), ["b", "a", "b", None]),
    "a mixture that is equal": (pd.Series([1, True, 1.0, "1"], dtype=object), ["1", "True", "1.0", "1"]),
    "whole numbers": (pd.Series([7, 3, 7]), ["7", "3", "7"]),
    "floats": (pd.Series([0.0, -0.0, float("nan")]), ["0.0", "-0.0", None]),
    "unhashable": (pd.Series([[1], [1], None], dtype=object), ["[1]", "[1]", None]),
    "categories": (pd.Series(pd.Categorical(["x", None, "x"], ["u", "x"])), ["x", None, "x"]),
    "categories of one name": (pd.Series(pd.Categorical.from_codes([0, 1, -1], [1, "1"])), ["1", "1", None]),
    "half a character": (pd.Series(["\ud800", "a"], dtype=object), ["\ud800", "a"]),
}


@pytest.mark.parametrize("what", COLUMNS)
def test_names_are_those_of_text(what: str) -> None:
    column, expected = COLUMNS[what]
    found = as_categories(column)
    names = [None if code < 0 else found.categories[code] for code in found.codes]
    assert names == expected
    assert list(found.categories) == list(dict.fromkeys(name for name in expected if name is not None))


@given(st.lists(st.tuples(st.sampled_from([None, *"abc"]), st.sampled_from([None, *"xyz"])), min_size=1))
def test_pairs_are_those_of_rows_in_their_order(rows: list[tuple[str | None, str | None]]) -> None:
    first, second = (
        pd.Series(as_categories(pd.Series(side, dtype=object))) for side in zip(*rows, strict=True)
    )
    assert pairs(first, second) == list(dict.fromkeys(row for row in rows if None not in row))
    assert used_names(first) == list(dict.fromkeys(one for one, _ in rows if one is not None))
    assert len(first_seen(second)) == len({other for _, other in rows} - {None})
