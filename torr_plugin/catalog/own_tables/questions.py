"""The questions of a data set of one's own, each with its table, its answer and its split."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ...core.errors import DataError
from .csv_files import Rows, Tables, rows_of

ASKED, SHOWN = "test", "train"
_NEEDED, _OPTIONAL = ("table", "question", "answer"), ("id", "split")
_ONE_IN = 4


@dataclass(frozen=True)
class Question:
    """One line of the file: what is asked about which table, and the right answer.

    Attributes:
        split: ``test`` where it is asked, ``train`` where it may be shown as a demonstration; "" if not said.
    """

    id: str
    table: str
    rows: Rows
    question: str
    answer: str
    split: str = ""


def read_questions(path: Path, tables: Tables) -> list[Question]:
    """The questions of a file, each with a split.

    Without a column ``split`` one table in four is set aside for demonstrations, or one of two or three; none
    where all is asked about one table.

    Raises:
        DataError: the file or a table cannot be read, or a line says something that cannot be.
    """
    head, *rows = rows_of(path)
    lines = [row for row in rows if any(map(str.strip, row))]  # spreadsheets leave some at the end
    names = [name.strip().lower() for name in head]
    missing = [name for name in _NEEDED if name not in names]
    if missing:
        raise DataError(
            f"{path}: no column {', '.join(map(repr, missing))}; found: {', '.join(map(repr, head))}; "
            f"expected {', '.join(_NEEDED)}, and any of {', '.join(_OPTIONAL)}"
        )
    twice = [name for name in (*_NEEDED, *_OPTIONAL) if names.count(name) > 1]
    if twice:
        raise DataError(f"{path}: column {twice[0]!r} is there twice; expected once")
    found, seen = list[Question](), set[str]()
    for number, line in enumerate(lines, start=1):
        question = _question(
            dict(zip(names, line, strict=True)), number, f"{path}: question {number}", tables
        )
        if question.id in seen:
            raise DataError(
                f"{path}: question {number}: the id {question.id!r} was another's; expected each once"
            )
        seen.add(question.id)
        found.append(question)
    found = found if "split" in names else _dealt(found)
    if not any(each.split == ASKED for each in found):
        raise DataError(f"{path}: no question to ask; expected one at least with the split {ASKED!r}")
    return found


def _question(cells: dict[str, str], number: int, where: str, tables: Tables) -> Question:
    cells = {name: cell.strip() for name, cell in cells.items()}
    empty = [name for name in _NEEDED if not cells[name]]
    if empty:
        raise DataError(f"{where}: {empty[0]} is empty; expected a text")
    if len(cells["answer"].splitlines()) > 1:  # of an answer its first line alone is rated
        raise DataError(f"{where}: answer: has several lines; expected one")
    split = cells.get("split", "")
    if "split" in cells and split not in (ASKED, SHOWN):
        raise DataError(
            f"{where}: split: found {split!r}; expected {ASKED!r} (asked) or {SHOWN!r} (for demonstrations)"
        )
    rows = tables.called(cells["table"], where)
    return Question(
        id=cells.get("id") or f"q{number}",
        table=tables.key(cells["table"]),
        rows=rows,
        question=cells["question"],
        answer=cells["answer"],
        split=split,
    )


def _dealt(questions: Sequence[Question]) -> list[Question]:
    """Whole tables go to one split, so that no demonstration shows a table that is asked about."""
    tables = list(dict.fromkeys(each.table for each in questions))
    shown = set(tables[_ONE_IN - 1 :: _ONE_IN] or tables[1:][-1:])
    return [replace(each, split=SHOWN if each.table in shown else ASKED) for each in questions]
