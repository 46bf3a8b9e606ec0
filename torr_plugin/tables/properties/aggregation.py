"""Rows and columns that aggregate others: found by their numbers and by their labels, local or global."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from . import names, terms
from .arithmetic import Derived, Functions, over_all, runs

if TYPE_CHECKING:
    from .layout import Axis, Layout


@dataclass(frozen=True, slots=True)
class Aggregates:
    """What an axis aggregates: the indexes of its global and local lines, and those that do not say so."""

    global_lines: frozenset[int]
    local_lines: frozenset[int]
    explicit: frozenset[int]
    implicit: frozenset[int]


def column_aggregation(layout: Layout) -> dict[str, bool]:
    """The properties of the columns' aggregation."""
    found = aggregates(layout.columns, terms.names_column)
    return {
        names.COLUMN_AGGREGATION: bool(found.global_lines or found.local_lines),
        names.GLOBAL_COLUMN: bool(found.global_lines),
        names.LOCAL_COLUMN: bool(found.local_lines),
        names.EXPLICIT_COLUMN: bool(found.explicit),
        names.IMPLICIT_COLUMN: bool(found.implicit),
    }


def row_aggregation(layout: Layout) -> dict[str, bool]:
    """The properties of the rows' aggregation."""
    found = aggregates(layout.rows, terms.names_row)
    return {
        names.ROW_AGGREGATION: bool(found.global_lines or found.local_lines),
        names.GLOBAL_ROW: bool(found.global_lines),
        names.LOCAL_ROW: bool(found.local_lines),
        names.EXPLICIT_ROW: bool(found.explicit),
        names.IMPLICIT_ROW: bool(found.implicit),
    }


def aggregates(axis: Axis, named: Callable[[str], bool]) -> Aggregates:
    """The lines of an axis that aggregate others, by arithmetic or by a label that ``named`` accepts."""
    import numpy as np

    numeric = [int(i) for i in np.flatnonzero((~np.isnan(axis.lines.values)).any(axis=1))]
    by_label = {i for i in numeric if any(map(named, axis.paths[i]))}
    changes = {i for i in numeric if any(map(terms.names_change, axis.paths[i]))} - by_label
    derived = _derived(axis, numeric, by_label)
    by_number = {one.line for one in derived}
    found = by_label | by_number | changes
    details = {i for i in numeric if i not in found}
    whole = {
        one.line
        for one in derived
        if _details(one, derived, details) >= details
        # the largest of a group is often the largest of all
        and (one.function in ("sum", "mean") or _stands_over_all(axis.paths, one.line, numeric, named))
    }
    whole |= {i for i in by_label - by_number if _stands_over_all(axis.paths, i, numeric, named)}
    whole |= changes - by_number if len(details) == 2 else set()
    said = by_label | changes | {i for i in found if any(map(terms.is_explicit, axis.paths[i]))}
    return Aggregates(frozenset(whole), frozenset(found - whole), frozenset(said), frozenset(found - said))


def _derived(axis: Axis, numeric: Sequence[int], by_label: set[int]) -> list[Derived]:
    """The aggregates that the numbers show: in the table's order, within equal labels, and over all lines."""
    functions = _functions(axis.paths, numeric)
    found: list[Derived] = []
    for order in _orders(axis.paths, numeric):
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


def _functions(paths: Sequence[tuple[str, ...]], numeric: Sequence[int]) -> Functions:
    """What the labels of a line say that it does, and what a line that heads a group may do unsaid.

    Where some line is called just Average, the line of a group's own label can be its average.
    """
    said = {i: frozenset(f for label in paths[i] for f in terms.functions(label)) for i in numeric}
    alone = frozenset(
        f for i in numeric for label in paths[i] if terms.stands_alone(label) for f in terms.functions(label)
    )
    parents = {path[:-1] for path in paths if len(path) > 1} if alone else set()
    return {i: said[i] | alone if paths[i] in parents else said[i] for i in numeric}


def _orders(paths: Sequence[tuple[str, ...]], numeric: Sequence[int]) -> Iterator[Sequence[int]]:
    """All lines, and those that share a last label under different parents (Females of every nationality)."""
    yield numeric
    shared: dict[str, list[int]] = {}
    for i in numeric:
        if len(paths[i]) > 1:
            shared.setdefault(paths[i][-1].casefold(), []).append(i)
    if len(shared) > 1:
        yield from (lines for lines in shared.values() if len(lines) > 2)


def _details(one: Derived, derived: Sequence[Derived], details: Container[int]) -> set[int]:
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


def _stands_over_all(
    paths: Sequence[tuple[str, ...]], line: int, numeric: Sequence[int], named: Callable[[str], bool]
) -> bool:
    """Whether a line that only its label makes an aggregate stands beside all groups, not within one.

    Under a parent that is a total itself, the line without a group of its own is (Total / Females is a total
    of some columns, Total / Total of all).
    """
    path = paths[line]
    if len(path) == 1:
        return True
    if named(path[0]):
        return named(path[-1])
    others = [i for i in numeric if i != line and any(map(named, paths[i]))]
    return line in (numeric[0], numeric[-1]) and not others
