"""Which lines of an axis the numbers, and the names of periods, show to be made of which others."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from itertools import takewhile
from typing import TYPE_CHECKING

from . import terms
from .arithmetic import Derived, Functions, over_all, runs

if TYPE_CHECKING:
    from .layout import Axis


def derived_lines(axis: Axis, numeric: Sequence[int], by_label: set[int]) -> list[Derived]:
    """The aggregates that the numbers show, and years beside their quarters."""
    found = _by_number(axis, numeric, by_label)
    return [*found, *_years(axis.paths, numeric, {one.line for one in found})]


def _by_number(axis: Axis, numeric: Sequence[int], by_label: set[int]) -> list[Derived]:
    """The aggregates that the numbers show: in the table's order, within equal labels, and over all lines."""
    functions = _functions(axis.paths, numeric)
    found: list[Derived] = []
    for order in _orders(axis.paths, numeric, by_label):
        found += runs(axis.lines, order, functions)
    lines = {one.line for one in found}
    covered = {part for one in found for part in one.parts}
    pools = [
        [i for i in numeric if i not in lines],
        [i for i in numeric if i not in lines | by_label],
        [i for i in numeric if i not in covered],
    ]
    for index, pool in enumerate(pools):
        if pool not in pools[:index]:
            found += over_all(axis.lines, numeric, pool, functions)
    return found


def _years(
    paths: Sequence[tuple[str, ...]], numeric: Sequence[int], known: Container[int]
) -> Iterator[Derived]:
    """The lines called Year beside a run of quarters: their sum, mean or end."""
    years = {i for i in numeric if i not in known and any(map(terms.is_year, paths[i]))}
    quarters = {i for i in numeric if any(map(terms.is_quarter, paths[i]))} - years
    for order in (list(numeric), list(numeric)[::-1]):
        for place, line in enumerate(order):
            parts = tuple(takewhile(quarters.__contains__, order[place + 1 :])) if line in years else ()
            if len(parts) > 1:
                years.discard(line)
                yield Derived(line, "mean", parts)


def _functions(paths: Sequence[tuple[str, ...]], numeric: Sequence[int]) -> Functions:
    """What the labels of a line say that it does, and what a line that heads a group may do unsaid.

    Where some line is called just Average, the line of a group's own label can be its average.
    """
    said = {i: frozenset(f for label in paths[i] for f in terms.functions(label)) for i in numeric}
    alone = frozenset(
        f for i in numeric for label in paths[i] if terms.stands_alone(label) for f in terms.functions(label)
    )
    parents = {path[:depth] for path in paths for depth in range(1, len(path))} if alone else set()
    return {i: said[i] | alone if paths[i] in parents else said[i] for i in numeric}


def _orders(
    paths: Sequence[tuple[str, ...]], numeric: Sequence[int], by_label: Container[int]
) -> Iterator[Sequence[int]]:
    """All lines, those not called a total, and those of one last label (Females of every nationality).

    Among those not called a total, a heading can sum up the lines that totals would count twice.
    """
    yield numeric
    plain = [i for i in numeric if i not in by_label]
    if 2 < len(plain) < len(numeric):
        yield plain
    shared: dict[str, list[int]] = {}
    for i in numeric:
        if len(paths[i]) > 1:
            shared.setdefault(paths[i][-1].casefold(), []).append(i)
    if len(shared) > 1:
        yield from (lines for lines in shared.values() if len(lines) > 2)


def details_of(one: Derived, derived: Sequence[Derived], details: Container[int]) -> set[int]:
    """The lines that are no aggregates in what one takes in, its parts' own parts followed."""
    parts: dict[int, set[int]] = {}
    for other in derived:
        parts.setdefault(other.line, set()).update(other.parts)
    seen: set[int] = {one.line}
    stack = list(one.parts)
    while stack:
        part = stack.pop()
        if part not in seen:
            seen.add(part)
            stack += parts.get(part, ())
    return {line for line in seen if line in details}
