"""Questions and final answers, as models lay them out."""

from __future__ import annotations

import pytest

from tests.timing import quickly
from torr_plugin.question_writing.annotation.question import question_types
from torr_plugin.question_writing.annotation.replies import (
    MOST_ANSWER,
    MOST_CODE,
    MOST_QUESTION,
    final_answer,
    questions_in,
    subtype_of,
)

NUMBERS = question_types()["numerical_reasoning"]
MANY, LONGEST = "How many rivers are long?", "Which river is the longest?"
LAYOUTS = {
    "as asked": f"Question 1: {MANY}\nSubtype 1: Counting\nQuestion 2: {LONGEST}\nSubtype 2: Ranking",
    "the paper's": f"[Question1]: {MANY} ,\n[subtype1]: Counting .\n"
    f"[Question2]: {LONGEST} ,\n[subtype2]: Ranking .",
    "bold, in a list": f"1. **Question:** {MANY}\n   - **Subtype:** counting\n\n"
    f"2. **Question:** {LONGEST}\n   - **Sub-type:** Ranking",
    "under headings": f"### Question 1\n\n{MANY}\n### Subtype 1\nCounting\n### Question 2\n{LONGEST}\n\n"
    "### Subtype 2\nRanking",
    "over two lines": "Q1: How many rivers\nare long?\nSubtype: Counting\nQ2. Which river is\n  the "
    "longest?\nSubtype: Ranking\n\nI hope that this helps you!",
    "in other words": f"Question 1: {MANY}\nSubtype 1: Counting task\nQuestion 2: {LONGEST}\n"
    "Subtype 2: rankings",
}


@pytest.mark.parametrize("reply", LAYOUTS.values(), ids=LAYOUTS)
def test_every_layout_gives_the_same_questions(reply: str) -> None:
    assert questions_in(NUMBERS, reply, 5) == [
        (MANY, "Counting"),
        (LONGEST, "Ranking"),
    ]


def test_a_plain_list_has_no_subtypes() -> None:
    assert questions_in(NUMBERS, f"Sure!\n1. {MANY}\n2) {LONGEST}", 5) == [
        (MANY, ""),
        (LONGEST, ""),
    ]


def test_a_script_without_spaces_has_questions_too() -> None:
    reply = "Question 1: 长度超过400公里的河流有哪些\nSubtype 1: Comparison\nQuestion 2: None"
    assert [text for text, _ in questions_in(NUMBERS, reply, 5)] == ["长度超过400公里的河流有哪些"]


def test_questions_are_bounded_and_none_comes_twice() -> None:
    reply = "\n".join(f"Question {n}: {text}" for n, text in enumerate([MANY, MANY.upper(), LONGEST, "Why"]))
    assert [text for text, _ in questions_in(NUMBERS, reply, 5)] == [MANY, LONGEST]
    assert [text for text, _ in questions_in(NUMBERS, reply, 1)] == [MANY]
    assert questions_in(NUMBERS, f"Question 1: {'very ' * MOST_QUESTION}long?", 5) == []
    assert questions_in(NUMBERS, "I cannot see any table.", 5) == []


def test_a_question_for_a_chart_says_which() -> None:
    charts = question_types()["chart_generation"]
    reply = "1. Draw a bar chart of the lengths.\n2. Draw the lengths.\n3. Show them, in a pie chart."
    assert questions_in(charts, reply, 5) == [
        ("Draw a bar chart of the lengths.", "BarChart Generation"),
        ("Show them, in a pie chart.", "PieChart Generation"),
    ]


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("Multi-hop Numerical Reasoing", "Multi-hop Numerical Reasoning"),
        ("Calculation (Numerical Calculation)", "Calculation"),
        ("compare", "Comparison"),
        ("Ranking or Counting", ""),
        ("Poetry", ""),
        ("", ""),
    ],
)
def test_a_subtype_is_recognized_or_left_out(said: str, meant: str) -> None:
    assert subtype_of(NUMBERS, said) == meant
    assert subtype_of(question_types()["chart_generation"], "line chart") == "LineChart Generation"


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ("1. The Heron is 1,205 km.\nFinal answer: 1,205", "1,205"),
        ("**Final Answer:** **Heron | Linden**\n", "Heron | Linden"),
        ("Final answer: a first try\nNo, wait.\nFinal answer:\n\n`Otter`", "Otter"),
        ("The final answer is: $\\boxed{42}$", "42"),
        ("-12.5 %", "-12.5 %"),
        ("412", "412"),
        ("It may be 412.\nOr 733.", None),
        ("Final answer:", None),
        ("", None),
        ("Final answer: " + "x" * (MOST_ANSWER + 1), None),
    ],
)
def test_the_final_answer(reply: str, answer: str | None) -> None:
    assert final_answer("values", reply) == answer


PROGRAM = "import matplotlib.pyplot as plt\nplt.bar(['a'], [1])\nplt.show()"


@pytest.mark.parametrize(
    "reply",
    [
        f"Steps.\n```python\n{PROGRAM}\n```",
        f"```\nimport wrong\n```\nBetter:\n```python\n{PROGRAM}   \n```\nThat draws it.",
        f"Cut off:\n```python\n{PROGRAM}",
        f"Here it is:\n{PROGRAM}",
    ],
)
def test_the_program_of_a_chart(reply: str) -> None:
    assert final_answer("code", reply) == PROGRAM


@pytest.mark.parametrize(
    "reply", ["No chart.", "```python\n```", "```python\n" + "x = 1\n" * MOST_CODE + "```"]
)
def test_no_program(reply: str) -> None:
    assert final_answer("code", reply) is None


@pytest.mark.parametrize(
    "evil",
    [
        "[" * 100_000,
        "Question" * 12_000,
        "1. " * 30_000,
        "final answer " * 8000,
        "Q\n" * 50_000,
        "```\n" * 25_000,
        "```" + " " * 100_000 + "!",
        "\n" * 100_000 + "x",
        "import " * 14_000,
        "*" * 100_000,
        "\\boxed{" * 15_000,
    ],
)
def test_hostile_replies_are_read_in_no_time(evil: str) -> None:
    quickly(lambda: questions_in(NUMBERS, evil, 5))
    quickly(lambda: final_answer("values", evil))
    quickly(lambda: final_answer("code", evil))
