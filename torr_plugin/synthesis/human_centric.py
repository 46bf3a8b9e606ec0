"""Tables and questions of the human-centric generator, drawn one table at a time for the small data sets."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from random import Random
from typing import TYPE_CHECKING

from .hctqa.drawing.combinations import Combination, combinations
from .hctqa.drawing.draw import draw_instance
from .hctqa.instance import HctInstance
from .hctqa.layout.pivot import hct_table

if TYPE_CHECKING:
    from ..tables import Table
    from .hctqa.parameters.loading import Parameters
    from .hctqa.parameters.table_templates import TableTemplate
    from .hctqa.questions import Question

SMALL = {"row_format": ("new",), "col_row_levels": (("1", "1"), ("2", "1"), ("2", "2"), ("1", "2"))}
"""Layouts for prompts: row groups held together by merged cells, so that shuffled rows keep their labels."""

_ATTEMPTS = 40


@dataclass(frozen=True)
class Drawn:
    """A table with what asks about it.

    Attributes:
        table: the table as laid out.
        instance: what it was made of.
        parameters: which its topic belongs to.
        random: what its questions are drawn by.
    """

    table: Table
    instance: HctInstance
    parameters: Parameters
    random: Random

    def questions(self, kinds: Collection[int]) -> Iterator[Question]:
        """Different questions of these types, one after another, as long as the table has any."""
        from .hctqa.questions import Asking

        template, seen = self.parameters.questions[self.instance.family], set()
        with Asking(self.instance, template) as asking:
            for _ in range(_ATTEMPTS):
                for each in asking.questions(self.random, kinds):
                    if each.question not in seen:
                        seen.add(each.question)
                        yield each


def drawn_table(random: Random, number: int) -> Drawn:
    """The ``number``-th table of a split: topics take turns, the rest is chance."""
    parameters = small_parameters()
    families = list(parameters.families)
    layouts = _layouts(families[number % len(families)])
    instance = draw_instance(parameters, random.choice(layouts), 1, seed=random.getrandbits(64))
    return Drawn(hct_table(instance), instance, parameters, random)


@lru_cache(maxsize=1)
def small_parameters() -> Parameters:
    """Our own parameters, in sizes and layouts that fit into prompts and bear every perturbation."""
    from .hctqa.parameters.loading import load_parameters

    shipped = load_parameters()
    families = tuple(_small(template, shipped) for template in shipped.tables.tables)
    return replace(shipped, tables=shipped.tables.model_copy(update={**SMALL, "tables": families}))


def _small(template: TableTemplate, parameters: Parameters) -> TableTemplate:
    """The family with two values of each attribute, three at the levels of a hierarchy of two on rows."""
    depths = [len(parameters.attributes[code].names) for code in template.rowCodes]
    rows = tuple((2, 3 if depth == 2 and len(depths) == 1 else 2) for depth in depths)
    columns = tuple((2, 2) for _ in template.colCodes)
    return template.model_copy(update={"colSamples": columns, "rowSamples": rows})


@lru_cache(maxsize=64)
def _layouts(family: str) -> tuple[Combination, ...]:
    parameters = small_parameters()
    return tuple(combinations(parameters.tables, parameters.families[family]))


def single_value(question: Question) -> str | None:
    """The answer, where it is one value; ``{72}`` is ``72``."""
    from .hctqa.questions import read_answer

    rows = read_answer(question.answer)
    return rows[0][0] if len(rows) == len(rows[0]) == 1 else None
