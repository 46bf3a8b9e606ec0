"""Read questions, answers and verdicts from what models reply; bounded on hostile text."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...scoring.json_answers import ANSWER_KEYS, read_json_object, text_at, unwrapped

MOST_QUESTION, MOST_ANSWER, MOST_STEPS, MOST_REASON = 1000, 2000, 6000, 2000
"""Characters of a question, an answer, the steps and a reason."""

_QUESTION = ("question",)
_STEPS_KEYS = ("steps", "step", "reasoning")
_TABLE = ("table",)
_SENTENCE = ("sentence", "grounding sentence", "grounding_sentence", "grounding")
_VERDICT = ("verdict", "decision")
_REASON = ("reason", "rationale", "reasoning")
_KEEP, _DROP = {"keep", "kept", "accept", "yes"}, {"drop", "dropped", "reject", "no"}
_NUMBER = re.compile(r"(?<![\w.])T?(\d{1,6})\b", re.IGNORECASE)
_ALIKE = str.maketrans("\u2018\u2019\u201c\u201d\u2010\u2011\u2012\u2013\u2014\u2212", "''\"\"------", "\xad")


@dataclass(frozen=True, slots=True)
class Draft:
    """A question as a writer gave it.

    Attributes:
        question: its text.
        answer: empty where it was left to another request.
        steps: to the answer.
        table: the number of the table that it is about; None where none or several are named.
        sentence: the quoted one; empty without.
    """

    question: str
    answer: str
    steps: tuple[str, ...] = ()
    table: int | None = None
    sentence: str = ""


def read_draft(reply: str, *, ground: bool = False) -> Draft | str:
    """The question in a writer's reply, or what is wrong with its form: ``no question`` and the like.

    Of several objects the last one counts. With ``ground`` a sentence must be there, and no answer.
    """
    reply_object, problem = read_json_object(reply)
    if reply_object is None:
        return problem
    reply_object = unwrapped(reply_object, _QUESTION)
    question, sentence = (_line(text_at(reply_object, keys)) for keys in (_QUESTION, _SENTENCE))
    if not question or len(question) > MOST_QUESTION:
        return "question too long" if question else "no question"
    tables = {int(number) for number in _NUMBER.findall(text_at(reply_object, _TABLE))}
    number = tables.pop() if len(tables) == 1 else None
    if ground:
        if not sentence:
            return "no grounding sentence"
        return Draft(question, "", (), number, sentence[:MOST_ANSWER])
    answered = _answer(reply_object)
    return answered if isinstance(answered, str) else Draft(question, *answered, number, "")


def read_answer(reply: str) -> tuple[str, tuple[str, ...]] | str:
    """The answer in a reply with the steps to it, or what is wrong with the reply's form: ``no answer``."""
    reply_object, problem = read_json_object(reply)
    return problem if reply_object is None else _answer(unwrapped(reply_object, ANSWER_KEYS))


def read_verdict(reply: str) -> tuple[bool, str] | str:
    """Whether the filter keeps the question, and why; or what is wrong with its reply's form.

    A reply with two different objects, or a verdict twice, has none: a question that it quotes could pose as
    one.
    """
    reply_object, problem = read_json_object(reply)
    if reply_object is None or problem:
        return problem
    reply_object = unwrapped(reply_object, _VERDICT)
    said = text_at(reply_object, _VERDICT).casefold().strip(" .!*\"'")
    if said not in _KEEP | _DROP:
        return "no verdict"
    return said in _KEEP, _line(text_at(reply_object, _REASON))[:MOST_REASON]


def is_quoted(sentence: str, texts: Sequence[str]) -> bool:
    """Whether a sentence of three words or more stands in one of the texts.

    White space, case and the shape of quotation marks and dashes do not matter, nor quotation marks around
    it.
    """
    wanted = _plain(sentence).strip("\"' ")
    return len(wanted.split()) > 2 and any(wanted in _plain(text) for text in texts)


def _answer(reply_object: Mapping[str, Any]) -> tuple[str, tuple[str, ...]] | str:
    answer = _line(text_at(reply_object, ANSWER_KEYS, " | "))
    if not answer or len(answer) > MOST_ANSWER:
        return "answer too long" if answer else "no answer"
    steps = text_at(reply_object, _STEPS_KEYS, "\n")[:MOST_STEPS].splitlines()
    return answer, tuple(step for line in steps if (step := _line(line)))


def _line(text: str) -> str:
    """A text in one line, with what no file can hold replaced."""
    return " ".join(text.encode("utf-8", "replace").decode().split())


def _plain(text: str) -> str:
    return " ".join(text.translate(_ALIKE).casefold().split())
