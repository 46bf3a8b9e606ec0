"""Values with units in JSON are right by documented rules; failures of the form are counted apart."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from torr_plugin.core.texts import split_thoughts
from torr_plugin.scoring.metrics import metrics

from ...scoring.test_documented import table


def scores(answer: object, reference: str, question: str = "") -> dict[str, float]:
    text = json.dumps({"steps": "first, then", "answer": answer})
    return metrics.get("tablequest").scores(text, [reference], {"question": question})  # type: ignore[call-arg]


def accuracy(answer: object, reference: str, question: str = "") -> float:
    return scores(answer, reference, question)["accuracy"]


DOCUMENTED = list(table("question says"))[1:]


@pytest.mark.parametrize("row", DOCUMENTED, ids=lambda row: row[1])
def test_the_documented_answers_are_right_and_wrong(row: list[str]) -> None:
    question, reference, right, wrong = row
    for answers, expected in ((right, 1.0), (wrong, 0.0)):
        found = {answer: accuracy(answer, reference, question) for answer in answers.split("; ")}
        assert found == dict.fromkeys(found, expected)


# by hand, from answers of the kinds that models gave: answer, reference, question, whether it is right
GOLDEN = (
    ("0.2%", "0.2%", "", True),
    ("15.4% - 15.2% = 0.2%", "0.2%", "", False),
    ("243", "243 units", "", True),
    ("The Grand has 243 units.", "243", "", True),
    ("243 or 244", "243", "", False),
    ({"change": "-$13.2 million"}, "-$13.2 million", "", True),
    ({"change": "-$13.2 million", "share": "-85.16%"}, "-$13.2 million", "", False),
    (["Solar", "Wind"], "Wind | Solar", "", True),
    (["Solar", "Wind"], "Solar", "", False),
    ("5229", "$5,229 million", "What was it, in millions of dollars?", True),
    ("$5.229 billion", "$5,229 million", "", True),
    ("$5.23 billion", "$5,229 million", "", False),
    ("0", "-", "", False),
    ("December 31 2022", "December 31, 2022", "", True),
    ("December 2022", "December 31, 2022", "", False),
    ("fiscal 2023", "2023", "Was it more in 2022 or in 2023?", True),
    ("It increased", "increase", "Did it increase?", False),
    ("An increase", "increase", "", True),
    ("It did not increase", "increase", "Did it increase?", False),
    ("Yes.", "yes", "", True),
    ("no", "yes", "", False),
    ("5.2% decrease", "-5.2%", "", True),
    ("5.2% decrease", "5.2%", "By how much did it decrease?", True),
    ("more than 5", "5", "", False),
    ("[[A]]", "5", "", False),
    ("1", "3/4", "", False),
    ("0.75", "3/4", "", True),
    ("3/4", "3/4", "", True),
    ("3", r"2\frac{3}{4}", "", False),
    ("2.75", "2¾", "", True),
    ("2.7", "2 3/4", "", False),
    ("0.3333333333", r"\frac{1}{3}", "", True),
    ("1.5e-3", "0.0015", "", True),
    ("0.04", "1.5e-3", "", False),
    (True, "true", "", True),
    ("x" * 3000, "x" * 3000, "", False),
)


@pytest.mark.parametrize(("answer", "reference", "question", "is_right"), GOLDEN)
def test_golden_answers(answer: object, reference: str, question: str, is_right: bool) -> None:
    assert accuracy(answer, reference, question) == float(is_right)


@settings(max_examples=50)
@given(
    st.integers(-(10**6), 10**6).filter(bool),
    st.integers(0, 3),
    st.sampled_from(["", "thousand", "million", "billion"]),
)
def test_a_number_is_right_in_every_spelling_and_wrong_a_digit_beside(
    digits: int, decimals: int, scale: str
) -> None:
    value = Decimal(digits).scaleb(-decimals)
    size = f"${abs(value):,.{decimals}f} {scale}".strip()
    reference = f"-{size}" if value < 0 else size
    plain = value * {"": 1, "thousand": 10**3, "million": 10**6, "billion": 10**9}[scale]
    spellings = [reference, f"{plain:f}", f"{value:,f} {scale} dollars", f"The answer is {reference}."]
    spellings.append(f"({size})" if value < 0 else f"+{size}")
    assert [text for text in spellings if not accuracy(text, reference)] == []
    beside = value + Decimal(1).scaleb(-decimals)
    assert not accuracy(f"{beside:f} {scale}", reference)
    assert accuracy(f"{value:f}", reference, f"in {scale}s of dollars") == 1.0


@settings(max_examples=50)
@given(st.text(max_size=40), st.text(max_size=40), st.text(max_size=40))
def test_an_answer_equal_to_its_reference_is_right_and_scores_are_shares(
    text: str, other: str, question: str
) -> None:
    found = scores(text, other, question)
    assert all(0 <= score <= 1 for score in found.values())
    if text.strip() and "|" not in text and not split_thoughts(text).reasoning:
        assert accuracy(text, text, question) == 1.0
        assert scores(text, text)["exact_match"] == 1.0


FAILURES = {
    "I think it is 5.": 0.0,
    '{"steps": "so it is 5"}': 0.0,
    "": 0.0,
    '{"answer": "4"} or {"answer": "5"}': 1.0,
    '{"answer": "5"} or {"answer": "4"}': 0.0,
}


@pytest.mark.parametrize("text", FAILURES)
def test_failures_of_the_form_are_counted_apart(text: str) -> None:
    found = metrics.get("tablequest").scores(text, ["5"])
    assert (found["accuracy"], found["answer_format"]) == (FAILURES[text], 0.0)
    assert metrics.get("tablequest_analysis").scores(text, ["5"])["answer_format"] == 0.0


def test_an_analysis_is_rated_by_its_answer_alone() -> None:
    text = '{"steps": "Revenue fell in 2023.", "answer": "The margin rose."}'
    found = metrics.get("tablequest_analysis").scores(text, ["the margin rose"])
    assert found == {"rouge1": 1.0, "rouge2": 1.0, "rougeL": 1.0, "answer_format": 1.0}
    assert metrics.get("tablequest_analysis").scores("The margin rose.", ["the margin rose"])["rougeL"] == 0.0
