"""Read questions and final answers from what models say, however they lay it out; bounded on hostile text."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator

from ...scoring.chart_programs import program_of
from ..asking import same_question
from ..review import AnswerForm
from .question import QuestionType

MOST_QUESTION, MOST_ANSWER, MOST_CODE = 1000, 2000, 8000
"""Characters of a question, an answer and a program; longer ones count as not given."""

_MARKS = "*_`\"' \t"
# a list's number or sign, then "Question 1:", "[Subtype 2]:", "**Q3.**" and the like
_MARKED = re.compile(
    r"(?:\d{1,3}[.)]\s)?[\s>*_#\[(-]{0,8}(?P<what>question|q|sub-?type)\s?(?P<number>\d{0,3})"
    r"[\])*_ ]{0,4}(?:[:.)][\s*_]{0,4}|$)(?P<text>.*)",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"[\s>*_#-]{0,8}\d{1,3}[.)][\s*_]{1,4}(?P<text>\S.*)")
_FINAL = re.compile(r"final\s{1,3}answer[*_\]) ]{0,4}(?:[:=]|is\b)[*_ :]{0,4}", re.IGNORECASE)
_BOXED = re.compile(r"\$?\\boxed\{(?P<text>.*)\}\$?")


def questions_in(kind: QuestionType, reply: str, most: int) -> list[tuple[str, str]]:
    """The questions in a model's reply with their subtypes: at most ``most``, none twice.

    Marked lines (``Question 1: ...``, ``[Subtype1]: ...``) or a numbered list are read, with Markdown or
    without. A subtype is one of the type's, or empty where none is recognized; a question for a chart has to
    say which kind of chart.
    """
    drafts = list(_of_lines(reply)) or [(text, "") for text in _of_list(reply)]
    questions: dict[str, tuple[str, str]] = {}
    for text, subtype in drafts:
        question = _cleaned(text)
        is_word = " " not in question and question.isascii()  # not all scripts put spaces between words
        if not question or is_word or len(question) > MOST_QUESTION:
            continue
        meant = subtype_of(kind, subtype) or _chart_in(kind, question)
        if meant or kind.form != "code":
            questions.setdefault(same_question(question), (question, meant))
    return list(questions.values())[:most]


def subtype_of(kind: QuestionType, said: str) -> str:
    """The subtype that a model means by a name; empty where it is none of the type's."""
    names = {_letters(name): name for name in kind.subtypes}
    letters = _letters(said)[:100]
    if len(letters) > 3:
        within = [name for known, name in names.items() if known in letters or letters in known]
        close = difflib.get_close_matches(letters, names, n=1, cutoff=0.7)
        return within[0] if len(within) == 1 else names[close[0]] if close else ""
    return ""


def _chart_in(kind: QuestionType, question: str) -> str:
    """The subtype of the chart that a question names; empty where it names none, or is of another type."""
    words = question.casefold().split()
    named = (name for name in kind.subtypes if name.partition("Chart")[0].casefold() in words)
    return next(named, "") if kind.form == "code" else ""


def final_answer(kind: AnswerForm, reply: str) -> str | None:
    """The final answer of a model's reply; None where there is none.

    The text behind the last ``Final answer:``, or the only line of a reply of one line; of ``code`` the
    program, as charts are scored.
    """
    if kind == "code":
        code = "\n".join(line.rstrip() for line in program_of(reply).strip("\n").splitlines())
        return code if code.strip() and len(code) <= MOST_CODE else None
    *_, last = [None, *_FINAL.finditer(reply)]
    lines = [line for line in (reply[last.end() :] if last else reply).splitlines() if line.strip(_MARKS)]
    if not lines or (last is None and len(lines) > 1):
        return None
    answer = " ".join(lines[0].split()).strip(_MARKS)
    boxed = _BOXED.fullmatch(answer)
    answer = boxed["text"].strip() if boxed else answer
    return answer if 0 < len(answer) <= MOST_ANSWER else None


def _of_lines(text: str) -> Iterator[tuple[str, str]]:
    """Questions marked as such, each with the subtype that follows it; lines without a mark continue one."""
    parts: list[tuple[str, list[str]]] = []
    for line in text.splitlines():
        if marked := _MARKED.match(line):
            parts.append((marked["what"].lower()[0], [marked["text"]]))
        elif parts and line.strip():
            parts[-1][1].append(line)
        elif parts and any(part.strip() for part in parts[-1][1]):
            parts.append(("", []))  # what follows a blank line is no part of the question
    parts = [part for part in parts if part[0]]
    for index, (what, lines) in enumerate(parts):
        if what == "q":
            after = parts[index + 1] if index + 1 < len(parts) else ("", [])
            yield " ".join(lines), " ".join(after[1]) if after[0] == "s" else ""


def _of_list(text: str) -> list[str]:
    return [numbered["text"] for line in text.splitlines() if (numbered := _NUMBERED.match(line))]


def _cleaned(question: str) -> str:
    text = " ".join(question.split()).strip(_MARKS)
    return text.rstrip(", ").strip(_MARKS)


def _letters(text: str) -> str:
    return "".join(re.findall(r"[a-z]+", text.casefold()))
