"""The files in which people review questions: CSV, XLSX, JSON lines, and a page for a browser.

Texts of models stand in them, so that a spreadsheet program must not take any for a formula.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeAlias, cast, get_args

from ...catalog.own_tables.questions import field_text, read_records
from ...core.atomic_files import write_atomically
from ...core.errors import DataError, RunError
from ...core.text_files import TextFiles
from ...leaderboard.text import visible
from ...synthesis.annotation import Alternative
from ...tables import Table, workbooks
from .page import review_page
from .questions import QUESTIONS_FILE, TABLES_FILE, AnnotatedQuestion, questions_as_bytes, tables_as_bytes

Verdict: TypeAlias = Literal["accept", "change", "reject"]

REVIEW_FILES = ("review.csv", "review.xlsx", "review.jsonl")
PAGE_FILE = "review.html"
FILLED = ("verdict", "corrected_answer", "corrected_question", "reviewer", "comment")
"""The columns for people."""

_SHOWN = ("id", "table", "type", "subtype", "question", "candidate", "score", "alternatives")
_LONGEST = 16_000  # characters; a workbook's cell holds 32,767, and some become two in it
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

    verdict: Verdict
    answer: str = ""
    question: str = ""
    reviewers: tuple[str, ...] = ()
    comments: tuple[str, ...] = ()
    where: str = field(default="", compare=False)


def check_tables_reviewed(folder: Path, html: Mapping[str, str]) -> None:
    """Refuse other tables than those that verdicts are about.

    Args:
        folder: the annotation's.
        html: name -> table, those that are to be asked about.

    Raises:
        RunError: a file has verdicts, and the tables have changed since.
    """
    known, reviewed = folder / TABLES_FILE, _reviewed(folder)
    if reviewed and known.exists() and known.read_bytes() != tables_as_bytes(html):
        raise RunError(
            f"{reviewed[0]}: has verdicts, and the tables have changed since; move it to another place to go "
            "on"
        )


def write_review(folder: Path, questions: Sequence[AnnotatedQuestion], tables: Mapping[str, Table]) -> None:
    """Write the questions, and the files for reviewers unless they are there already.

    Raises:
        RunError: a file has verdicts on other questions or candidates, or cannot be written.
    """
    content = questions_as_bytes(questions)
    known = folder / QUESTIONS_FILE
    unchanged = known.exists() and known.read_bytes() == content
    reviewed = _reviewed(folder)
    if reviewed and not unchanged:
        raise RunError(
            f"{reviewed[0]}: has verdicts, and the questions or their answers have changed since; move it to "
            "another place to go on"
        )
    rows = [_row(each) for each in questions]
    files = {
        "review.csv": _csv(rows),
        "review.xlsx": _workbook(rows),
        "review.jsonl": _json_lines(questions),
        PAGE_FILE: review_page(questions, tables).encode("utf-8", "replace"),
    }
    for name, data in files.items():
        if folder / name not in reviewed:
            write_atomically(folder / name, data)
    write_atomically(known, content)


def read_reviews(paths: Sequence[Path], questions: Mapping[str, AnnotatedQuestion]) -> dict[str, Review]:
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


def files_with_verdicts(folder: Path) -> list[Path]:
    """The files of an annotation's folder that somebody has filled in.

    Raises:
        RunError: nobody has.
    """
    found = _reviewed(folder)
    if not found:
        raise RunError(
            f"{folder}: no verdicts in {', '.join(REVIEW_FILES)}; fill in one of them, or give the file that "
            f"{PAGE_FILE} saved as --review"
        )
    return found


def alternatives_as_text(alternatives: Sequence[Alternative]) -> str:
    """A line for each answer: the answer, how many models gave it, the judge's score, a chart's values."""
    return "\n".join(
        f"{given.answer} ({len(given.models)} of {given.asked}: {', '.join(given.models)}; judge: "
        f"{'none' if given.score is None else f'{given.score:g}'}"
        f"{f'; shows {given.values}' if given.values else ''})"
        for given in alternatives
    )


def neutralized(text: str) -> str:
    """A text that no spreadsheet program takes for a formula: an apostrophe stands before what could be one.

    Numbers stay as they are.
    """
    return text if _NUMBER.fullmatch(text) else _FORMULA.sub(r"\1\2'", text)


def _row(question: AnnotatedQuestion) -> dict[str, str]:
    score = question.alternatives[0].final if question.alternatives else None
    row = {
        **{name: str(getattr(question, name)) for name in _SHOWN[:6]},
        "score": "" if score is None else f"{score:.1f}",
        "alternatives": alternatives_as_text(question.alternatives),
        **dict.fromkeys(FILLED, ""),
    }
    return {name: str(visible(value))[:_LONGEST] for name, value in row.items()}


def _csv(rows: Sequence[Mapping[str, str]]) -> bytes:
    text = io.StringIO()
    writer = csv.DictWriter(text, [*_SHOWN, *FILLED], lineterminator="\r\n")
    writer.writeheader()
    writer.writerows({name: neutralized(value) for name, value in row.items()} for row in rows)
    # with a byte order mark, without which spreadsheet programs do not take it for UTF-8
    return text.getvalue().encode("utf-8-sig", "replace")


def _workbook(rows: Sequence[Mapping[str, str]]) -> bytes:
    """The workbook, in which all are texts."""
    names = [*_SHOWN, *FILLED]
    lines = [[row[name] for name in names] for row in rows]
    return workbooks.to_bytes(Table.flat(names, lines or [[""] * len(names)]))


def _json_lines(questions: Sequence[AnnotatedQuestion]) -> bytes:
    rows = [
        {**json.loads(line), "candidate": each.candidate, **dict.fromkeys(FILLED, "")}
        for each, line in zip(questions, questions_as_bytes(questions).splitlines(), strict=True)
    ]
    return "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows).encode()


def _reviewed(folder: Path) -> list[Path]:
    """The review files that somebody has filled in."""
    return [path for path in map(folder.joinpath, REVIEW_FILES) if path.exists() and _is_filled_in(path)]


def _is_filled_in(path: Path) -> bool:
    _, records = read_records(path, TextFiles())
    return any(_text(record, name, str(path)) for record in records for name in FILLED)


def _reviews_in(path: Path, questions: Mapping[str, AnnotatedQuestion]) -> Iterator[tuple[str, Review]]:
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
            raise DataError(f"{where}: id: found {name[:60]!r}; expected one of this annotation's questions")
        filled = {each: _text(record, each, where) for each in FILLED}
        if not filled["verdict"]:
            if filled["corrected_answer"] or filled["corrected_question"]:
                raise DataError(f"{where}: has a correction without a verdict; expected 'change'")
            continue
        yield name, _review(filled, questions[name], where)


def _review(filled: Mapping[str, str], question: AnnotatedQuestion, where: str) -> Review:
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
    text = field_text(record.get(name), name, where)
    return text[1:] if text[:1] == "'" and _FORMULA.match(text[1:]) else text
