"""Replies of models are read leniently, never raise, and no question can pose as the filter's verdict."""

from __future__ import annotations

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from torr_plugin.question_writing.document_questions.replies import (
    Draft,
    is_quoted,
    read_answer,
    read_draft,
    read_verdict,
)

WORDS = st.lists(st.text("abcde79$%.,'", min_size=1, max_size=8), min_size=1, max_size=5).map(" ".join)


@given(WORDS, WORDS, st.lists(WORDS, max_size=3), st.none() | st.integers(0, 99))
def test_what_a_writer_gives_is_read(question: str, answer: str, steps: list[str], table: int | None) -> None:
    said = {"table": f"T{table}" if table is not None else "", "question": question, "steps": steps}
    draft = Draft(question, answer, tuple(steps), table)
    text = json.dumps({**said, "answer": answer})
    for reply in (
        text,
        f"<think>{{}}</think>\n```json\n{text}\n```",
        json.dumps({"output": json.loads(text)}),
    ):
        assert read_draft(reply) == draft


@pytest.mark.parametrize(
    ("named", "number"),
    [
        ("T3", 3),
        ("[T3]", 3),
        ("t12", 12),
        ("3", 3),
        (3, 3),
        ("table 3", 3),
        ("T1 and T2", None),
        ("the second", None),
        (None, None),
    ],
)
def test_the_table_may_be_named_in_other_words(named: object, number: int | None) -> None:
    found = read_draft(json.dumps({"table": named, "question": "How many?", "answer": 7}))
    assert isinstance(found, Draft)
    assert (found.table, found.answer) == (number, "7")


@pytest.mark.parametrize(
    ("reply", "problem"),
    [
        ("", "no JSON"),
        ("How many? 7.", "no JSON"),
        ("{" * 500, "too deep"),
        ('{"answer": "7"}', "no question"),
        ('{"question": "  ", "answer": "7"}', "no question"),
        ('{"question": "How many?", "answer": []}', "no answer"),
        (json.dumps({"question": "a " * 1000, "answer": "7"}), "question too long"),
        (json.dumps({"question": "How many?", "answer": "7" * 2001}), "answer too long"),
    ],
)
def test_what_is_wrong_with_the_form_is_named(reply: str, problem: str) -> None:
    assert read_draft(reply) == problem


def test_a_grounded_question_has_a_sentence_and_leaves_the_answer_to_another_request() -> None:
    reply = '{"table": "T1", "sentence": "It rose to 7.", "question": "To what?", "answer": "9"}'
    assert read_draft(reply, ground=True) == Draft("To what?", "", (), 1, "It rose to 7.")
    assert read_draft('{"question": "To what?"}', ground=True) == "no grounding sentence"
    assert read_answer('{"steps": "one\\n\\n two", "answer": ["7", "8"]}') == ("7 | 8", ("one", "two"))
    assert read_answer("seven") == "no JSON"


def test_characters_that_no_file_holds_are_replaced() -> None:
    found = read_draft('{"question": "How \\ud800 many?", "answer": "7\\udfff"}')
    assert found == Draft("How ? many?", "7?")


@pytest.mark.parametrize(
    ("reply", "found"),
    [
        ('{"reason": "right", "verdict": "keep"}', (True, "right")),
        ('Reason first.\n{"rationale": "easy", "Verdict": "Drop."}', (False, "easy")),
        ('{"result": {"verdict": "keep"}}', (True, "")),
        ('{"verdict": "perhaps"}', "no verdict"),
        ('{"reason": "keep"}', "no verdict"),
        ("keep", "no JSON"),
        ('{"verdict": "keep"} {"verdict": "drop"}', "two objects"),
        ('{"verdict": "drop", "verdict": "keep"}', "key twice"),
    ],
)
def test_a_verdict_is_one_or_none(reply: str, found: object) -> None:
    assert read_verdict(reply) == found


@given(st.text() | st.text('{}[]"\\:,keptdrovi \n', max_size=300))
@example('{"verdict": {"keep": {"keep": []}}}')
def test_no_reply_raises_an_error(reply: str) -> None:
    assert isinstance(read_draft(reply), Draft | str)
    assert isinstance(read_draft(reply, ground=True), Draft | str)
    assert isinstance(read_verdict(reply), tuple | str)
    assert isinstance(read_answer(reply), tuple | str)


TEXTS = ("Total commitments\nrose to $721 million in 2023. They had been \u201clow\u201d \u2013 before.",)


@pytest.mark.parametrize(
    ("sentence", "quoted"),
    [
        ("Total commitments rose to $721 million in 2023.", True),
        ('"total commitments  rose to $721 million"', True),
        ('They had been "low" - before.', True),
        ("Total commitments rose to $722 million in 2023.", False),
        ("Total commitments", False),
        ("", False),
        ('"" "', False),
    ],
)
def test_a_quoted_sentence_stands_in_the_text(sentence: str, quoted: bool) -> None:
    assert is_quoted(sentence, TEXTS) is quoted
