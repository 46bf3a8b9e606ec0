"""A generated table's properties, known from how it was made (HCT-QA, Table 6 and Appendix A.1)."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

from ....tables.properties import names
from ....tables.properties.text import is_explicit
from ..instance import HctInstance, Path, TableAxis
from .lines import AxisLine, lines, merged_levels
from .pivot import column_totals, is_indented, row_totals

Shape: TypeAlias = "tuple[tuple[str, Any], ...]"


def table_properties(instance: HctInstance) -> dict[str, bool]:
    """Every property of the benchmark's vocabulary; none is guessed from the drawn table."""
    found = {**_columns(instance), **_rows(instance), names.SPLIT_HEADER_CELL: False}
    found[names.STANDARD] = not any(found.values())
    return {name: found[name] for name in names.ALL}


def _columns(instance: HctInstance) -> dict[str, bool]:
    axis = instance.columns
    nested = _nested(axis)
    whole, part, explicit, implicit = _aggregation(axis, lines(axis, column_totals(instance)))
    return {
        names.MULTI_LEVEL_COLUMN: nested,
        names.BALANCED_COLUMN: nested and _balanced(axis),
        names.UNBALANCED_COLUMN: nested and not _balanced(axis),
        names.SYMMETRIC_COLUMN: nested and _symmetric(axis),
        names.ASYMMETRIC_COLUMN: nested and not _symmetric(axis),
        names.COLUMN_AGGREGATION: whole or part,
        names.GLOBAL_COLUMN: whole,
        names.LOCAL_COLUMN: part,
        names.EXPLICIT_COLUMN: explicit,
        names.IMPLICIT_COLUMN: implicit,
    }


def _rows(instance: HctInstance) -> dict[str, bool]:
    axis = instance.rows
    nested = _nested(axis)
    made = lines(axis, row_totals(instance))
    filled = is_indented(instance) and any(line.level == 1 and line is first for line, first in _firsts(made))
    # the row of a group that its aggregate fills says the group's name, and not that it sums up
    whole, part, explicit, implicit = _aggregation(axis, made, unnamed=filled)
    return {
        names.ROW_NESTING: nested,
        names.BALANCED_ROW: nested and _balanced(axis),
        names.UNBALANCED_ROW: nested and not _balanced(axis),
        names.SYMMETRIC_ROW: nested and _symmetric(axis),
        names.ASYMMETRIC_ROW: nested and not _symmetric(axis),
        names.ROW_AGGREGATION: whole or part,
        names.GLOBAL_ROW: whole,
        names.LOCAL_ROW: part,
        names.EXPLICIT_ROW: explicit,
        names.IMPLICIT_ROW: implicit,
        names.ROW_GROUP_LABEL: is_indented(instance) and not filled,
    }


def _firsts(made: Sequence[AxisLine]) -> Iterator[tuple[AxisLine, AxisLine]]:
    """Each line with the first of its outermost group."""
    for _, group in itertools.groupby(made, key=lambda line: line.labels[0]):
        inside = list(group)
        yield from ((line, inside[0]) for line in inside)


def _aggregation(
    axis: TableAxis, made: Sequence[AxisLine], *, unnamed: bool = False
) -> tuple[bool, bool, bool, bool]:
    """Whether all is summed up, whether a part is, and whether by a telling name, or by another."""
    totals = [line for line in made if line.level is not None]
    whole = [line for line in totals if len(line.members) == len(axis.leaves)]
    told = [_is_named_plainly(line) and not (unnamed and line.level == 1) for line in totals]
    return bool(whole), len(whole) < len(totals), any(told), not all(told)


def _is_named_plainly(line: AxisLine) -> bool:
    return any(map(is_explicit, line.labels))


def _nested(axis: TableAxis) -> bool:
    return any(len(path) > 1 for path in _paths(axis))


def _balanced(axis: TableAxis) -> bool:
    """Whether all branches that nest are equally deep; labels without any below them do not count."""
    return len({len(path) for path in _paths(axis) if len(path) > 1}) <= 1


def _paths(axis: TableAxis) -> list[Path]:
    """The labels that the header shows of each leaf: a value without values below it stands there once."""
    return [
        tuple(label for label, again in zip(leaf, merged, strict=True) if not again)
        for leaf, merged in zip(axis.leaves, merged_levels(axis), strict=True)
    ]


def _symmetric(axis: TableAxis) -> bool:
    """Whether the parents of the outermost level that has several hold the same labels.

    Where no level has two parents there is nothing that could be repeated, and nesting is not symmetric.
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
