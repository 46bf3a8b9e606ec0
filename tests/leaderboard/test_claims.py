"""What may be claimed: families of p-values with and without effects."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from torr_plugin.analysis.multiplicity import benjamini_hochberg, holm_adjusted
from torr_plugin.leaderboard.claims import bold_claims, sentence_claims

P_VALUES = st.lists(st.floats(0, 1), min_size=1, max_size=12)


@given(P_VALUES)
def test_bold_is_what_benjamini_and_hochberg_reject(p_values: list[float]) -> None:
    found = bold_claims(dict(enumerate(p_values)), 0.9)
    adjusted = benjamini_hochberg(np.array(p_values))
    assert found.made == {place for place, p in enumerate(adjusted) if p <= found.rate}
    assert found.tested == len(p_values)


@given(P_VALUES)
def test_sentences_on_single_differences_are_what_holm_rejects(p_values: list[float]) -> None:
    found = sentence_claims([{place: p} for place, p in enumerate(p_values)], 0.9)
    adjusted = holm_adjusted(np.array(p_values))
    assert found.made == {place for place, p in enumerate(adjusted) if p <= found.rate}


def test_a_group_counts_once_and_until_all_of_it_is_claimed() -> None:
    """At 1 in 20, two groups: half of it each; all of the second, and then the first has all to itself."""
    first = {"a": 0.03, "b": 0.2}
    assert sentence_claims([first, {"c": 0.01}], 0.95).made == {"a", "c"}
    assert sentence_claims([first, {"c": 0.01, "d": 0.3}], 0.95).made == {"c"}


def test_what_was_not_tested_is_neither_claimed_nor_counted() -> None:
    assert bold_claims({"a": None, "b": 0.04}, 0.95).made == {"b"}
    found = sentence_claims([{"a": None}, {"b": 0.04}], 0.95)
    assert (found.made, found.tested) == ({"b"}, 1)
    assert sentence_claims([], 0.95).tested == bold_claims({}, 0.95).tested == 0


@pytest.mark.parametrize(
    ("claimed", "text"),
    [
        (0, "0 of 80 tested differences on this page are bold and coloured (false discovery rate 0.05)."),
        (3, "3 of 80 tested differences on this page are bold and coloured, fewer than one of them expected"),
        (40, "40 of 80 tested differences on this page are bold and coloured, about 2 of them expected"),
    ],
)
def test_readers_learn_how_many_are_expected_by_chance(claimed: int, text: str) -> None:
    p_values = dict(enumerate([1e-9] * claimed + [0.9] * (80 - claimed)))
    assert bold_claims(p_values, 0.95).bold_line.startswith(text)
    line = sentence_claims([p_values], 0.95).sentence_line
    assert line.startswith(f"{claimed} of 80 tested differences are called so.")
