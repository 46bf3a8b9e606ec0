"""The files in which people review questions: CSV, XLSX, JSON lines, and a page for a browser.

Texts of models stand in them, so that a spreadsheet program must not take any for a formula.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from ...core.atomic_files import write_atomically
from ...core.errors import RunError
from ...leaderboard.text import visible
from ...tables import Table, workbooks
from .formulas import neutralized
from .items import ReviewItem, ReviewSheet
from .page import review_page
from .verdicts import FILLED, is_filled_in

REVIEW_FILES = ("review.csv", "review.xlsx", "review.jsonl")
PAGE_FILE = "review.html"
QUESTIONS_FILE = "questions.jsonl"

_LONGEST = 16_000  # characters; a workbook's cell holds 32,767, and some become two in it


def check_unreviewed(folder: Path, name: str, content: bytes, what: str) -> None:
    """Refuse to change a file that verdicts are about.

    Args:
        folder: with the review files.
        name: of the file.
        content: what it is to hold.
        what: the word for it: ``tables``.

    Raises:
        RunError: a review file has verdicts, and the content has changed since.
    """
    known, reviewed = folder / name, _reviewed(folder)
    if reviewed and known.exists() and known.read_bytes() != content:
        raise RunError(
            f"{reviewed[0]}: has verdicts, and the {what} have changed since; move it to another place to go "
            "on"
        )


def write_review(folder: Path, sheet: ReviewSheet) -> None:
    """Write the questions, and the files for reviewers unless somebody has filled them in.

    Raises:
        RunError: a file has verdicts on other questions or candidates, or cannot be written.
    """
    known = folder / QUESTIONS_FILE
    unchanged = known.exists() and known.read_bytes() == sheet.content
    reviewed = _reviewed(folder)
    if reviewed and not unchanged:
        raise RunError(
            f"{reviewed[0]}: has verdicts, and the questions or their answers have changed since; move it to "
            "another place to go on"
        )
    names = [*sheet.columns, *FILLED]
    rows = [_row(each) for each in sheet.items]
    files = {
        "review.csv": _csv(names, rows),
        "review.xlsx": _workbook(names, rows),
        "review.jsonl": "".join(_json_lines(sheet.items)).encode("utf-8", "replace"),
        PAGE_FILE: review_page(sheet).encode("utf-8", "replace"),
    }
    for name, data in files.items():
        if folder / name not in reviewed:
            write_atomically(folder / name, data)
    write_atomically(known, sheet.content)


def files_with_verdicts(folder: Path) -> list[Path]:
    """The review files of a folder that somebody has filled in.

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


def _reviewed(folder: Path) -> list[Path]:
    return [path for path in map(folder.joinpath, REVIEW_FILES) if path.exists() and is_filled_in(path)]


def _row(item: ReviewItem) -> dict[str, str]:
    row = {**item.shown, **dict.fromkeys(FILLED, "")}
    return {name: str(visible(value))[:_LONGEST] for name, value in row.items()}


def _csv(names: Sequence[str], rows: Sequence[Mapping[str, str]]) -> bytes:
    text = io.StringIO()
    writer = csv.DictWriter(text, names, lineterminator="\r\n")
    writer.writeheader()
    writer.writerows({name: neutralized(value) for name, value in row.items()} for row in rows)
    # with a byte order mark, without which spreadsheet programs do not take it for UTF-8
    return text.getvalue().encode("utf-8-sig", "replace")


def _workbook(names: Sequence[str], rows: Sequence[Mapping[str, str]]) -> bytes:
    """The workbook, in which all are texts."""
    lines = [[row[name] for name in names] for row in rows]
    return workbooks.to_bytes(Table.flat(list(names), lines or [[""] * len(names)]))


def _json_lines(items: Sequence[ReviewItem]) -> Iterator[str]:
    for each in items:
        row = {**each.row, "candidate": each.candidate, **dict.fromkeys(FILLED, "")}
        yield f"{json.dumps(row, ensure_ascii=False)}\n"
