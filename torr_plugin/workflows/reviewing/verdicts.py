"""What people said of the questions, read from the files that they filled in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol, TypeAlias, cast, get_args

from ...catalog.own_tables.questions import field_text, read_records
from ...core.errors import DataError
from ...core.text_files import TextFiles
from .formulas import without_apostrophe

Verdict: TypeAlias = Literal["accept", "change", "reject"]

FILLED = ("verdict", "corrected_answer", "corrected_question", "reviewer", "comment")
"""The columns for people."""


class _Reviewed(Protocol):
    """A question that can be reviewed."""

    @property
    def candidate(self) -> str:
        """The answer to accept; empty where there is none."""


@dataclass(frozen=True)
class Review:
    """What people said of a question.

    Attributes:
        verdict: ``accept`` as it is, ``change``, or ``reject``.
        answer: the corrected answer; ``question`` the corrected question; empty where there is none.
        reviewers: who said so.
        comments: what they added.
        where: the line that says so, for messages.
    """

    verdict: Verdict
    answer: str = ""
    question: str = ""
    reviewers: tuple[str, ...] = ()
    comments: tuple[str, ...] = ()
    where: str = field(default="", compare=False)


def read_reviews(paths: Sequence[Path], questions: Mapping[str, _Reviewed]) -> dict[str, Review]:
    """Id -> what people said; questions without a verdict are left out.

    Raises:
        DataError: a file cannot be read, an unknown question or verdict, two verdicts that differ, or one
            that does not fit what else is filled in.
    """
    found: dict[str, Review] = {}
    for path in paths:
        for name, review in _reviews_in(path, questions):
            found[name] = _joined(found[name], review) if name in found else review
    return found


def is_filled_in(path: Path) -> bool:
    """Whether somebody has filled in a review file.

    Raises:
        DataError: it cannot be read.
    """
    _, records = read_records(path, TextFiles())
    return any(_text(record, name, str(path)) for record in records for name in FILLED)


def _reviews_in(path: Path, questions: Mapping[str, _Reviewed]) -> Iterator[tuple[str, Review]]:
    """Id and review of each line with a verdict."""
    names, records = read_records(path, TextFiles())
    missing = [name for name in ("id", "verdict") if name not in names]
    if missing:
        raise DataError(
            f"{path}: no column {missing[0]!r}; found: {', '.join(names)}; expected a review file"
        )
    twice = [name for name in ("id", *FILLED) if names.count(name) > 1]
    if twice:
        raise DataError(f"{path}: column {twice[0]!r} is there twice; expected once")
    for number, record in enumerate(records, start=1):
        where, name = f"{path}: question {number}", str(record["id"]).strip()
        if name not in questions:
            raise DataError(f"{where}: id: found {name[:60]!r}; expected one of this folder's questions")
        filled = {each: _text(record, each, where) for each in FILLED}
        if not filled["verdict"]:
            if filled["corrected_answer"] or filled["corrected_question"]:
                raise DataError(f"{where}: has a correction without a verdict; expected 'change'")
            continue
        yield name, _review(filled, questions[name], where)


def _review(filled: Mapping[str, str], question: _Reviewed, where: str) -> Review:
    verdict = filled["verdict"].lower()
    if verdict not in get_args(Verdict):
        expected = ", ".join(get_args(Verdict))
        raise DataError(f"{where}: verdict: found {filled['verdict'][:40]!r}; expected one of: {expected}")
    corrected = filled["corrected_answer"] or filled["corrected_question"]
    if verdict == "change" and not corrected:
        raise DataError(f"{where}: verdict 'change' without a corrected_answer or corrected_question")
    if verdict != "change" and corrected:
        raise DataError(f"{where}: verdict {verdict!r} with a correction; expected 'change'")
    if verdict != "reject" and not (question.candidate or filled["corrected_answer"]):
        raise DataError(
            f"{where}: no model answered it; expected a corrected_answer, or the verdict 'reject'"
        )
    return Review(
        verdict=cast("Verdict", verdict),
        answer=filled["corrected_answer"],
        question=filled["corrected_question"],
        reviewers=tuple(filter(None, [filled["reviewer"]])),
        comments=tuple(filter(None, [filled["comment"]])),
        where=where,
    )


def _joined(one: Review, other: Review) -> Review:
    """Two reviewers' verdicts on one question.

    Raises:
        DataError: they differ.
    """
    if (one.verdict, one.answer, one.question) != (other.verdict, other.answer, other.question):
        raise DataError(
            f"{other.where}: verdict {other.verdict!r} differs from {one.verdict!r} in {one.where}, or its "
            "corrections do; expected one verdict a question"
        )
    return Review(
        one.verdict,
        one.answer,
        one.question,
        tuple(dict.fromkeys((*one.reviewers, *other.reviewers))),
        tuple(dict.fromkeys((*one.comments, *other.comments))),
        other.where,
    )


def _text(record: Mapping[str, Any], name: str, where: str) -> str:
    """A field as its reviewer meant it: without the apostrophe that keeps it from being a formula."""
    return without_apostrophe(field_text(record.get(name), name, where))
