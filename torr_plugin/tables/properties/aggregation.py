"""Rows and columns that aggregate others: found by their numbers and by their labels, local or global."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from . import names, terms
from .derivation import derived_lines, details_of

if TYPE_CHECKING:
    from .arithmetic import Derived
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
    numeric = _numeric(axis)
    by_label = _called(axis, numeric, named)
    changes = _called(axis, numeric, terms.names_change) - by_label
    wholes = _called(axis, numeric, terms.names_whole) - by_label
    derived = [one for one in derived_lines(axis, numeric, by_label) if not _undoes_change(one, changes)]
    by_number = {one.line for one in derived}
    found = by_label | by_number | changes | wholes
    details = {i for i in numeric if i not in found}
    over_all = _whole_by_number(axis, numeric, derived, details, named)
    over_all |= {i for i in by_label - by_number if _stands_over_all(axis.paths, i, numeric, named)}
    over_all |= changes - by_number if len(details) == 2 else set()
    # where several are, each is one group's
    top = wholes if len(wholes) == 1 else set()
    some = found - over_all - (top - by_number)
    over_all |= top
    said = by_label | changes | _called(axis, sorted(found), terms.is_explicit)
    return Aggregates(frozenset(over_all), frozenset(some), frozenset(said), frozenset(found - said))


def _undoes_change(one: Derived, changes: set[int]) -> bool:
    """Whether a line is a sum only of what it changed from and the change, which aggregates nothing."""
    return one.line not in changes and not changes.isdisjoint(one.parts)


def _numeric(axis: Axis) -> list[int]:
    """The lines that hold numbers: a stray one among words (a code that a scanner read as 1) makes none."""
    import numpy as np

    filled = (~np.isnan(axis.lines.values)).sum(axis=1)
    return [int(i) for i in np.flatnonzero(filled > filled.max(initial=0) / 5)]


def _called(axis: Axis, numeric: Sequence[int], named: Callable[[str], bool]) -> set[int]:
    return {i for i in numeric if any(map(named, axis.paths[i]))}


def _whole_by_number(
    axis: Axis,
    numeric: Sequence[int],
    derived: Sequence[Derived],
    details: set[int],
    named: Callable[[str], bool],
) -> set[int]:
    """The lines that take in all details; the largest of a group is often the largest of all by chance."""
    return {
        one.line
        for one in derived
        if details_of(one, derived, details) >= details
        and (one.function in ("sum", "mean") or _stands_over_all(axis.paths, one.line, numeric, named))
    }


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
