"""Recall of an answer's tokens in its evidence, as TableQuest's Table 4 has it."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from torr_plugin.question_writing.document_questions.question import DocumentQuestion
from torr_plugin.question_writing.document_questions.recall import (
    LENGTHS,
    recall,
    recall_by_length,
    word_tokens,
)


def texts() -> st.SearchStrategy[str]:
    return st.text(max_size=60) | st.sampled_from(["$1,234 rose.", "(20)%", "It didn't. So it fell to -3.5"])


def answered(answer: str, source: str, document: str, level: Any = "extraction") -> DocumentQuestion:
    """A question about a document whose answer should be in the source."""
    return DocumentQuestion("", document, level, 0, None, "How many?", answer, evidence=source)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        # the example in NLTK's documentation of word_tokenize
        (
            "Good muffins cost $3.88\nin New York.  Please buy me\ntwo of them.\n\nThanks.",
            "Good muffins cost $ 3.88 in New York . Please buy me two of them . Thanks .",
        ),
        ("$1,234 million, or (20)% of it", "$ 1,234 million , or ( 20 ) % of it"),
        ("It didn't fall; it's Acme's.", "It did n't fall ; it 's Acme 's ."),
        ('He said "rose" -- by -5.5', "He said `` rose '' -- by -5.5"),
        (
            "U.S. sales of Acme Inc. rose. They cannot fall",
            "U.S. sales of Acme Inc. rose . They can not fall",
        ),
        ("no. 7: a/b, c&d...", "no . 7 : a/b , c & d ..."),
        ("", ""),
    ],
)
def test_tokens_are_those_of_nltk(text: str, tokens: str) -> None:
    """Worked out by hand from NLTK's rules: sentences by Punkt, then the tokenizer of the Penn Treebank."""
    assert word_tokens(text) == tokens.split()


def row(rows: list[dict[str, Any]], name: str) -> dict[str, Any]:
    return next(each for each in rows if each["answers"] == name)


def test_by_length_by_level_and_of_all() -> None:
    """By hand: the first has 2 tokens, of which the source has one as it is written."""
    rows = recall_by_length(
        [
            answered("$ 1234", "It was $1,234 in 2023.", "a", "extraction"),
            answered("12", "no number", "b", "calculation"),
            answered("Sales rose in the year", "In the year Sales fell", "c", "analysis"),
        ]
    )
    names = ["0-5", "5-10", "10-15", "15-20", "20+", "extraction", "calculation", "analysis", "all"]
    assert [each["answers"] for each in rows] == names
    short, five, none, whole = (row(rows, name) for name in ("0-5", "5-10", "20+", "all"))
    assert (short["count"], short["share"], short["recall"]) == (2, pytest.approx(2 / 3), 0.25)
    assert (five["count"], five["recall"]) == (1, pytest.approx(3 / 5))
    assert (none["count"], none["recall"], none["low"], none["high"]) == (0, None, None, None)
    assert whole["recall"] == pytest.approx((0.5 + 0 + 0.6) / 3)
    assert row(rows, "calculation")["recall"] == 0


def test_a_repeated_token_counts_as_often_as_the_source_has_it() -> None:
    assert recall(["a", "a", "b"], ["a", "c"]) == pytest.approx(1 / 3)
    assert math.isnan(recall([], ["a"]))


def test_an_answer_without_tokens_has_no_part() -> None:
    rows = recall_by_length([answered(" ", "x", "a"), answered("x", "x", "b")])
    assert [each["answers"] for each in rows] == [*LENGTHS, "all"]  # of a single level no row of its own
    assert (rows[-1]["count"], rows[-1]["recall"]) == (2, 1)


def test_answers_about_one_document_are_a_cluster() -> None:
    """As many answers from fewer documents say less; of a single document nothing is known."""

    def width(documents: int) -> float:
        # in each document all answers are right, or all wrong
        answers = [answered("a", "ab"[n % documents % 2], str(n % documents)) for n in range(60)]
        whole = row(recall_by_length(answers), "all")
        assert whole["recall"] == 0.5
        return (whole["high"] or 0) - (whole["low"] or 0)

    assert width(60) < width(10) < width(4)
    single = row(recall_by_length([answered("a", "a", "one")] * 9), "all")
    assert (single["recall"], single["low"], single["high"]) == (1, 0, 1)


@given(st.lists(st.builds(answered, texts(), texts(), st.sampled_from("abc")), max_size=6))
def test_recall_is_a_share_within_its_bounds(answers: list[DocumentQuestion]) -> None:
    rows = recall_by_length(answers)
    assert sum(each["count"] for each in rows[:5]) == len(answers) == rows[-1]["count"]
    for each in rows:
        low, value, high = each["low"], each["recall"], each["high"]
        assert (low is None) == (value is None) == (high is None)
        assert each["count"] > 0 or value is None
        if value is not None:
            assert 0 <= low <= value <= high <= 1
