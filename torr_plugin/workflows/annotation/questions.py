"""The questions of an annotation with their answers, and the files that keep them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from ...leaderboard.text import slug
from ...synthesis.annotation import Alternative
from ...synthesis.annotation.parsing import same_question
from ...tables import Table, serializers
from ..reviewing import WorkFolder
from ..reviewing.files import QUESTIONS_FILE
from ..reviewing.folder import as_lines
from .task import FORMAT

RECORD_FILE, TABLES_FILE = "annotation.yaml", "tables.jsonl"


@dataclass(frozen=True)
class AnnotatedQuestion:
    """A question with the answers that models gave.

    Attributes:
        id: the table's name as far as it is plain, the type, and a hash of both and the question's words.
        table: the table's name.
        type: of the question; ``subtype`` one of the type's, or empty.
        question: its text.
        asked_by: the label of the model that wrote it.
        alternatives: the distinct answers, the candidate first.
    """

    id: str
    table: str
    type: str
    subtype: str
    question: str
    asked_by: str
    alternatives: tuple[Alternative, ...] = ()

    @property
    def candidate(self) -> str:
        """The answer that the vote chose; empty where no model gave one."""
        return self.alternatives[0].answer if self.alternatives else ""


def question_id(table: str, kind: str, question: str) -> str:
    """A question's id: equal for equal words about the same table."""
    digest = hashlib.sha256(json.dumps([table, kind, same_question(question)]).encode()).hexdigest()
    return f"{slug(table)}-{kind}-{digest[:16]}"


def annotation_folder(path: Path) -> WorkFolder:
    """The folder of an annotation."""
    return WorkFolder(path, RECORD_FILE, "torr annotate run", FORMAT, {"prompts": "questions and answers"})


def questions_as_bytes(questions: Iterable[AnnotatedQuestion]) -> bytes:
    """JSON lines, one a question."""
    return as_lines(asdict(each) for each in questions)


def read_annotated(folder: Path) -> dict[str, AnnotatedQuestion]:
    """Id -> question, of an annotation's folder.

    Raises:
        RunError: there are none, or the file cannot be read.
    """
    found = {}
    for row in annotation_folder(folder).lines(QUESTIONS_FILE):
        alternatives = [
            Alternative(**{**each, "models": tuple(each["models"])}) for each in row["alternatives"]
        ]
        found[row["id"]] = AnnotatedQuestion(**{**row, "alternatives": tuple(alternatives)})
    return found


def tables_as_bytes(tables: Mapping[str, str]) -> bytes:
    """JSON lines, one a table."""
    return as_lines({"table": name, "html": html} for name, html in tables.items())


def read_tables(folder: Path) -> dict[str, Table]:
    """Name -> table.

    Raises:
        RunError: there are none, or the file cannot be read.
    """
    html = serializers.get("html")
    return {row["table"]: html.parse(row["html"]) for row in annotation_folder(folder).lines(TABLES_FILE)}
