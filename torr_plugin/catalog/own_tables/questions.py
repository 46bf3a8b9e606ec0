"""Read a file of questions about the user's own tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ...core.errors import DataError
from .csv_files import Rows, Tables, rows_of

TEST, TRAIN = "test", "train"
_NEEDED, _OPTIONAL = ("table", "question", "answer"), ("id", "split")
_ONE_IN = 4


@dataclass(frozen=True)
class OwnQuestion:
    """One line of the file: a question about a table, and its answer.

    Attributes:
        split: ``test`` for a question to ask, ``train`` for a demonstration; "" if not given.
    """

    id: str
    table: str
    rows: Rows
    question: str
    answer: str
    split: str = ""


def read_questions(path: Path, tables: Tables) -> list[OwnQuestion]:
    """Read the questions of a file and give each a split.

    Without a column ``split``, every fourth table is set aside for demonstrations, or one of two or three
    tables, or none if there is only one.

    Raises:
        DataError: the file or a table cannot be read, or a line is invalid.
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
    found, seen = list[OwnQuestion](), set[str]()
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
    found = found if "split" in names else _with_splits(found)
    if not any(each.split == TEST for each in found):
        raise DataError(f"{path}: no question to ask; expected one at least with the split {TEST!r}")
    return found


def _question(cells: dict[str, str], number: int, where: str, tables: Tables) -> OwnQuestion:
    cells = {name: cell.strip() for name, cell in cells.items()}
    empty = [name for name in _NEEDED if not cells[name]]
    if empty:
        raise DataError(f"{where}: {empty[0]} is empty; expected a text")
    if len(cells["answer"].splitlines()) > 1:  # only the first line of an answer is scored
        raise DataError(f"{where}: answer: has several lines; expected one")
    split = cells.get("split", "")
    if "split" in cells and split not in (TEST, TRAIN):
        raise DataError(
            f"{where}: split: found {split!r}; expected {TEST!r} (asked) or {TRAIN!r} (for demonstrations)"
        )
    rows = tables.called(cells["table"], where)
    return OwnQuestion(
        id=cells.get("id") or f"q{number}",
        table=tables.key(cells["table"]),
        rows=rows,
        question=cells["question"],
        answer=cells["answer"],
        split=split,
    )


def _with_splits(questions: Sequence[OwnQuestion]) -> list[OwnQuestion]:
    """Assign whole tables to splits, so that no demonstration shows a table that is asked about."""
    tables = list(dict.fromkeys(each.table for each in questions))
    shown = set(tables[_ONE_IN - 1 :: _ONE_IN] or tables[1:][-1:])
    return [replace(each, split=TRAIN if each.table in shown else TEST) for each in questions]


def possible_shots(questions: Sequence[OwnQuestion]) -> int:
    """1 if every asked question has a demonstration about another table, else 0."""
    asked, shown = _tables(questions, TEST), _tables(questions, TRAIN)
    return int(bool(shown) and all(shown - {table} for table in asked))


def notes_of(questions: Sequence[OwnQuestion]) -> tuple[str, ...]:
    """Remarks about tables that are both asked about and shown."""
    both = sorted(_tables(questions, TEST) & _tables(questions, TRAIN))
    if not both:
        return ()
    if not possible_shots(questions):
        return (
            f"every demonstration is about the table {both[0]!r}, which is asked about too: there is none "
            "for these questions, so the study shows no demonstrations; take some about another table",
        )
    more = f" and {len(both) - 1} more" if len(both) > 1 else ""
    return (
        f"the table {both[0]!r}{more} is in both splits: it demonstrates nothing to questions about itself, "
        "but tables of their own would be better",
    )


def _tables(questions: Sequence[OwnQuestion], split: str) -> set[str]:
    return {each.table for each in questions if each.split == split}
