"""Which answer a vote chooses."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from torr_plugin.question_writing.annotation.voting import distinct, equal_key, ranked
from torr_plugin.question_writing.review import Alternative

ANSWERS = {"a": "Heron", "b": "heron", "c": "Otter", "d": None}


def test_equal_answers_are_counted_together_over_all_who_were_asked() -> None:
    assert distinct(ANSWERS, str.casefold) == [
        Alternative("Heron", ("a", "b"), 4),
        Alternative("Otter", ("c",), 4),
    ]
    assert distinct({"a": None}, str.casefold) == []


def test_frequency_times_score_chooses() -> None:
    found = ranked(distinct(ANSWERS, str.casefold), {"Heron": 40, "Otter": 90})
    assert [(each.answer, each.final) for each in found] == [("Otter", 22.5), ("Heron", 20.0)]


X, Y = Alternative("x", ("a",), 3), Alternative("y", ("b", "c"), 3)


@pytest.mark.parametrize(
    ("scores", "first"),
    [
        ({"x": 80, "y": 40}, "yx"),  # a tie goes to the answer that more models gave
        ({"x": 0, "y": 0}, "yx"),
        ({"x": 0}, "xy"),  # an answer without a score comes last
        ({"y": 0}, "yx"),
        ({}, "yx"),
    ],
)
def test_ties_go_to_frequency_and_answers_without_a_score_come_last(
    scores: dict[str, float], first: str
) -> None:
    assert [each.answer for each in ranked([X, Y], scores)] == list(first)


def test_other_ties_go_to_the_first() -> None:
    alike = [Alternative(name, (name,), 3) for name in "zxy"]
    assert [each.answer for each in ranked(alike, dict.fromkeys("xyz", 50.0))] == ["z", "x", "y"]


def test_what_equal_answers_share() -> None:
    assert equal_key("values", "1,205 |Heron.") == equal_key("values", "1205.0 | heron")
    assert equal_key("values", "1205 | Heron") != equal_key("values", "Heron | 1205")
    assert equal_key("sentence", "It  grows.") == equal_key("sentence", "it grows")
    assert equal_key("code", "x = 1  \n\n# two\ny = x\n") == equal_key("code", "x=1\ny=x")
    assert equal_key("code", "x = 1") != equal_key("code", "x = 2")


@given(
    st.dictionaries(st.text("mnopq", min_size=1, max_size=3), st.sampled_from([*"abcAB", None]), min_size=1),
    st.dictionaries(st.sampled_from("abcAB"), st.integers(0, 100)),
)
def test_every_vote_counts_once_and_the_first_is_a_best(
    answers: dict[str, str | None], scores: dict[str, float]
) -> None:
    found = ranked(distinct(answers, str.casefold), scores)
    assert sorted(model for each in found for model in each.models) == sorted(
        model for model, answer in answers.items() if answer is not None
    )
    finals = [each.final for each in found if each.final is not None]
    assert finals == sorted(finals, reverse=True)
    assert [each.final is None for each in found] == sorted(each.final is None for each in found)
