"""Generate tables with their questions, in one process or several, always in the same order."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Container, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from random import Random
from typing import TypeVar

from ....core.seeds import seed as seeded
from ....tables import Table
from .combinations import PlannedTable, plan_tables
from .instance import HctInstance
from .layout.pivot import hct_table
from .layout.properties import table_properties
from .layout.relational import Relational, relational
from .parallel import in_order
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
        overflow: whether the upper bound of a range may grow if the range has too few numbers.
        names: whether the attributes' names are shown where ``col_row_name_pos`` puts them.
    """

    parameters: Parameters
    seed: int
    kinds: Collection[int] | None = None
    overflow: bool = True
    names: bool = False


def generate_table(settings: GenerationSettings, planned: PlannedTable, attempt: int = 0) -> GeneratedTable:
    """Generate one table with its questions; equal arguments give equal tables on every machine.

    Raises:
        ParameterError: the table's numbers do not fit their range.
    """
    instance = sample_instance(
        settings.parameters,
        planned.combination,
        planned.replica,
        seed=settings.seed,
        attempt=attempt,
        overflow=settings.overflow,
        names=settings.names,
    )
    random = Random(seeded(settings.seed, "hctqa", "questions", instance.table_id, str(attempt)))  # noqa: S311
    template = settings.parameters.questions[instance.family]
    made = tuple(questions(instance, template, random, settings.kinds))
    return GeneratedTable(instance, hct_table(instance), relational(instance), made)


_ATTEMPTS = 100

T = TypeVar("T")
Fingerprinted = tuple[bytes, T]


def generate(
    parameters: Parameters,
    *,
    tables: int | None = None,
    seed: int = 0,
    kinds: Collection[int] | None = None,
    overflow: bool = True,
    names: bool = False,
) -> Iterator[GeneratedTable]:
    """Generate the tables of a data set with their questions, no table twice.

    A smaller data set is the beginning of a larger one.

    Args:
        parameters: the words, layouts and question templates.
        tables: how many; None for every combination of the parameters' layouts ``replica`` times.
        seed: the seed of everything random.
        kinds: the question types wanted, of 1 to 15; None for all.
        overflow: let the upper bound of a range grow if the range has too few numbers, as the benchmark does.
        names: show the attributes' names where ``col_row_name_pos`` puts them, which the benchmark does not.

    Raises:
        ParameterError: too few numbers in a range without ``overflow``, or no further different table.
    """
    settings = GenerationSettings(parameters, seed, kinds, overflow, names)
    return stream(settings, plan_tables(parameters, seed=seed, tables=tables), lambda generated: generated)


def stream(
    settings: GenerationSettings,
    plan: Iterable[PlannedTable],
    then: Callable[[GeneratedTable], T],
    workers: int = 1,
) -> Iterator[T]:
    """Generate the planned tables and apply ``then`` to each; the results come in the plan's order.

    ``then`` runs in the process that makes the table. Each worker holds no more than a few tables at a time.

    Args:
        settings: how tables are made.
        plan: which tables to make.
        then: a function of a table.
        workers: the number of processes; 1 makes the tables in this one.
    """
    seen: set[bytes] = set()
    for planned, result in in_order(partial(_one, settings, then), plan, workers=workers):
        fingerprint, made = result if result[0] not in seen else _another(settings, planned, then, seen)
        seen.add(fingerprint)
        yield made


def _another(
    settings: GenerationSettings,
    planned: PlannedTable,
    then: Callable[[GeneratedTable], T],
    seen: Container[bytes],
) -> Fingerprinted[T]:
    """Another draw of a table that equals an earlier one."""
    for attempt in range(1, _ATTEMPTS):
        found = _one(settings, then, planned, attempt)
        if found[0] not in seen:
            return found
    where = settings.parameters.where(planned.combination.template)
    raise ParameterError(
        f"{where}: {_ATTEMPTS} draws gave no new table of set {planned.combination.number}; expected fewer "
        "tables, or a wider range of values"
    )


def _one(
    settings: GenerationSettings,
    then: Callable[[GeneratedTable], T],
    planned: PlannedTable,
    attempt: int = 0,
) -> Fingerprinted[T]:
    generated = generate_table(settings, planned, attempt)
    return fingerprint(generated), then(generated)


def fingerprint(generated: GeneratedTable) -> bytes:
    """16 bytes that differ between tables with different titles, header depths or texts."""
    table = generated.table
    texts = [[cell.text for cell in line] for line in table.grid]
    digest = hashlib.sha256(repr((table.title, table.header_rows, table.header_columns, texts)).encode())
    return digest.digest()[:16]
