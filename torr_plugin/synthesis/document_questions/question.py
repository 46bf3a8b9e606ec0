"""A question about a document, by a model, and the Parquet file that keeps such questions."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, get_args

import pyarrow as pa
import pyarrow.parquet as pq

from ...core.errors import RunError
from ..filings.questions.question import Level
from ..parquet_rows import open_rows

QUESTION_FILE = "questions.parquet"
"""In the folder that ``torr synth qa`` writes."""

_LEVELS: tuple[str, ...] = get_args(Level)
_SCHEMA = pa.schema(
    [
        ("id", pa.string()),
        ("document", pa.string()),
        ("level", pa.string()),
        ("chunk", pa.int32()),
        ("table", pa.int32()),
        ("question", pa.string()),
        ("answer", pa.string()),
        ("steps", pa.string()),
        ("evidence", pa.string()),
        ("grounding", pa.string()),
        ("kept", pa.bool_()),
        ("reason", pa.string()),
    ]
)


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

    @property
    def candidate(self) -> str:
        """The answer that a reviewer accepts or not."""
        return self.answer


def write_questions(path: Path, questions: Iterable[DocumentQuestion]) -> None:
    """Write a Parquet file, a row a question; ``steps`` is a list as JSON, the other columns are the fields.

    Raises:
        OSError: it cannot be written.
    """
    with open_rows(path, _SCHEMA) as rows:
        rows.add(_row(each) for each in questions)


def read_questions(path: Path) -> list[DocumentQuestion]:
    """The questions of a file that :func:`write_questions` wrote.

    Raises:
        RunError: it is not there, cannot be read, or is another file: the column or the row, what was found.
    """
    try:
        table = pq.read_table(path, schema=_SCHEMA)
    except FileNotFoundError:
        raise RunError(f"{path}: is not there; expected questions that 'torr synth qa' wrote") from None
    except (OSError, pa.ArrowException) as error:
        reason = str(error).split("\n")[0][:200]
        raise RunError(f"{path}: cannot be read: {reason}; expected what 'torr synth qa' wrote") from None
    return [_question(row, f"{path}: row {number}") for number, row in enumerate(table.to_pylist(), 1)]


def _row(question: DocumentQuestion) -> dict[str, Any]:
    return {**asdict(question), "steps": json.dumps(question.steps, ensure_ascii=False)}


def _question(row: dict[str, Any], where: str) -> DocumentQuestion:
    for name, value in row.items():
        if value is None and name != "table":
            raise RunError(f"{where}: column {name!r} is empty; expected what 'torr synth qa' wrote")
    if row["level"] not in _LEVELS:
        raise RunError(f"{where}: level {row['level']!r}; expected one of {', '.join(_LEVELS)}")
    try:
        steps = json.loads(row["steps"])
    except ValueError:
        steps = None
    if not isinstance(steps, list) or not all(isinstance(step, str) for step in steps):
        raise RunError(f"{where}: steps {row['steps'][:40]!r}; expected a JSON list of texts")
    return DocumentQuestion(**{**row, "steps": tuple(steps)})
