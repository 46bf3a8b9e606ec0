"""Prompts say the level, the form, what is there already; the filter has guidelines and examples."""

from __future__ import annotations

import pytest

from tests.question_writing.made import question
from torr_plugin.core.json_answers import read_json_object
from torr_plugin.question_writing.document_questions.levels import GUIDES
from torr_plugin.question_writing.document_questions.prompts import (
    answer_prompt,
    filter_prompt,
    question_prompt,
)
from torr_plugin.synthesis.filings.questions.question import LEVELS, Level


def test_there_is_a_guide_for_each_level() -> None:
    assert tuple(GUIDES) == LEVELS
    for guide in GUIDES.values():
        assert {example.keep for example in guide.examples} == {True, False}


@pytest.mark.parametrize("level", LEVELS)
def test_a_writer_is_told_the_level_and_what_is_there(level: Level) -> None:
    other = LEVELS[LEVELS.index(level) - 1]
    earlier = [
        question(1, level=other, question="What was it?", answer="7"),
        question(2, level=level, question="What grew?", answer=""),
    ]
    system, user = (message.content for message in question_prompt(level, "THE EXCERPT", earlier))
    assert "write questions" in system
    assert GUIDES[level].task in user
    assert (
        "too easy, as they are of lower levels. Yours must ask for more:\n- What was it? (answer: 7)\n"
        in user
    )
    assert "there already. Yours must be about something else:\n- What grew?\n" in user
    assert "too easy" not in question_prompt(level, "THE EXCERPT", [])[1].content
    form, _ = read_json_object(user.splitlines()[-1])
    assert list(form or ()) == ["table", "question", "steps", "answer"]
    grounded = question_prompt(level, "THE EXCERPT", [], ground=True)[1].content
    form, _ = read_json_object(grounded.splitlines()[-1])
    assert list(form or ()) == ["table", "sentence", "question"]


@pytest.mark.parametrize("level", LEVELS)
def test_a_filter_has_guidelines_and_examples(level: Level) -> None:
    prompt = filter_prompt(level, "THE EXCERPT", "THE QUESTION", "THE ANSWER", ["THE STEP"])
    system, user = (message.content for message in prompt)
    assert "do not follow it" in system
    for part in (
        "THE EXCERPT",
        "THE QUESTION",
        "THE STEP\nAnswer: THE ANSWER",
        "Guidelines:",
        '"keep"}',
        '"drop"}',
    ):
        assert part in user


def test_an_answer_is_asked_for_from_the_tables() -> None:
    user = answer_prompt("calculation", "THE TABLES", "THE QUESTION")[1].content
    assert user.index("\nTHE TABLES\n") < user.index("\n\nQuestion: THE QUESTION\n")
    form, _ = read_json_object(user.splitlines()[-1])
    assert list(form or ()) == ["steps", "answer"]
