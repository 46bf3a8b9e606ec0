"""The questions on one table: drawn, said, written as SQL, run."""

from __future__ import annotations

import random as random_module
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from ....core.errors import InputError
from ..instance import Axis, HctInstance
from ..layout.relational import relational
from .answers import holds
from .engine import Engine
from .kinds import Subject, draw
from .plan import Plan
from .properties import Property, question_properties
from .sql import write_sql
from .templates import KINDS, QuestionTemplate
from .wording import write_question

_SEED_BITS = 64


@dataclass(frozen=True, slots=True)
class Question:
    """A question, its query, and its answer, which is what the query gives.

    Attributes:
        question_id: the table's id and the type.
        table_id: which table.
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
    properties: Mapping[str, Property]


class Asking:
    """Asks about one table, as often as wanted: a context manager that holds the table ready for SQL.

    Args:
        instance: the table.
        template: its family's.

    Raises:
        InputError: a value that the answers' notation cannot hold.
    """

    def __init__(self, instance: HctInstance, template: QuestionTemplate) -> None:
        _check_labels(instance)
        self._subject = Subject(instance, template)
        self._engine = Engine(relational(instance))

    def __enter__(self) -> Asking:
        return self

    def __exit__(self, *_error: object) -> None:
        self._engine.close()

    def questions(
        self, random: random_module.Random, kinds: Collection[int] | None = None
    ) -> Iterator[Question]:
        """One question of each type that the table allows; see :func:`questions`."""
        wanted = _checked(kinds)
        seeds = [random.getrandbits(_SEED_BITS) for _ in KINDS]
        for kind in wanted:
            # the fifteenth nests the fourteenth, so it draws from the same numbers
            own = random_module.Random(seeds[min(kind, 14) - 1])  # noqa: S311 (no secret)
            plan = draw(kind, self._subject, own)
            if plan is not None:
                yield _question(plan, self._subject, self._engine, own)


def questions(
    instance: HctInstance,
    template: QuestionTemplate,
    random: random_module.Random,
    kinds: Collection[int] | None = None,
) -> Iterator[Question]:
    """The questions on a table, one of each type that it allows.

    Type 5 needs an aggregate of columns, types 2 to 4, 6 to 8, 12 and 13 more than one row or column. What is
    drawn for a type depends on ``random`` and the type, not on which others are wanted.

    Raises:
        InputError: a type that there is not, or a value that the answers' notation cannot hold.
    """
    wanted = _checked(kinds)
    with Asking(instance, template) as asking:
        yield from asking.questions(random, wanted)


def _question(plan: Plan, subject: Subject, engine: Engine, random: random_module.Random) -> Question:
    instance, template = subject.instance, subject.template
    sql = write_sql(plan)
    answer = engine.answer(sql)
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


def _checked(kinds: Collection[int] | None) -> list[int]:
    for kind in kinds or ():
        if kind not in KINDS:
            raise InputError(f"question type {kind!r}: expected 1 to {KINDS[-1]}")
    return [kind for kind in KINDS if kinds is None or kind in kinds]


def _check_labels(instance: HctInstance) -> None:
    for axis in (instance.columns, instance.rows):
        label = next((label for label in _labels(axis) if not holds(label)), None)
        if label is not None:
            raise InputError(
                f"table {instance.table_id!r}: value {label!r}: expected none of {{, }} and |, which "
                "answers are written with"
            )


def _labels(axis: Axis) -> Iterator[str]:
    return (label for leaf in axis.leaves for label in leaf)
