"""Which answer a vote chooses."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from torr_plugin.synthesis.annotation import Alternative, distinct, ranked, with_scores

ANSWERS = {"a": "Heron", "b": "heron", "c": "Otter", "d": None}


def test_equal_answers_are_counted_together_over_all_who_were_asked() -> None:
    assert distinct(ANSWERS, str.casefold) == [
        Alternative("Heron", ("a", "b"), 4),
        Alternative("Otter", ("c",), 4),
    ]
    assert distinct({"a": None}, str.casefold) == []


def test_frequency_times_score_chooses() -> None:
    scored = with_scores(distinct(ANSWERS, str.casefold), {"Heron": 40, "Otter": 90})
    assert [(each.answer, each.final) for each in ranked(scored)] == [("Otter", 22.5), ("Heron", 20.0)]


def test_ties_go_to_frequency_and_then_to_the_first() -> None:
    tied = [Alternative("x", ("a",), 3, 80), Alternative("y", ("b", "c"), 3, 40)]
    assert [each.answer for each in ranked(tied)] == ["y", "x"]
    alike = [Alternative(name, (name,), 3, 50) for name in "zxy"]
    assert [each.answer for each in ranked(alike)] == ["z", "x", "y"]
    worthless = [Alternative("x", ("a",), 3, 0), Alternative("y", ("b", "c"), 3, 0)]
    assert [each.answer for each in ranked(worthless)] == ["y", "x"]


def test_an_answer_without_a_score_comes_last() -> None:
    some = [Alternative("x", ("a", "b"), 3), Alternative("y", ("c",), 3, 0)]
    assert [each.answer for each in ranked(some)] == ["y", "x"]
    none = [Alternative("x", ("a",), 3), Alternative("y", ("b", "c"), 3)]
    assert [each.answer for each in ranked(none)] == ["y", "x"]


@given(
    st.dictionaries(st.text("mnopq", min_size=1, max_size=3), st.sampled_from([*"abcAB", None]), min_size=1),
    st.dictionaries(st.sampled_from("abcAB"), st.integers(0, 100)),
)
def test_every_vote_counts_once_and_the_first_is_a_best(
    answers: dict[str, str | None], scores: dict[str, float]
) -> None:
    found = ranked(with_scores(distinct(answers, str.casefold), scores))
    assert sorted(model for each in found for model in each.models) == sorted(
        model for model, answer in answers.items() if answer is not None
    )
    finals = [each.final for each in found if each.final is not None]
    assert finals == sorted(finals, reverse=True)
    assert [each.final is None for each in found] == sorted(each.final is None for each in found)
