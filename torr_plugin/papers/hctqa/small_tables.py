"""Generators of questions on human-centric tables: one cell, an aggregate, all fifteen types."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import islice
from random import Random
from typing import TYPE_CHECKING, Any

from ...tables import Table
from .generator.combinations import Combination, PlannedTable, combinations
from .generator.dataset import GenerationSettings, generate_table
from .generator.instance import HctInstance
from .generator.layout.pivot import hct_table
from .generator.layout.relational import relational
from .generator.output.fine_tuning import written_answer
from .generator.parameters.loading import Parameters, load_parameters
from .generator.parameters.models import TableTemplate
from .generator.questions import Question, QuestionMaker
from .generator.sampling import sample_instance
from .generator.sql import read_answer

if TYPE_CHECKING:
    from ...catalog.generated import Row

QUESTIONS = 4
"""The most questions per table."""

SMALL = {"row_format": ("new",), "col_row_levels": (("1", "1"), ("2", "1"), ("2", "2"), ("1", "2"))}
"""Layouts whose row groups are merged cells, so that shuffled rows keep their labels."""

_ATTEMPTS = 40


@dataclass(frozen=True)
class SampledTable:
    """A table and what generates questions about it.

    Attributes:
        instance: the instance behind it.
        parameters: the parameters that it was sampled from.
        random: the generator for its questions.
    """

    instance: HctInstance
    parameters: Parameters
    random: Random

    @cached_property
    def table(self) -> Table:
        """The table as laid out."""
        return hct_table(self.instance)

    def questions(self, kinds: Collection[int]) -> Iterator[Question]:
        """Distinct questions of these types, until the table has no more."""
        template, seen = self.parameters.questions[self.instance.family], set()
        with QuestionMaker(self.instance, template) as maker:
            for _ in range(_ATTEMPTS):
                for each in maker.questions(self.random, kinds):
                    if each.question not in seen:
                        seen.add(each.question)
                        yield each


def sample_table(random: Random, number: int) -> SampledTable:
    """Sample the ``number``-th table of a split: topics alternate, the rest is random."""
    parameters = small_parameters()
    layout = _layout(random, number, small=True)
    instance = sample_instance(parameters, layout, 1, seed=random.getrandbits(64))
    return SampledTable(instance, parameters, random)


@cache
def _shipped_parameters() -> Parameters:
    return load_parameters()


@cache
def small_parameters() -> Parameters:
    """The shipped parameters, limited to sizes and layouts that fit prompts and allow every perturbation."""
    return limited_parameters(SMALL)


def limited_parameters(layouts: Mapping[str, Any]) -> Parameters:
    """The shipped parameters with small families and these ``layouts`` (fields of the table templates)."""
    shipped = _shipped_parameters()
    families = tuple(_small(template, shipped) for template in shipped.tables.tables)
    return replace(shipped, tables=shipped.tables.model_copy(update={**layouts, "tables": families}))


def _small(template: TableTemplate, parameters: Parameters) -> TableTemplate:
    """The family with two values of each attribute, three at the levels of a hierarchy of two on rows."""
    depths = [len(parameters.attributes[code].names) for code in template.rowCodes]
    rows = tuple((2, 3 if depth == 2 and len(depths) == 1 else 2) for depth in depths)
    columns = tuple((2, 2) for _ in template.colCodes)
    return template.model_copy(update={"colSamples": columns, "rowSamples": rows})


@cache
def _layouts(small: bool) -> list[list[Combination]]:
    """The layouts of each topic, of the small or the shipped parameters."""
    parameters = small_parameters() if small else _shipped_parameters()
    return [list(combinations(parameters.tables, each)) for each in parameters.tables.tables]


def _layout(random: Random, number: int, *, small: bool) -> Combination:
    """A random layout of the ``number``-th table's topic."""
    layouts = _layouts(small)
    return random.choice(layouts[number % len(layouts)])


def human_centric_table(random: Random, number: int) -> Mapping[str, Any]:
    """One table without a question, for other generators: as laid out, and as the ``relation`` behind it.

    ``queries`` gives questions of types 1 and 4 about it.
    """
    sampled = sample_table(random, number)
    made = relational(sampled.instance)
    rows = [[value if isinstance(value, str) else format(value, "f") for value in row] for row in made.rows]
    return {
        "table": sampled.table,
        "relation": Table.flat(header=list(made.names), rows=rows, title=sampled.instance.family),
        "queries": lambda: (question.question for question in sampled.questions((1, 4))),
    }


def single_value(question: Question) -> str | None:
    """The answer if it is a single value (``{72}`` is ``72``), else None."""
    rows = read_answer(question.answer)
    return rows[0][0] if len(rows) == len(rows[0]) == 1 else None


KINDS = {4: "over columns", 5: "in the table", 7: "over rows"}
"""Types of questions: over columns of one row, absent from the table or in it; over rows of one column."""


def aggregation(random: Random, number: int) -> Iterator[Row]:
    """Up to four questions about one table, each for one expression or two."""
    sampled = sample_table(random, number)
    for question in islice(sampled.questions(KINDS), QUESTIONS):
        yield {
            "table": sampled.table,
            "question": question.question,
            "answer": written_answer(question.answer),
            "kind": KINDS[question.template],
        }


def cell_lookup(random: Random, number: int) -> Iterator[Row]:
    """Up to four questions of type 1 (one row, one column) about one table."""
    sampled = sample_table(random, number)
    for question in islice(sampled.questions((1,)), QUESTIONS):
        answer = single_value(question)
        if answer is not None:
            yield {"table": sampled.table, "question": question.question, "answer": answer, "kind": "lookup"}


def hctqa(random: Random, number: int) -> Iterator[Row]:
    """All questions on one table; topics alternate."""
    layout = _layout(random, number, small=False)
    settings = GenerationSettings(_shipped_parameters(), random.getrandbits(64))
    made = generate_table(settings, PlannedTable(layout, 1))
    for question in made.questions:
        yield {
            "table": made.table,
            "family": made.instance.family,
            "question": question.question,
            "answer": question.answer,
            "kind": str(question.template),
            "template": str(question.template),
            "sql": question.sql,
            "table_properties": json.dumps(made.properties),
            "question_properties": json.dumps(question.properties),
        }
