"""Generate tables with their questions, in one process or several, always in the same order."""

from __future__ import annotations

import hashlib
import itertools
from collections import deque
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Any, TypeVar

from ...core.seeds import seed as seeded
from .combinations import Combination, PlannedTable, plan_tables
from .instance import HctInstance
from .layout.pivot import hct_table
from .layout.properties import table_properties
from .layout.relational import Relational, relational
from .parameters.json_file import ParameterError
from .parameters.loading import Parameters
from .questions import questions
from .sampling import sample_instance

if TYPE_CHECKING:
    from ...tables import Table
    from .parameters.loading import Parameters
    from .questions import Question


@dataclass(frozen=True)
class GeneratedTable:
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
class GenerationSettings:
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
    ) -> GenerationSettings:
        """The same, the kinds from any collection."""
        return cls(parameters, seed, None if kinds is None else frozenset(kinds), overflow, names)


def generate_table(settings: GenerationSettings, planned: PlannedTable, attempt: int = 0) -> GeneratedTable:
    """One table of a data set with its questions; equal arguments give equal tables anywhere.

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
    chance = Random(seeded(settings.seed, "hctqa", "questions", instance.table_id, str(attempt)))  # noqa: S311
    template = settings.parameters.questions[instance.family]
    asked = tuple(questions(instance, template, chance, settings.kinds))
    return GeneratedTable(instance, hct_table(instance), relational(instance), asked, planned.combination)


_CHUNK = 16
_AHEAD = 4
_ATTEMPTS = 100

T = TypeVar("T")
Named = tuple[bytes, T]


def generate(
    parameters: Parameters,
    *,
    tables: int | None = None,
    seed: int = 0,
    kinds: Collection[int] | None = None,
    overflow: bool = True,
    names: bool = False,
    workers: int = 1,
) -> Iterator[GeneratedTable]:
    """The tables of a data set with their questions, no table twice.

    Equal arguments give equal tables, with any number of workers, and a smaller data set is the beginning of
    a larger one. No more than a few tables a worker are held at a time.

    Args:
        parameters: the words, layouts and question templates.
        tables: how many; None for every combination of the parameters' layouts ``replica`` times.
        seed: of all chance.
        kinds: the question types wanted, of 1 to 15; None for all.
        overflow: let a range with too few numbers give way at its upper bound, as the benchmark does.
        names: show the attributes' names where ``col_row_name_pos`` has them, which the benchmark does not.
        workers: processes; 1 makes the tables in this one.

    Raises:
        ParameterError: a range of numbers too small without ``overflow``, or no further different table.
    """
    settings = GenerationSettings.of(parameters, seed, kinds, overflow, names)
    return stream(settings, plan_tables(parameters, seed=seed, tables=tables), _unchanged, workers)


def stream(
    settings: GenerationSettings,
    plan: Iterable[PlannedTable],
    then: Callable[[GeneratedTable], T],
    workers: int = 1,
) -> Iterator[T]:
    """``then`` of every planned table, in order; it runs where the table is made."""
    seen: set[bytes] = set()
    for wanted, found in _made(settings, plan, then, workers):
        name, made = found if found[0] not in seen else _another(settings, wanted, then, seen)
        seen.add(name)
        yield made


def _another(
    settings: GenerationSettings,
    wanted: PlannedTable,
    then: Callable[[GeneratedTable], T],
    seen: Container[bytes],
) -> Named[T]:
    """Another draw of a table that turned out like one made before."""
    for attempt in range(1, _ATTEMPTS):
        found = _one(settings, wanted, then, attempt)
        if found[0] not in seen:
            return found
    where = settings.parameters.where(wanted.combination.template)
    raise ParameterError(
        f"{where}: {_ATTEMPTS} draws gave no table of set {wanted.combination.number} that is not there "
        "already; expected fewer tables, or a wider range of values"
    )


def _unchanged(generated: GeneratedTable) -> GeneratedTable:
    return generated


def _one(
    settings: GenerationSettings, wanted: PlannedTable, then: Callable[[GeneratedTable], T], attempt: int = 0
) -> Named[T]:
    generated = generate_table(settings, wanted, attempt)
    return fingerprint(generated), then(generated)


def fingerprint(generated: GeneratedTable) -> bytes:
    """16 bytes that tell tables apart: by their header depths and what stands in each place of the grid."""
    table = generated.table
    texts = [[cell.text for cell in line] for line in table.grid]
    digest = hashlib.sha256(repr((table.title, table.header_rows, table.header_columns, texts)).encode())
    return digest.digest()[:16]


def _made(
    settings: GenerationSettings,
    plan: Iterable[PlannedTable],
    then: Callable[[GeneratedTable], T],
    workers: int,
) -> Iterator[tuple[PlannedTable, Named[T]]]:
    if workers <= 1:
        for wanted in plan:
            yield wanted, _one(settings, wanted, then)
        return
    with ProcessPoolExecutor(workers, initializer=_start, initargs=(settings, then)) as pool:
        waiting: deque[tuple[list[PlannedTable], Future[list[Named[T]]]]] = deque()
        for chunk in _chunks(plan):
            waiting.append((chunk, pool.submit(_work, chunk)))
            if len(waiting) >= _AHEAD * workers:
                yield from _finished(waiting)
        while waiting:
            yield from _finished(waiting)


def _finished(
    waiting: deque[tuple[list[PlannedTable], Future[list[Named[T]]]]],
) -> Iterator[tuple[PlannedTable, Named[T]]]:
    chunk, future = waiting.popleft()
    yield from zip(chunk, future.result(), strict=True)


def _chunks(plan: Iterable[PlannedTable]) -> Iterator[list[PlannedTable]]:
    rest = iter(plan)
    while chunk := list(itertools.islice(rest, _CHUNK)):
        yield chunk


_worker: list[tuple[GenerationSettings, Callable[[GeneratedTable], Any]]] = []


def _start(settings: GenerationSettings, then: Callable[[GeneratedTable], Any]) -> None:
    _worker[:] = [(settings, then)]


def _work(chunk: list[PlannedTable]) -> list[Named[Any]]:
    settings, then = _worker[0]
    return [_one(settings, wanted, then) for wanted in chunk]
