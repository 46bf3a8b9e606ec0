"""The words of the prompts: another word is another key, and every reply would be asked for again."""

from __future__ import annotations

import hashlib
from types import SimpleNamespace
from typing import Any, cast

import pytest

from tests.question_writing.made import question
from torr_plugin.prompts import Prompt
from torr_plugin.question_writing.annotation.question import AnnotatedQuestion, question_types
from torr_plugin.question_writing.annotation.task import AnnotationTask
from torr_plugin.question_writing.asking import prompt, prompt_values
from torr_plugin.question_writing.document_questions.excerpts import DocumentExcerpt
from torr_plugin.question_writing.document_questions.question import LEVELS
from torr_plugin.question_writing.document_questions.task import (
    SynthesisTask,
    answer_prompt,
    filter_prompt,
)
from torr_plugin.scoring.json_answers import read_json_object

EARLIER = [question(1), question(2, level="calculation", answer=""), question(3, level="analysis")]
TYPES = question_types().values()
EXCERPT = cast(DocumentExcerpt, SimpleNamespace(text="EXCERPT"))
TABLES: Any = SimpleNamespace(texts={"t": "TABLE"})
GROUNDED, PLAIN = (
    cast(
        SynthesisTask,
        SimpleNamespace(ground=ground),
    )
    for ground in (True, False)
)
PROMPTS: dict[str, list[Prompt]] = {
    "questions about tables": [
        prompt("table_question", kind=kind, table="TABLE", number=7) for kind in TYPES
    ],
    "answers about tables": [
        prompt("table_answer", kind=kind, subtype=subtype, table="TABLE", question="HOW MANY?", tree=tree)
        for kind in TYPES
        for subtype in (*kind.subtypes, "")
        for tree in ("", "TREE")
    ],
    "scores": [
        AnnotationTask.score_prompt(
            TABLES, AnnotatedQuestion("", "t", kind.name, "", "HOW MANY?", ""), "ANSWER"
        )
        for kind in TYPES
    ],
    "questions about documents": [
        SynthesisTask.question_prompt(task, level, EXCERPT, earlier)
        for level in LEVELS
        for earlier in ([], EARLIER)
        for task in (PLAIN, GROUNDED)
    ],
    "answers about documents": [answer_prompt(level, "TABLES", "HOW MANY?") for level in LEVELS],
    "verdicts": [
        filter_prompt(question(1, level=level, question="WHY?", answer="7", steps=("3 + 4",)), "EXCERPT")
        for level in LEVELS
    ],
}
DIGESTS = {
    "questions about tables": "bb4383822e23f523",
    "answers about tables": "97f52aec5a700fb6",
    "scores": "47100b76c61bdcea",
    "questions about documents": "838b978a552385f0",
    "answers about documents": "dc29c30f8205d972",
    "verdicts": "4bdbcacd867aca5e",
}


@pytest.mark.parametrize("name", PROMPTS)
def test_the_words_stay(name: str) -> None:
    said = "\n".join(f"{message.role}: {message.content}" for prompt in PROMPTS[name] for message in prompt)
    assert hashlib.sha256(said.encode()).hexdigest()[:16] == DIGESTS[name]


def test_what_is_told_of_a_type_is_in_its_prompts() -> None:
    assert [len(kind.subtypes) for kind in TYPES] == [3, 5, 5, 4, 4]  # RealHiTBench, section 3.3
    for kind, (_, asked) in zip(TYPES, PROMPTS["questions about tables"], strict=True):
        assert all(f"{name}: it asks for {about}" in asked.content for name, about in kind.subtypes.items())
        assert set(kind.hints) <= set(kind.subtypes)


def test_a_filter_is_shown_examples_of_both_verdicts() -> None:
    guides = prompt_values("levels")
    assert tuple(guides) == LEVELS
    for (_, user), guide in zip(PROMPTS["verdicts"], guides.values(), strict=True):
        assert {example["verdict"] for example in guide["examples"]} == {"keep", "drop"}
        assert all(example["question"] in user.content for example in guide["examples"])


def test_the_form_that_is_asked_for_can_be_read() -> None:
    forms = [
        list(read_json_object(user.content.splitlines()[-1])[0] or ())
        for name in ("questions about documents", "answers about documents", "verdicts")
        for _, user in PROMPTS[name][:2]
    ]
    assert forms == [
        ["table", "question", "steps", "answer"],
        ["table", "sentence", "question"],
        *[["steps", "answer"]] * 2,
        *[["reason", "verdict"]] * 2,
    ]
