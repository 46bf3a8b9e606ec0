"""Generate tables with their questions."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Container, Iterator
from dataclasses import dataclass
from random import Random

from ....core.seeds import seed as seeded
from ....tables import Table
from .combinations import PlannedTable, plan_tables
from .instance import HctInstance
from .layout.pivot import hct_table
from .layout.properties import table_properties
from .layout.relational import Relational, relational
from .parameters.json_file import ParameterError
from .parameters.loading import Parameters
from .questions import Question, questions
from .sampling import sample_instance


@dataclass(frozen=True)
class GeneratedTable:
    """A table, the relational table behind it, and its questions."""

    instance: HctInstance
    table: Table
    relational: Relational
    questions: tuple[Question, ...]

    @property
    def properties(self) -> dict[str, bool]:
        """The benchmark's table properties, known from how the table was made."""
        return table_properties(self.instance)


@dataclass(frozen=True)
class GenerationSettings:
    """How the tables of a data set are made: everything but which of them.

    Attributes:
        kinds: the question types wanted; None for all 15.
    """

    parameters: Parameters
    seed: int
    kinds: Collection[int] | None = None


def generate_table(settings: GenerationSettings, planned: PlannedTable, attempt: int = 0) -> GeneratedTable:
    """Generate one table with its questions; equal arguments give equal tables on every machine.

    Raises:
        ParameterError: the table has over 100,000 cells.
    """
    instance = sample_instance(
        settings.parameters,
        planned.combination,
        planned.replica,
        seed=settings.seed,
        attempt=attempt,
    )
    random = Random(seeded(settings.seed, "hctqa", "questions", instance.table_id, str(attempt)))  # noqa: S311
    template = settings.parameters.questions[instance.family]
    made = tuple(questions(instance, template, random, settings.kinds))
    return GeneratedTable(instance, hct_table(instance), relational(instance), made)


_ATTEMPTS = 100


def generate(
    parameters: Parameters,
    *,
    tables: int | None = None,
    seed: int = 0,
    kinds: Collection[int] | None = None,
) -> Iterator[GeneratedTable]:
    """Generate the tables of a data set with their questions, no table twice.

    A smaller data set is the beginning of a larger one.

    Args:
        parameters: the words, layouts and question templates.
        tables: how many; None for every combination of the parameters' layouts ``replica`` times.
        seed: the seed of everything random.
        kinds: the question types wanted, of 1 to 15; None for all.

    Raises:
        ParameterError: no further different table.
    """
    settings = GenerationSettings(parameters, seed, kinds)
    seen: set[bytes] = set()
    for planned in plan_tables(parameters, seed=seed, tables=tables):
        made = _new(settings, planned, seen)
        seen.add(fingerprint(made))
        yield made


def _new(settings: GenerationSettings, planned: PlannedTable, seen: Container[bytes]) -> GeneratedTable:
    """The first draw of a table that equals no earlier one."""
    for attempt in range(_ATTEMPTS):
        made = generate_table(settings, planned, attempt)
        if fingerprint(made) not in seen:
            return made
    where = settings.parameters.where(planned.combination.template)
    raise ParameterError(
        f"{where}: {_ATTEMPTS} draws gave no new table of set {planned.combination.number}; expected fewer "
        "tables, or a wider range of values"
    )


def fingerprint(generated: GeneratedTable) -> bytes:
    """16 bytes that differ between tables with different titles, header depths or texts."""
    table = generated.table
    texts = [[cell.text for cell in line] for line in table.grid]
    digest = hashlib.sha256(repr((table.title, table.header_rows, table.header_columns, texts)).encode())
    return digest.digest()[:16]
