"""One generated table with all that belongs to it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING

from ...core.seeds import seed as seeded
from .drawing.combinations import Combination
from .drawing.draw import draw_instance
from .drawing.planning import Planned
from .instance import HctInstance
from .layout.pivot import hct_table
from .layout.properties import table_properties
from .layout.relational import Relational, relational

if TYPE_CHECKING:
    from ...tables import Table
    from .parameters.loading import Parameters
    from .questions import Question


@dataclass(frozen=True)
class Generated:
    """A table, the relational table behind it, its questions, and its properties by construction."""

    instance: HctInstance
    table: Table
    relational: Relational
    questions: tuple[Question, ...]
    combination: Combination

    @property
    def properties(self) -> Mapping[str, bool]:
        """The benchmark's table properties, known from how the table was made."""
        return table_properties(self.instance)


@dataclass(frozen=True)
class Making:
    """How the tables of a data set are made: everything but which of them.

    Attributes:
        kinds: the question types wanted; None for all 15.
        overflow: whether a range of numbers that is too small gives way at its upper bound.
        names: whether the attributes' names are shown where ``col_row_name_pos`` has them.
    """

    parameters: Parameters
    seed: int
    kinds: frozenset[int] | None = None
    overflow: bool = True
    names: bool = False

    @classmethod
    def of(
        cls,
        parameters: Parameters,
        seed: int,
        kinds: Collection[int] | None = None,
        overflow: bool = True,
        names: bool = False,
    ) -> Making:
        """The same, the kinds from any collection."""
        return cls(parameters, seed, None if kinds is None else frozenset(kinds), overflow, names)


def make(making: Making, planned: Planned, attempt: int = 0) -> Generated:
    """One table of a data set with its questions; equal arguments give equal tables anywhere.

    Raises:
        ParameterError: the table's numbers do not fit their range.
    """
    from .questions import questions

    instance = draw_instance(
        making.parameters,
        planned.combination,
        planned.replica,
        seed=making.seed,
        attempt=attempt,
        overflow=making.overflow,
        names=making.names,
    )
    chance = Random(seeded(making.seed, "hctqa", "questions", instance.table_id, str(attempt)))  # noqa: S311
    template = making.parameters.questions[instance.family]
    asked = tuple(questions(instance, template, chance, making.kinds))
    return Generated(instance, hct_table(instance), relational(instance), asked, planned.combination)
