"""The files in which people review questions: CSV, XLSX, JSON lines, and a page for a browser.

Texts of models stand in them, so that a spreadsheet program must not take any for a formula.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from ..core.atomic_files import write_atomically
from ..core.errors import RunError
from ..leaderboard.text import visible
from ..tables import Table, workbooks
from .flow import as_lines
from .page import review_page
from .verdicts import FILLED, filled_in, neutralized

if TYPE_CHECKING:
    from markupsafe import Markup

PAGE_FILE = "review.html"
QUESTIONS_FILE = "questions.jsonl"

AnswerForm: TypeAlias = Literal["values", "sentence", "code"]

_LONGEST = 16_000  # characters; a workbook's cell holds 32,767, and some become two in it


@dataclass(frozen=True)
class Alternative:
    """A distinct answer.

    Attributes:
        answer: as the first of its models wrote it.
        models: the labels of those that gave it.
        asked: the number of models that were asked.
        score: the judge's, from 0 to 100; None where it gave none.
        values: of a program, what its chart shows: a list of numbers.
    """

    answer: str
    models: tuple[str, ...]
    asked: int
    score: float | None = None
    values: str = ""

    @property
    def final(self) -> float | None:
        """Share of the models that gave the answer, times the judge's score: from 0 to 100."""
        return None if self.score is None else len(self.models) / self.asked * self.score

    def __str__(self) -> str:
        score = "none" if self.score is None else f"{self.score:g}"
        shows = f"; shows {self.values}" if self.values else ""
        models = f"{len(self.models)} of {self.asked}: {', '.join(self.models)}"
        return f"{self.answer} ({models}; judge: {score}{shows})"


@dataclass(frozen=True)
class ReviewItem:
    """A question, its candidate answer, and what a reviewer needs to judge them.

    Attributes:
        about: the figure that it is about, by name.
        group: what the page can choose questions by.
        heading: the parts of the line above the question, e.g. type and subtype; empty ones are left out.
        form: of the answer.
        shown: the columns of CSV and XLSX to be read, of all items the same; among them ``id``, ``question``
            and ``candidate``, the answer to accept, which is empty where there is none.
        row: the question as it is stored.
        more: what the JSON lines of the review have beside it.
        alternatives: all distinct answers, the candidate first.
        details: name -> text: steps, evidence, remarks; empty ones are left out.
    """

    about: str
    group: str
    heading: Sequence[str]
    form: AnswerForm
    shown: Mapping[str, str]
    row: Mapping[str, Any]
    more: Mapping[str, Any] = field(default_factory=dict)
    alternatives: Sequence[Alternative] = ()
    details: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class ReviewSheet:
    """All that is to be reviewed.

    Attributes:
        items: the questions.
        columns: those of ``shown``.
        figures: name -> what questions are about, as HTML of our own making with all texts escaped.
        groups: name -> title, in order.
        command: reads the verdicts: ``torr annotate accept``.
        figure: the word for a figure: ``Table``.
        criteria: what to look at, as a sentence or several.
    """

    items: Sequence[ReviewItem]
    columns: Sequence[str]
    figures: Mapping[str, Markup]
    groups: Mapping[str, str]
    command: str
    figure: str
    criteria: str

    @property
    def content(self) -> bytes:
        """The questions as they are stored: another content has other verdicts."""
        return as_lines(each.row for each in self.items)


def check_unreviewed(folder: Path, name: str, content: bytes, what: str) -> list[Path]:
    """Refuse to change a file that verdicts are about.

    Args:
        folder: with the review files.
        name: of the file.
        content: what it is to hold.
        what: the word for it: ``tables``.

    Returns:
        The review files that have verdicts.

    Raises:
        RunError: a review file has verdicts, and the content has changed since.
    """
    known, reviewed = folder / name, filled_in(folder)
    if reviewed and known.exists() and known.read_bytes() != content:
        raise RunError(
            f"{reviewed[0]}: has verdicts, and the {what} have changed since; move it to another place to go "
            "on"
        )
    return reviewed


def write_review(folder: Path, sheet: ReviewSheet) -> None:
    """Write the questions, and the files for reviewers unless somebody has filled them in.

    Raises:
        RunError: a file has verdicts on other questions or candidates, or cannot be written.
    """
    reviewed = check_unreviewed(folder, QUESTIONS_FILE, sheet.content, "questions or their answers")
    empty = dict.fromkeys(FILLED, "")
    names = [*sheet.columns, *FILLED]
    rows = [
        [str(visible(value))[:_LONGEST] for value in {**each.shown, **empty}.values()] for each in sheet.items
    ]
    lines = [{**each.row, **each.more, "candidate": each.shown["candidate"], **empty} for each in sheet.items]
    files = {
        "review.csv": _csv([names, *(list(map(neutralized, row)) for row in rows)]),
        "review.xlsx": workbooks.to_bytes(Table.flat(names, rows or [[""] * len(names)])),
        "review.jsonl": as_lines(lines),
        PAGE_FILE: review_page(sheet).encode("utf-8", "replace"),
    }
    for name, data in files.items():
        if folder / name not in reviewed:
            write_atomically(folder / name, data)
    write_atomically(folder / QUESTIONS_FILE, sheet.content)


def _csv(rows: Sequence[Sequence[str]]) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\r\n").writerows(rows)
    # with a byte order mark, without which spreadsheet programs do not take it for UTF-8
    return text.getvalue().encode("utf-8-sig", "replace")
