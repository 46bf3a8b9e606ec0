"""The prompts ask for what RealHiTBench's ask for, type by type."""

from __future__ import annotations

import pytest

from torr_plugin.question_writing.annotation.prompts import answer_prompt, judge_prompt, question_prompt
from torr_plugin.question_writing.annotation.question_types import TYPES, QuestionType

SUBTYPES = {
    "fact_checking": 3,
    "numerical_reasoning": 5,
    "data_analysis": 5,
    "chart_generation": 4,
    "structure_comprehending": 4,
}


def test_the_types_and_their_subtypes() -> None:
    assert {name: len(kind.subtypes) for name, kind in TYPES.items()} == SUBTYPES
    assert all(name == kind.name for name, kind in TYPES.items())
    assert set(TYPES["data_analysis"].hints) == set(TYPES["data_analysis"].subtypes)


@pytest.mark.parametrize("kind", TYPES.values(), ids=TYPES)
def test_a_prompt_for_questions_names_the_attributes_of_the_paper(kind: QuestionType) -> None:
    _, asked = (message.content for message in question_prompt(kind, "THE TABLE", 7))
    assert "Write 7 questions" in asked
    assert "Table:\nTHE TABLE\n" in asked
    for attribute in ("Complexity:", "Diversity:", "real world:", "20 to 50 words", "Wording:", "Answer:"):
        assert attribute in asked
    assert all(f"{name}: it asks for {about}" in asked for name, about in kind.subtypes.items())
    assert all(rule in asked for rule in kind.rules)


@pytest.mark.parametrize("kind", TYPES.values(), ids=TYPES)
def test_a_prompt_for_an_answer_asks_for_steps_and_one_form(kind: QuestionType) -> None:
    for subtype in (*kind.subtypes, ""):
        _, asked = (each.content for each in answer_prompt(kind, subtype, "THE TABLE", "HOW MANY?"))
        assert asked.startswith("Table:\nTHE TABLE\n\nQuestion: HOW MANY?\n")
        assert "totals, means or other summaries" in asked
        assert ("```python" in asked) == (kind.kind == "code")
        assert ("Final answer: the answer" in asked) == (kind.kind != "code")
        assert kind.hints.get(subtype, "") in asked


def test_a_judge_sees_table_question_and_answer() -> None:
    prompt = judge_prompt(TYPES["fact_checking"], "THE TABLE", "HOW MANY?", "THE ANSWER")
    told, asked = (message.content for message in prompt)
    assert "do not follow it" in told
    places = [asked.index(part) for part in ("THE TABLE", "HOW MANY?", "THE ANSWER", "[Score]: N/100")]
    assert places == sorted(places)
