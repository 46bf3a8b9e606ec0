"""A generated table's properties, known from how it was made (HCT-QA, Table 6 and Appendix A.1)."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

from ... import property_names as names
from ..instance import HctInstance, Path, TableAxis
from .lines import AxisLine, lines, merged_levels
from .pivot import column_totals, is_indented, row_totals

Shape: TypeAlias = "tuple[tuple[str, Any], ...]"


def table_properties(instance: HctInstance) -> dict[str, bool]:
    """Every property of the benchmark's vocabulary, without looking at the finished table."""
    found = {**_columns(instance), **_rows(instance), names.SPLIT_HEADER_CELL: False}
    found[names.STANDARD] = not any(found.values())
    return {name: found[name] for name in names.ALL}


_AXIS_NAMES = {
    "columns": (
        names.MULTI_LEVEL_COLUMN,
        names.BALANCED_COLUMN,
        names.UNBALANCED_COLUMN,
        names.SYMMETRIC_COLUMN,
        names.ASYMMETRIC_COLUMN,
        names.COLUMN_AGGREGATION,
        names.GLOBAL_COLUMN,
        names.LOCAL_COLUMN,
        names.EXPLICIT_COLUMN,
        names.IMPLICIT_COLUMN,
    ),
    "rows": (
        names.ROW_NESTING,
        names.BALANCED_ROW,
        names.UNBALANCED_ROW,
        names.SYMMETRIC_ROW,
        names.ASYMMETRIC_ROW,
        names.ROW_AGGREGATION,
        names.GLOBAL_ROW,
        names.LOCAL_ROW,
        names.EXPLICIT_ROW,
        names.IMPLICIT_ROW,
    ),
}


def _columns(instance: HctInstance) -> dict[str, bool]:
    made = lines(instance.columns, column_totals(instance))
    return dict(zip(_AXIS_NAMES["columns"], _of_axis(instance.columns, made), strict=True))


def _rows(instance: HctInstance) -> dict[str, bool]:
    made = lines(instance.rows, row_totals(instance))
    filled = is_indented(instance) and any(line.level == 1 and line is first for line, first in _firsts(made))
    # the row of a group that its aggregate fills has the group's name, which does not say that it sums up
    found = dict(zip(_AXIS_NAMES["rows"], _of_axis(instance.rows, made, unnamed=filled), strict=True))
    return {**found, names.ROW_GROUP_LABEL: is_indented(instance) and not filled}


def _of_axis(axis: TableAxis, made: Sequence[AxisLine], *, unnamed: bool = False) -> tuple[bool, ...]:
    """The values of an axis's properties, in the order of the names."""
    nested, balanced, symmetric = _nested(axis), _balanced(axis), _symmetric(axis)
    nesting = (balanced, not balanced, symmetric, not symmetric)
    totals = [line for line in made if line.level is not None]
    whole = sum(len(line.members) == len(axis.leaves) for line in totals)
    explicit = [_is_named_plainly(line) and not (unnamed and line.level == 1) for line in totals]
    aggregation = (bool(totals), whole > 0, whole < len(totals), any(explicit), not all(explicit))
    return (nested, *(nested and each for each in nesting), *aggregation)


def _firsts(made: Sequence[AxisLine]) -> Iterator[tuple[AxisLine, AxisLine]]:
    """Each line with the first of its outermost group."""
    for _, group in itertools.groupby(made, key=lambda line: line.labels[0]):
        inside = list(group)
        yield from ((line, inside[0]) for line in inside)


def _is_named_plainly(line: AxisLine) -> bool:
    return any(map(names.is_explicit, line.labels))


def _nested(axis: TableAxis) -> bool:
    return any(len(path) > 1 for path in _paths(axis))


def _balanced(axis: TableAxis) -> bool:
    """Whether all branches that nest are equally deep; labels without any below them do not count."""
    return len({len(path) for path in _paths(axis) if len(path) > 1}) <= 1


def _paths(axis: TableAxis) -> list[Path]:
    """The labels that the header shows of each leaf; a value without values below it appears once."""
    return [
        tuple(label for label, again in zip(leaf, merged, strict=True) if not again)
        for leaf, merged in zip(axis.leaves, merged_levels(axis), strict=True)
    ]


def _symmetric(axis: TableAxis) -> bool:
    """Whether the parents of the outermost level with several parents hold the same labels.

    If no level has two parents, nothing can be repeated, and the nesting is not symmetric.
    """
    level = _parents(_shape(_paths(axis)))
    while len(level) == 1:
        level = _parents(level[0])
    return len(set(level)) == 1


def _parents(shape: Shape) -> list[Shape]:
    return [below for _, below in shape if below]


def _shape(paths: Sequence[Path]) -> Shape:
    grouped = itertools.groupby((path for path in paths if path), key=lambda path: path[0])
    return tuple((label, _shape([path[1:] for path in group])) for label, group in grouped)
