"""The questions of an annotation with their answers, and as reviewers are shown them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from ...tables import Table, serializers
from ..flow import FolderKind
from ..page import table_markup
from ..review import QUESTIONS_FILE, Alternative, ReviewItem, ReviewSheet
from ..words import question_types

TABLES_FILE = "tables.jsonl"
FOLDER = FolderKind("torr annotate run", "annotation.yaml", ("prompts",))

_COLUMNS = ("id", "table", "type", "subtype", "question", "candidate", "score", "alternatives")


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


def read_annotated(folder: Path) -> dict[str, AnnotatedQuestion]:
    """Id -> question, of an annotation's folder.

    Raises:
        RunError: there are none, or the file cannot be read.
    """
    found = {}
    for row in FOLDER.lines(folder / QUESTIONS_FILE):
        given = [Alternative(**{**each, "models": tuple(each["models"])}) for each in row["alternatives"]]
        found[row["id"]] = AnnotatedQuestion(**{**row, "alternatives": tuple(given)})
    return found


def read_tables(folder: Path) -> dict[str, Table]:
    """Name -> table, of an annotation's folder; errors as above."""
    html = serializers.get("html")
    return {row["table"]: html.parse(row["html"]) for row in FOLDER.lines(folder / TABLES_FILE)}


def review_sheet(questions: Sequence[AnnotatedQuestion], tables: Mapping[str, Table]) -> ReviewSheet:
    """What reviewers are shown of an annotation."""
    return ReviewSheet(
        items=[_item(each) for each in questions],
        columns=_COLUMNS,
        figures={name: table_markup(table) for name, table in tables.items()},
        groups={name: kind.title.lower() for name, kind in question_types().items()},
        command="torr annotate accept",
        figure="Table",
        criteria="Relevance: would a reader of this table ask it? Completeness: does the question name all "
        "that it takes to answer it? Feasibility: can it be answered from this table alone? Clarity: is "
        "there one reading, and one right answer?",
    )


def _item(question: AnnotatedQuestion) -> ReviewItem:
    kind = question_types()[question.type]
    score = question.alternatives[0].final if question.alternatives else None
    shown = {
        "score": "" if score is None else f"{score:.1f}",
        "alternatives": "\n".join(map(str, question.alternatives)),
    }
    return ReviewItem(
        about=question.table,
        group=question.type,
        heading=(kind.title, question.subtype, f"asked by {question.asked_by}"),
        form=kind.form,
        shown={**{name: getattr(question, name) for name in _COLUMNS[:6]}, **shown},
        row=asdict(question),
        alternatives=question.alternatives,
    )
