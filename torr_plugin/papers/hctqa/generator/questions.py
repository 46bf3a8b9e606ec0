"""Generate the questions on a table: plan them, word them, write and run their SQL."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from random import Random

from .instance import Function, HctInstance
from .layout.relational import relational
from .question_kinds import QuestionPlan, QuestionSubject, plan_question
from .question_selection import SelectedPart
from .question_templates import KINDS, QuestionTemplate
from .sql import SqlEngine, write_sql
from .wording import write_question

_SEED_BITS = 64
_DRAWS = 50
"""Draws per question before the table counts as not allowing its type."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question, its SQL query, and the query's result as its answer.

    Attributes:
        question_id: the table's id and the type.
        table_id: the table's id.
        template: the type, 1 to 15.
        question: in words.
        sql: on the relational table ``DBdata``.
        answer: in the benchmark's notation, ``{a | b} || {c | d}``.
        properties: the benchmark's 35 question properties.
    """

    question_id: str
    table_id: str
    template: int
    question: str
    sql: str
    answer: str
    properties: dict[str, Property]


class QuestionMaker:
    """Generates questions about one table; a context manager that holds the table in an SQL engine.

    Args:
        instance: the table.
        template: the question template of its family.
    """

    def __init__(self, instance: HctInstance, template: QuestionTemplate) -> None:
        self._subject = QuestionSubject(instance, template)
        self._engine = SqlEngine(relational(instance))

    def __enter__(self) -> QuestionMaker:
        return self

    def __exit__(self, *_error: object) -> None:
        self._engine.close()

    def questions(self, random: Random, kinds: Collection[int] | None = None) -> Iterator[Question]:
        """One question of each type that the table allows; see :func:`questions`."""
        seeds = [random.getrandbits(_SEED_BITS) for _ in KINDS]
        for kind in (kind for kind in KINDS if kinds is None or kind in kinds):
            # the fifteenth nests the fourteenth, so it draws from the same numbers
            own = Random(seeds[min(kind, 14) - 1])  # noqa: S311 (no secret)
            question = self._question(kind, own)
            if question is not None:
                yield question

    def _question(self, kind: int, random: Random) -> Question | None:
        """A question of one type; redrawn if its answer depends on how averages are rounded."""
        for _ in range(_DRAWS):
            plan = plan_question(kind, self._subject, random)
            if plan is None:
                return None
            sql = write_sql(plan)
            answer = self._engine.answer(sql)
            if not self._engine.has_tie:
                return _question(plan, self._subject, sql, answer, random)
        return None


def questions(
    instance: HctInstance,
    template: QuestionTemplate,
    random: Random,
    kinds: Collection[int] | None = None,
) -> Iterator[Question]:
    """Generate the questions on a table, one of each type that it allows.

    Type 5 needs an aggregate of columns, types 2 to 4, 6 to 8, 12 and 13 more than one row or column. The
    question of a type depends on ``random`` and the type, not on which others are wanted. No average that a
    question asks for lies half way between two values of its last decimal: its answer would depend on
    rounding.
    """
    with QuestionMaker(instance, template) as maker:
        yield from maker.questions(random, kinds)


def _question(
    plan: QuestionPlan, subject: QuestionSubject, sql: str, answer: str, random: Random
) -> Question:
    instance, template = subject.instance, subject.template
    text = random.choice(template.texts[f"template_{min(plan.kind, 14)}"])
    attributes = (*instance.columns.attributes, *instance.rows.attributes)
    return Question(
        f"{instance.table_id}--{plan.kind}",
        instance.table_id,
        plan.kind,
        write_question(plan, template, text, attributes),
        sql,
        answer,
        question_properties(plan, answer.count(" || ") + 1),
    )


Property = bool | int | str
_TYPES: dict[str, Function] = {"Min": "min", "Max": "max", "Sum": "sum", "Avg": "avg"}


def question_properties(plan: QuestionPlan, answer_rows: int) -> dict[str, Property]:
    """The 35 properties of a question; ``answer_rows`` is how many rows its answer has."""
    return {
        **_row_filter(plan, answer_rows),
        **_returned_columns(plan),
        "Yes/No": False,
        "Yes/No Scope Single": False,
        "Yes/No Scope Multiple": False,
        **_aggregation(plan),
        **_rank(plan),
    }


def _row_filter(plan: QuestionPlan, answer_rows: int) -> dict[str, Property]:
    compared = plan.comparison
    conditions = 1 if compared or plan.rows is None else len(plan.rows.attributes)
    retained = answer_rows if plan.rows is None else plan.rows.lines
    return {
        "Row Filter": True,
        "Row Filter Condition Type Lookup": compared is None,
        "Row Filter Condition Type Expression": compared is not None,
        "Row Filter Involved Columns Single": conditions == 1,
        "Row Filter Involved Columns Multiple": conditions > 1,
        "Row Filter Max Depth Of Involved Columns": _depth(compared.within) if compared else 1,
        "Row Filter Retained Rows Single": retained == 1,
        "Row Filter Retained Rows Multiple": retained > 1,
        "Row Filter Num Of Conditions": conditions,
    }


def _returned_columns(plan: QuestionPlan) -> dict[str, Property]:
    expression = plan.kind in (4, 5)
    return {
        "Returned Columns": True,
        "Returned Columns Project On Plain": not expression,
        "Returned Columns Project On Expression": expression,
        "Returned Columns Max Depth Of Involved Columns": 1 if plan.kind == 14 else _depth(plan.columns),
        "Returned Columns Expression In Table Present": expression and any(plan.shown),
        "Returned Columns Expression In Table Not Present": expression and not all(plan.shown),
        "Returned Columns Num Of Output Columns": _outputs(plan),
    }


def _outputs(plan: QuestionPlan) -> int:
    """Values in a row of the answer; for plain cells, the number of their columns."""
    if plan.functions:
        return len(plan.reported) + len(plan.functions)
    if plan.comparison:
        return len(plan.reported) + (plan.kind == 15)
    return plan.columns.lines


def _aggregation(plan: QuestionPlan) -> dict[str, Property]:
    aggregated = bool(plan.functions) and plan.kind not in (4, 5)
    return {
        "Aggregation": aggregated,
        "Aggregation Aggregation On Plain": aggregated,
        "Aggregation Aggregation On Expression": False,
        **{
            f"Aggregation Aggregation Type {name}": aggregated and function in plan.functions
            for name, function in _TYPES.items()
        },
        "Aggregation Aggregation Type Count": False,
        "Aggregation Grouping Local": aggregated and bool(plan.grouped),
        "Aggregation Grouping Global": aggregated and not plan.grouped,
        "Aggregation Aggregation In Table Present": aggregated and any(plan.shown),
        "Aggregation Aggregation In Table Not Present": aggregated and not all(plan.shown),
        "Aggregation Num Of Aggregations": len(plan.functions) if aggregated else "",
    }


def _rank(plan: QuestionPlan) -> dict[str, Property]:
    ranked = plan.direction is not None
    return {
        "Rank": ranked,
        "Rank Rank On Plain": ranked,
        "Rank Rank On Expression": False,
        "Rank Report Top": "" if plan.limit is None else plan.limit,
    }


def _depth(part: SelectedPart) -> int:
    return len(part.attributes)
