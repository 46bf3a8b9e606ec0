"""Find rows and columns that aggregate others, locally or globally, by numbers and by labels."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import TYPE_CHECKING

import numpy as np

from . import names
from . import text as terms
from .arithmetic import Derived, Functions, over_all, runs

if TYPE_CHECKING:
    from .layout import LabelledLines, Layout


@dataclass(frozen=True, slots=True)
class Aggregates:
    """The aggregating lines of an axis: global or local, with explicit or implicit labels."""

    global_lines: frozenset[int]
    local_lines: frozenset[int]
    explicit: frozenset[int]
    implicit: frozenset[int]


_COLUMN_KINDS = (
    names.COLUMN_AGGREGATION,
    names.GLOBAL_COLUMN,
    names.LOCAL_COLUMN,
    names.EXPLICIT_COLUMN,
    names.IMPLICIT_COLUMN,
)
_ROW_KINDS = (
    names.ROW_AGGREGATION,
    names.GLOBAL_ROW,
    names.LOCAL_ROW,
    names.EXPLICIT_ROW,
    names.IMPLICIT_ROW,
)


def column_aggregation(layout: Layout) -> dict[str, bool]:
    """The properties of the columns' aggregation."""
    return _properties(aggregates(layout.columns, terms.names_column), _COLUMN_KINDS)


def row_aggregation(layout: Layout) -> dict[str, bool]:
    """The properties of the rows' aggregation."""
    return _properties(aggregates(layout.rows, terms.names_row), _ROW_KINDS)


def _properties(found: Aggregates, kinds: tuple[str, ...]) -> dict[str, bool]:
    kept = (found.global_lines, found.local_lines, found.explicit, found.implicit)
    return dict(zip(kinds, map(bool, (found.global_lines | found.local_lines, *kept)), strict=True))


def aggregates(axis: LabelledLines, named: Callable[[str], bool]) -> Aggregates:
    """The lines of an axis that aggregate others, by arithmetic or by a label that ``named`` accepts."""
    numeric = _numeric(axis)
    by_label = _labelled(axis, numeric, named)
    changes = _labelled(axis, numeric, terms.names_change) - by_label
    wholes = _labelled(axis, numeric, terms.names_whole) - by_label
    derived = [one for one in derived_lines(axis, numeric, by_label) if not _undoes_change(one, changes)]
    by_number = {one.line for one in derived}
    found = by_label | by_number | changes | wholes
    details = {i for i in numeric if i not in found}
    over_all = _whole_by_number(axis, numeric, derived, details, named)
    over_all |= {i for i in by_label - by_number if _stands_over_all(axis.paths, i, numeric, named)}
    over_all |= changes - by_number if len(details) == 2 else set()
    # if there are several, each belongs to one group
    top = wholes if len(wholes) == 1 else set()
    some = found - over_all - (top - by_number)
    over_all |= top
    explicit = by_label | changes | _labelled(axis, sorted(found), terms.is_explicit)
    return Aggregates(frozenset(over_all), frozenset(some), frozenset(explicit), frozenset(found - explicit))


def _undoes_change(one: Derived, changes: set[int]) -> bool:
    """Whether a line is merely an old value plus its change, which is not an aggregate."""
    return one.line not in changes and not changes.isdisjoint(one.parts)


def _numeric(axis: LabelledLines) -> list[int]:
    """The lines with numbers, ignoring lines with a stray one (a code that a scanner read as 1)."""
    filled = (~np.isnan(axis.lines.values)).sum(axis=1)
    return [int(i) for i in np.flatnonzero(filled > filled.max(initial=0) / 5)]


def _labelled(axis: LabelledLines, numeric: Sequence[int], named: Callable[[str], bool]) -> set[int]:
    return {i for i in numeric if any(map(named, axis.paths[i]))}


def _whole_by_number(
    axis: LabelledLines,
    numeric: Sequence[int],
    derived: Sequence[Derived],
    details: set[int],
    named: Callable[[str], bool],
) -> set[int]:
    """The lines that cover all details; extremes need a label too, as they can agree by chance."""
    return {
        one.line
        for one in derived
        if details_of(one, derived, details) >= details
        and (one.function in ("sum", "mean") or _stands_over_all(axis.paths, one.line, numeric, named))
    }


def _stands_over_all(
    paths: Sequence[tuple[str, ...]], line: int, numeric: Sequence[int], named: Callable[[str], bool]
) -> bool:
    """Whether a line that is an aggregate only by its label is a total of all groups, not of one.

    Below a parent that is itself a total, this is the line called a total too: Total / Females sums some
    columns, Total / Total all.
    """
    path = paths[line]
    if len(path) == 1:
        return True
    if named(path[0]):
        return named(path[-1])
    others = [i for i in numeric if i != line and any(map(named, paths[i]))]
    return line in (numeric[0], numeric[-1]) and not others


def derived_lines(axis: LabelledLines, numeric: Sequence[int], by_label: set[int]) -> list[Derived]:
    """The aggregates that the numbers show, and years beside their quarters."""
    found = _by_number(axis, numeric, by_label)
    return [*found, *_years(axis.paths, numeric, {one.line for one in found})]


def _by_number(axis: LabelledLines, numeric: Sequence[int], by_label: set[int]) -> list[Derived]:
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
    """The functions that a line's labels name, plus those that a group's heading may have implicitly.

    Where some line is called just Average, the line of a group's own label can be its average.
    """
    named = {i: frozenset(f for label in paths[i] for f in terms.functions(label)) for i in numeric}
    alone = frozenset(
        f for i in numeric for label in paths[i] if terms.stands_alone(label) for f in terms.functions(label)
    )
    parents = {path[:depth] for path in paths for depth in range(1, len(path))} if alone else set()
    return {i: named[i] | alone if paths[i] in parents else named[i] for i in numeric}


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
    """The non-aggregate lines that an aggregate covers, directly or through its parts."""
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
