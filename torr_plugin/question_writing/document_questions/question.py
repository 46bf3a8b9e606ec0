"""Questions about documents, the Parquet file that keeps them, and as reviewers are shown them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from math import isnan
from pathlib import Path
from typing import Literal, TypeAlias

import pyarrow as pa
from markupsafe import Markup

from ...core.errors import InputError, nearest
from ...core.parquet import open_rows
from ...leaderboard.text import visible
from ...tables import Table
from ...tables.documents import Block
from ..asking import read_lines
from ..review import QUESTIONS_FILE, ReviewItem, ReviewSheet, table_markup
from .excerpts import DocumentExcerpt
from .recall import answer_recall

Level: TypeAlias = Literal["extraction", "calculation", "analysis"]
LEVELS: tuple[Level, ...] = ("extraction", "calculation", "analysis")

COMMAND = "torr synth qa"
QUESTION_FILE, DOCUMENTS_FILE = "questions.parquet", "documents.parquet"
DOCUMENT_SCHEMA = pa.schema([("path", pa.string()), ("content", pa.string())])
_COLUMNS = (
    *("id", "document", "level", "table", "question", "candidate"),
    *("steps", "grounding", "evidence", "reason", "recall"),
)


def levels_called(names: Sequence[str]) -> tuple[Level, ...]:
    """The levels of these names, from easy to hard; all where none is named.

    Raises:
        InputError: an unknown one.
    """
    for name in names:
        if name not in LEVELS:
            raise InputError(f"--levels: no level {name!r}; {nearest(name, LEVELS)}")
    return tuple(level for level in LEVELS if level in names) or LEVELS


@dataclass(frozen=True, slots=True)
class DocumentQuestion:
    """A question about a chunk of a document.

    Attributes:
        id: unique among the questions of a folder, and the same in every run.
        document: the document's name.
        level: extraction, calculation or analysis.
        chunk: the chunk's number in the document, from 0.
        table: the number, among the document's tables, of the one that it is about; None where that is not
            known, or several are needed.
        question: its text.
        answer: the writer's.
        steps: to the answer, in order.
        evidence: what the answer is to be found in: its table and the text that refers to it, as plain text;
            where the table is not known, the whole chunk.
        grounding: a sentence of the chunk's text that the answer can be checked by; empty where none was
            asked for.
        kept: whether it passed the filter.
        reason: why, in the filter's words; of a failed check, what was found.
    """

    id: str
    document: str
    level: Level
    chunk: int
    table: int | None
    question: str
    answer: str
    steps: tuple[str, ...] = ()
    evidence: str = ""
    grounding: str = ""
    kept: bool = False
    reason: str = ""


_TYPES = {"chunk": pa.int32(), "table": pa.int32(), "kept": pa.bool_()}
_SCHEMA = pa.schema({name: _TYPES.get(name, pa.string()) for name in DocumentQuestion.__slots__})


def write_questions(path: Path, questions: Iterable[DocumentQuestion]) -> None:
    """Write a Parquet file, a row a question; ``steps`` is a list as JSON, the other columns are the fields.

    Raises:
        OSError: it cannot be written.
    """
    with open_rows(path, _SCHEMA) as rows:
        rows.add({**asdict(one), "steps": json.dumps(one.steps, ensure_ascii=False)} for one in questions)


def read_kept(folder: Path) -> dict[str, DocumentQuestion]:
    """Id -> question, of those that the filter kept, in a folder.

    Raises:
        RunError: there are none, or the file cannot be read.
    """
    rows = read_lines(folder / QUESTIONS_FILE, COMMAND)
    return {row["id"]: DocumentQuestion(**{**row, "steps": tuple(row["steps"])}) for row in rows}


def review_sheet(questions: Sequence[DocumentQuestion], excerpts: Sequence[DocumentExcerpt]) -> ReviewSheet:
    """What reviewers are shown of the questions that were kept, and of the excerpts that they are about."""
    return ReviewSheet(
        items=[_item(question) for question in questions if question.kept],
        columns=_COLUMNS,
        figures={_about(one.document, one.chunk): _markup(one.blocks) for one in excerpts},
        groups={level: level for level in LEVELS},
        command="torr synth accept",
        figure="Text",
        criteria="Source: where in the text does the answer stand, or what does it follow from? Answer: do "
        "you come to the same, with its unit? Level: an extraction takes one cell, a calculation several, an "
        "analysis says what numbers mean. Clarity: is there one reading, without knowing which table was "
        "meant?",
    )


def _about(document: str, chunk: int) -> str:
    return f"{document}, part {chunk + 1}"


def _markup(blocks: Sequence[tuple[int | None, Block]]) -> Markup:
    """A chunk, all texts escaped."""
    return Markup("\n").join(
        Markup('<p class="number">Table {}</p>{}').format(number, table_markup(block))
        if isinstance(block, Table)
        else Markup('<p class="{}">{}</p>').format(block.kind, visible(block.text))
        for number, block in blocks
    )


def _item(question: DocumentQuestion) -> ReviewItem:
    recalled = answer_recall(question)
    table = "" if question.table is None else str(question.table)
    shown = {
        **{name: getattr(question, name, "") for name in _COLUMNS},
        "table": table,
        "candidate": question.answer,
        "steps": "\n".join(question.steps),
        "recall": "" if isnan(recalled) else round(recalled, 2),
    }
    source = "quoted sentence" if question.grounding else "evidence"
    return ReviewItem(
        about=_about(question.document, question.chunk),
        group=question.level,
        heading=(question.level.title(), question.document, table and f"Table {table}"),
        form="sentence",
        shown=shown,
        row=asdict(question),
        details={
            "Steps": "\n".join(question.steps),
            "Quoted sentence": question.grounding,
            "Evidence": question.evidence,
            "Why the filter kept it": question.reason,
            "Recall": "" if isnan(recalled) else f"{recalled:.2f} of the answer's tokens are in the {source}",
        },
    )
