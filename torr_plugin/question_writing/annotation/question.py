"""The questions of an annotation with their answers, their types, and as reviewers are shown them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path

from ...tables import Table, serializers
from ..asking import prompt_values, read_lines
from ..review import QUESTIONS_FILE, Alternative, AnswerForm, ReviewItem, ReviewSheet, table_markup

COMMAND = "torr annotate run"
TABLES_FILE = "tables.jsonl"

_COLUMNS = ("id", "table", "type", "subtype", "question", "candidate", "score", "alternatives")


@dataclass(frozen=True, eq=False)
class QuestionType:
    """What questions about tables of a type ask for.

    Attributes:
        name: as options and data have it: ``fact_checking``.
        task: what such a question asks for.
        simple: an easy question of the type; ``hard`` a difficult one.
        subtypes: RealHiTBench's name of each -> what it asks for.
        answer: the words for the form of the final answer.
        form: ``values``, one ``sentence``, or the ``code`` of a chart.
        rules: further requirements on a question.
        hints: subtype -> what its answer consists of, where that differs within the type.
    """

    name: str
    task: str
    simple: str
    hard: str
    subtypes: Mapping[str, str]
    answer: str = "a number or a name as short as possible, several with | between them"
    form: AnswerForm = "values"
    rules: tuple[str, ...] = ()
    hints: Mapping[str, str] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """The name as people write it."""
        return self.name.replace("_", " ").capitalize()


@cache
def question_types() -> Mapping[str, QuestionType]:
    """The five types of questions about tables by name."""
    return {given["name"]: QuestionType(**given) for given in prompt_values("question_types")}


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
    def kind(self) -> QuestionType:
        """The type."""
        return question_types()[self.type]

    @property
    def candidate(self) -> str:
        """The answer that the vote chose; empty where no model gave one."""
        return self.alternatives[0].answer if self.alternatives else ""


def read_annotated(folder: Path) -> dict[str, AnnotatedQuestion]:
    """Id -> question, of an annotation's folder.

    Raises:
        RunError: there are none, or the file cannot be read.
    """
    questions = {}
    for row in read_lines(folder / QUESTIONS_FILE, COMMAND):
        given = (Alternative(**{**one, "models": tuple(one["models"])}) for one in row["alternatives"])
        questions[row["id"]] = AnnotatedQuestion(**{**row, "alternatives": tuple(given)})
    return questions


def read_tables(folder: Path) -> dict[str, Table]:
    """Name -> table, of an annotation's folder; errors as above."""
    html = serializers.get("html")
    return {row["table"]: html.parse(row["html"]) for row in read_lines(folder / TABLES_FILE, COMMAND)}


def review_sheet(questions: Sequence[AnnotatedQuestion], tables: Mapping[str, Table]) -> ReviewSheet:
    """What reviewers are shown of an annotation."""
    return ReviewSheet(
        items=[_item(question) for question in questions],
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
    score = question.alternatives[0].final if question.alternatives else None
    return ReviewItem(
        about=question.table,
        group=question.type,
        heading=(question.kind.title, question.subtype, f"asked by {question.asked_by}"),
        form=question.kind.form,
        shown={
            **{name: getattr(question, name) for name in _COLUMNS[:6]},
            "score": "" if score is None else f"{score:.1f}",
            "alternatives": "\n".join(map(str, question.alternatives)),
        },
        row=asdict(question),
        alternatives=question.alternatives,
    )
