"""What people said of the questions, read from the files that they filled in."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ..catalog.own_tables.questions import field_text, read_records
from ..catalog.text_files import TextFiles
from ..core.errors import DataError, RunError

REVIEW_FILES = ("review.csv", "review.xlsx", "review.jsonl")
"""The files of a folder that people can fill in."""

FILLED = ("verdict", "corrected_answer", "corrected_question", "reviewer", "comment")
"""Their columns for people."""

_VERDICTS = {"accept": "accepted", "change": "changed", "reject": "rejected"}
# what begins a formula, also behind a separator of other countries' CSV files or in a new line
_FORMULA = re.compile(r"(^|[;\t\r\n])([^\S\t\r\n]*)(?=[=+\-@\uff1d\uff0b\uff0d\uff20])")
_NUMBER = re.compile(r"[+-]?[\d.,\s]*\d\s?%?")


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

    verdict: str
    answer: str = ""
    question: str = ""
    reviewers: tuple[str, ...] = ()
    comments: tuple[str, ...] = ()
    where: str = field(default="", compare=False)


def counts_of(reviews: Mapping[str, Review], questions: int) -> dict[str, int]:
    """How many of so many questions are ``accepted``, ``changed``, ``rejected`` and ``unreviewed``."""
    verdicts = [review.verdict for review in reviews.values()]
    counts = {name: verdicts.count(verdict) for verdict, name in _VERDICTS.items()}
    return {**counts, "unreviewed": questions - len(verdicts)}


def filled_in(folder: Path) -> list[Path]:
    """The review files of a folder that somebody has filled in.

    Raises:
        DataError: one cannot be read.
    """
    return [path for path in map(folder.joinpath, REVIEW_FILES) if path.exists() and _is_filled_in(path)]


def read_reviews(folder: Path, paths: Sequence[Path], candidates: Mapping[str, str]) -> dict[str, Review]:
    """Id -> what people said; questions without a verdict are left out.

    Args:
        folder: with the review files.
        paths: files with verdicts; none for those of the folder that somebody has filled in.
        candidates: id -> the answer to accept; empty where there is none.

    Raises:
        RunError: nobody has filled in any.
        DataError: a file cannot be read, an unknown question or verdict, two verdicts that differ, or one
            that does not fit what else is filled in.
    """
    chosen = paths or filled_in(folder)
    if not chosen:
        raise RunError(
            f"{folder}: no verdicts in {', '.join(REVIEW_FILES)}; fill in one of them, or give the file that "
            "review.html saved as --review"
        )
    reviews: dict[str, Review] = {}
    for path in chosen:
        for name, review in _reviews_in(path, candidates):
            reviews[name] = _joined(reviews[name], review) if name in reviews else review
    return reviews


def _is_filled_in(path: Path) -> bool:
    _, records = read_records(path, TextFiles())
    return any(_text(record, name, str(path)) for record in records for name in FILLED)


def _reviews_in(path: Path, candidates: Mapping[str, str]) -> Iterator[tuple[str, Review]]:
    """Id and review of each line with a verdict."""
    names, records = read_records(path, TextFiles())
    for name in ("id", "verdict"):
        if name not in names:
            raise DataError(f"{path}: no column {name!r}; found: {', '.join(names)}; expected a review file")
    for name in ("id", *FILLED):
        if names.count(name) > 1:
            raise DataError(f"{path}: column {name!r} is there twice; expected once")
    for number, record in enumerate(records, start=1):
        where, name = f"{path}: question {number}", str(record["id"]).strip()
        if name not in candidates:
            raise DataError(f"{where}: id: found {name[:60]!r}; expected one of this folder's questions")
        verdict, answer, question, who, comment = (_text(record, column, where) for column in FILLED)
        reviewers, comments = (tuple(filter(None, [text])) for text in (who, comment))
        review = Review(verdict.lower(), answer, question, reviewers, comments, where)
        if wrong := _problem(review, candidates[name]):
            raise DataError(f"{where}: {wrong}")
        if verdict:
            yield name, review


def _problem(review: Review, candidate: str) -> str:
    """What is wrong with the fields of a line; empty where nothing is."""
    verdict, corrected = review.verdict, review.answer or review.question
    if not verdict:
        return "has a correction without a verdict; expected 'change'" if corrected else ""
    if verdict not in _VERDICTS:
        return f"verdict: found {verdict[:40]!r}; expected one of: {', '.join(_VERDICTS)}"
    if verdict == "change" and not corrected:
        return "verdict 'change' without a corrected_answer or corrected_question"
    if verdict != "change" and corrected:
        return f"verdict {verdict!r} with a correction; expected 'change'"
    if verdict != "reject" and not (candidate or review.answer):
        return "no model answered it; expected a corrected_answer, or the verdict 'reject'"
    return ""


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
    return replace(
        other,
        reviewers=tuple(dict.fromkeys((*one.reviewers, *other.reviewers))),
        comments=tuple(dict.fromkeys((*one.comments, *other.comments))),
    )


def neutralized(text: str) -> str:
    """A text that no spreadsheet program takes for a formula: an apostrophe stands before what could be one.

    Numbers stay as they are.
    """
    return text if _NUMBER.fullmatch(text) else _FORMULA.sub(r"\1\2'", text)


def _text(record: Mapping[str, Any], name: str, where: str) -> str:
    """A field as its reviewer meant it: without the apostrophe that keeps it from being a formula."""
    text = field_text(record.get(name), name, where)
    return text[1:] if text[:1] == "'" and _FORMULA.match(text[1:]) else text
