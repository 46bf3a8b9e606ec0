"""A stream of generated tables: any number of them, in a fixed order, made by one process or several."""

from __future__ import annotations

import hashlib
import itertools
from collections import deque
from collections.abc import Callable, Collection, Container, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from typing import Any, TypeVar

from .drawing.planning import Planned, planned
from .generated import Generated, Making, make
from .parameters.json_file import ParameterError
from .parameters.loading import Parameters

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
) -> Iterator[Generated]:
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
    making = Making.of(parameters, seed, kinds, overflow, names)
    return stream(making, planned(parameters, seed=seed, tables=tables), _itself, workers)


def stream(
    making: Making, plan: Iterable[Planned], then: Callable[[Generated], T], workers: int = 1
) -> Iterator[T]:
    """``then`` of every planned table, in order; it runs where the table is made."""
    seen: set[bytes] = set()
    for wanted, found in _made(making, plan, then, workers):
        name, made = found if found[0] not in seen else _another(making, wanted, then, seen)
        seen.add(name)
        yield made


def _another(
    making: Making, wanted: Planned, then: Callable[[Generated], T], seen: Container[bytes]
) -> Named[T]:
    """Another draw of a table that turned out like one made before."""
    for attempt in range(1, _ATTEMPTS):
        found = _one(making, wanted, then, attempt)
        if found[0] not in seen:
            return found
    where = making.parameters.where(wanted.combination.template)
    raise ParameterError(
        f"{where}: {_ATTEMPTS} draws gave no table of set {wanted.combination.number} that is not there "
        "already; expected fewer tables, or a wider range of values"
    )


def _itself(generated: Generated) -> Generated:
    return generated


def _one(making: Making, wanted: Planned, then: Callable[[Generated], T], attempt: int = 0) -> Named[T]:
    generated = make(making, wanted, attempt)
    return fingerprint(generated), then(generated)


def fingerprint(generated: Generated) -> bytes:
    """16 bytes that tell tables apart: by their header depths and what stands in each place of the grid."""
    table = generated.table
    texts = [[cell.text for cell in line] for line in table.grid]
    digest = hashlib.sha256(repr((table.title, table.header_rows, table.header_columns, texts)).encode())
    return digest.digest()[:16]


def _made(
    making: Making, plan: Iterable[Planned], then: Callable[[Generated], T], workers: int
) -> Iterator[tuple[Planned, Named[T]]]:
    if workers <= 1:
        for wanted in plan:
            yield wanted, _one(making, wanted, then)
        return
    with ProcessPoolExecutor(workers, initializer=_start, initargs=(making, then)) as pool:
        waiting: deque[tuple[list[Planned], Future[list[Named[T]]]]] = deque()
        for chunk in _chunks(plan):
            waiting.append((chunk, pool.submit(_work, chunk)))
            if len(waiting) >= _AHEAD * workers:
                yield from _finished(waiting)
        while waiting:
            yield from _finished(waiting)


def _finished(
    waiting: deque[tuple[list[Planned], Future[list[Named[T]]]]],
) -> Iterator[tuple[Planned, Named[T]]]:
    chunk, future = waiting.popleft()
    yield from zip(chunk, future.result(), strict=True)


def _chunks(plan: Iterable[Planned]) -> Iterator[list[Planned]]:
    rest = iter(plan)
    while chunk := list(itertools.islice(rest, _CHUNK)):
        yield chunk


_worker: list[tuple[Making, Callable[[Generated], Any]]] = []


def _start(making: Making, then: Callable[[Generated], Any]) -> None:
    _worker[:] = [(making, then)]


def _work(chunk: list[Planned]) -> list[Named[Any]]:
    making, then = _worker[0]
    return [_one(making, wanted, then) for wanted in chunk]
