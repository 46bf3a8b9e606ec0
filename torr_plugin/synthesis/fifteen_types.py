"""All fifteen types of questions about human-centric tables in all layouts, with SQL and properties."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import lru_cache
from random import Random
from typing import TYPE_CHECKING

from .hctqa.drawing.combinations import Combination, combinations
from .rows import Row

if TYPE_CHECKING:
    from .hctqa.parameters.loading import Parameters


def hctqa(random: Random, number: int) -> Iterator[Row]:
    """The questions on one table of our own topics, which take turns."""
    from .hctqa.drawing.planning import Planned
    from .hctqa.generated import Making, make

    parameters = _parameters()
    families = list(parameters.families)
    combination = random.choice(_layouts(families[number % len(families)]))
    made = make(Making.of(parameters, random.getrandbits(64)), Planned(combination, 1))
    for question in made.questions:
        yield {
            "table": made.table,
            "family": made.instance.family,
            "question": question.question,
            "answer": question.answer,
            "kind": str(question.template),
            "template": str(question.template),
            "sql": question.sql,
            "table_properties": json.dumps(dict(made.properties)),
            "question_properties": json.dumps(dict(question.properties)),
        }


@lru_cache(maxsize=1)
def _parameters() -> Parameters:
    from .hctqa.parameters.loading import load_parameters

    return load_parameters()


@lru_cache(maxsize=64)
def _layouts(family: str) -> tuple[Combination, ...]:
    parameters = _parameters()
    return tuple(combinations(parameters.tables, parameters.families[family]))
