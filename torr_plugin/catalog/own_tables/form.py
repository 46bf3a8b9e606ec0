"""What the rows of the user's own data look like, and the card that reads them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from ...tables import Table, serializers
from .questions import TEST, TOLERANCES, TRAIN, OwnQuestion

NUMBERS = "number_match"
AS_ONE_TEXT = ("exact_match", "accuracy")
"""Metrics that compare an answer of several values as one text."""

_HTML = serializers.get("html")


@dataclass(frozen=True)
class AnswerMetric:
    """The metric that rates the answers.

    Attributes:
        name: as a card names it: ``metrics.torr.exact_match``.
        main: the score that stands for it.
    """

    name: str
    main: str

    @classmethod
    def ours(cls, name: str) -> AnswerMetric:
        """A metric of the project's whose main score has its name."""
        return cls(f"metrics.torr.{name}", name)


@dataclass(frozen=True)
class Wording:
    """What a card says around its questions.

    Attributes:
        instruction: begins a prompt.
        prefix: stands before an answer.
        processor: of answers, as in ``processors.<name>``.
        keeps_labels: perturbations under which answers stay right.
    """

    instruction: str = "Read the table and answer the question. Write nothing but the answer."
    prefix: str = "Answer: "
    processor: str = "take_first_non_empty_line"
    keeps_labels: tuple[str, ...] = ("none", "shuffle_cols", "transpose", "insert_empty_rows")


@dataclass(frozen=True)
class DataForm:
    """The columns of the data: no more than the questions need.

    Attributes:
        is_nested: whether a table has more than one row of headings and plain cells below it; all tables are
            then kept as HTML, which loses nothing, and else as lists of rows.
        has_choices: whether a question has several right answers; the column is then ``answers``, of lists.
        has_values: whether an answer has several values.
        tolerances: the columns of tolerances.
        groups: the columns that questions are grouped by.
        facts: the columns of other facts.
        has_provenance: whether a column says where questions and answers are from, which no card reads.
    """

    is_nested: bool
    has_choices: bool
    has_values: bool
    tolerances: tuple[str, ...]
    groups: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()
    has_provenance: bool = False

    @classmethod
    def of(cls, questions: Sequence[OwnQuestion]) -> DataForm:
        """The form of the rows of these questions."""
        return cls(
            is_nested=not all(_is_plain(each.content) for each in questions),
            has_choices=any(len(each.answers) > 1 for each in questions),
            has_values=any(each.has_values for each in questions),
            tolerances=tuple(
                name for name in TOLERANCES if any(name in each.tolerances for each in questions)
            ),
            groups=tuple(dict.fromkeys(name for each in questions for name in each.groups)),
            facts=tuple(dict.fromkeys(name for each in questions for name in each.facts)),
            has_provenance=any(each.provenance for each in questions),
        )

    @property
    def answer(self) -> str:
        """The column of the answers."""
        return "answers" if self.has_choices else "answer"

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that a card reads, in order."""
        others = (*self.tolerances, *self.groups, *self.facts)
        return ("id", "table_id", "table", "question", self.answer, *others)

    @property
    def schema(self) -> pa.Schema:
        """Their types."""
        types = {
            "table": pa.string() if self.is_nested else pa.list_(pa.list_(pa.string())),
            "answers": pa.list_(pa.string()),
        }
        names = [*self.columns, *["provenance"] * self.has_provenance]
        return pa.schema([(name, types.get(name, pa.string())) for name in names])

    def row(self, question: OwnQuestion) -> dict[str, Any]:
        """The row of a question."""
        table = question.content
        return {
            "id": question.id,
            "table_id": question.table,
            "table": _HTML.serialize(table)
            if self.is_nested
            else [[cell.text for cell in row] for row in table.rows],
            "question": question.question,
            self.answer: list(question.answers) if self.has_choices else question.answers[0],
            **{name: question.tolerances.get(name) for name in self.tolerances},
            **{name: question.groups.get(name, "") for name in self.groups},
            **{name: question.facts.get(name) for name in self.facts},
            **({"provenance": question.provenance} if self.has_provenance else {}),
        }


def _is_plain(table: Table) -> bool:
    """Whether rows of texts, headings first, are all there is to a table."""
    return table.is_flat and not table.title and not table.notes


def card_document(
    name: str,
    licence: str,
    splits: Sequence[str],
    form: DataForm,
    *,
    metric: AnswerMetric,
    decimal_mark: str,
    wording: Wording,
) -> dict[str, Any]:
    """The card of a data set, for its JSON file."""
    facts = {name: {"column": name} for name in form.facts}
    if metric.main == NUMBERS:
        facts |= _tolerances(form, decimal_mark)
    return {
        "__type__": "table_card",
        "__description__": f"The user's questions about their own tables: {name}.",
        "licence": licence,
        "skills": {
            "knowledge_extraction": "required",
            "textual_reasoning": "partial",
            "numerical_reasoning": "partial",
        },
        "main_metric": metric.main,
        "keeps_labels": list(wording.keeps_labels),
        "notes": ["Not shuffle_rows: questions may mention the first row, or the one above."],
        **({"demo_split": TRAIN} if TRAIN in splits else {}),
        "test_split": TEST,
        "loader": {
            "__type__": "load_tables",
            "mirror": name,
            "hub": {"path": f"my-group/{name}"},
            "columns": list(form.columns),
            "splits": {split: {"mirror": split, "hub": [split]} for split in splits},
        },
        "preprocess_steps": [
            {
                "__type__": "read_example",
                "id": "id",
                "table": {"reader": "html", "columns": {"text": "table"}}
                if form.is_nested
                else {"reader": "grid", "columns": {"rows": "table"}},
                "inputs": {"question": "question"},
                "references": [form.answer],
                "groups": {"table": "table_id", **{name: name for name in form.groups}},
                **({"facts": facts} if facts else {}),
            }
        ],
        "task": f"tasks.torr.table_qa[metrics=[{metric.name}]]",
        "templates": [_template(form, wording)],
    }


def _tolerances(form: DataForm, decimal_mark: str) -> dict[str, Any]:
    columns = {name: {"column": name} if name in form.tolerances else {} for name in TOLERANCES}
    tolerances = {name: {**column, "default": "0"} for name, column in columns.items()}
    return {**tolerances, "decimal_mark": {"default": decimal_mark}}


def _template(form: DataForm, wording: Wording) -> dict[str, Any]:
    several = " Write | between several values." if form.has_values else ""
    answers = {"references_field": "references"} if form.has_choices else {"output_format": "{target}"}
    return {
        "__type__": "multi_reference_template" if form.has_choices else "input_output_template",
        "instruction": f"{wording.instruction}{several}",
        "input_format": "Table:\n{table}\n\nQuestion: {question}",
        "target_prefix": wording.prefix,
        **answers,
        "postprocessors": [f"processors.{wording.processor}"],
    }
