"""The files in which people review questions: CSV, XLSX, JSON lines, and a page for a browser.

Texts of models stand in them, so that a spreadsheet program must not take any for a formula. The page is one
file, which loads nothing; all that comes from tables and models is escaped in it, and a policy lets no other
script run than its own.
"""

from __future__ import annotations

import base64
import csv
import hashlib
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeAlias

from markupsafe import Markup

from ..core.atomic_files import write_atomically
from ..core.errors import RunError
from ..leaderboard.text import page_templates, visible
from ..tables import Table, serializers, workbooks
from .asking import as_lines
from .verdicts import FILLED, filled_in, neutralized

QUESTIONS_FILE = "questions.jsonl"

AnswerForm: TypeAlias = Literal["values", "sentence", "code"]

_PAGE_FILES = Path(__file__).parent / "page_files"
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
        alternatives: all distinct answers, the candidate first.
        details: name -> text: steps, evidence, remarks; empty ones are left out.
    """

    about: str
    group: str
    heading: Sequence[str]
    form: AnswerForm
    shown: Mapping[str, Any]
    row: Mapping[str, Any]
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
    content = as_lines(item.row for item in sheet.items)
    reviewed = check_unreviewed(folder, QUESTIONS_FILE, content, "questions or their answers")
    empty = dict.fromkeys(FILLED, "")
    names = [*sheet.columns, *FILLED]
    rows = [
        [str(visible(value))[:_LONGEST] for value in {**item.shown, **empty}.values()] for item in sheet.items
    ]
    text = io.StringIO()
    csv.writer(text, lineterminator="\r\n").writerows([names, *(list(map(neutralized, row)) for row in rows)])
    files = {
        # with a byte order mark, without which spreadsheet programs do not take it for UTF-8
        "review.csv": text.getvalue().encode("utf-8-sig", "replace"),
        "review.xlsx": workbooks.to_bytes(Table.flat(names, rows or [[""] * len(names)])),
        "review.jsonl": as_lines({**item.shown, **item.row, **empty} for item in sheet.items),
        "review.html": _page(sheet, content).encode("utf-8", "replace"),
    }
    for name, data in files.items():
        if folder / name not in reviewed:
            write_atomically(folder / name, data)
    write_atomically(folder / QUESTIONS_FILE, content)


def _page(sheet: ReviewSheet, content: bytes) -> str:
    """The page: each question with its figure, its candidate, the alternatives, and a form for a verdict."""
    used = {item.about for item in sheet.items}
    present = {item.group for item in sheet.items}
    style, script = ((_PAGE_FILES / name).read_text(encoding="utf-8") for name in ("page.css", "page.js"))
    page = page_templates(_PAGE_FILES).get_template("page.html")
    return page.render(
        sheet=sheet,
        groups={name: title for name, title in sheet.groups.items() if name in present},
        figures={name: figure for name, figure in sheet.figures.items() if name in used},
        style=Markup(style),  # noqa: S704, the page's own
        script=Markup(script),  # noqa: S704, the page's own
        style_hash=_digest(style),
        script_hash=_digest(script),
        # where a browser keeps what was filled in and not saved yet: other questions have another place
        place=hashlib.sha256(content).hexdigest()[:16],
    )


def _digest(text: str) -> str:
    """The source by which a policy names an inline script or style."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def table_markup(table: Table) -> Markup:
    """A table as HTML, its texts escaped, without what cannot be seen."""
    html = serializers.get("html").serialize(table)
    return Markup(visible(html))  # noqa: S704, the serializer escapes all texts
