"""The relational table behind a human-centric one: a row a cell, a column an attribute, and ``Value``."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from ..instance import Axis, HctInstance, Path
from ..parameters.checking import VALUE, sql_name

Entry = tuple[str | Decimal, ...]


@dataclass(frozen=True, slots=True)
class Relational:
    """The table that SQL runs on, as ``DBdata``.

    Attributes:
        names: as people read them; the last is ``Value``.
        sql_names: the same as SQL's columns: what is no letter or digit becomes ``_``.
        rows: the attributes' values and the number.
    """

    names: tuple[str, ...]
    sql_names: tuple[str, ...]
    rows: tuple[Entry, ...]


def relational(instance: HctInstance) -> Relational:
    """The instance's rows: attributes in the template's order, the first of them varying fastest."""
    order = instance.order or (*instance.columns.attributes, *instance.rows.attributes)
    entries = _entries(instance)
    ranks = [_ranks(entries, group) for group in _groups(instance, order)]
    rows = sorted(entries, key=lambda entry: tuple(rank[_path(entry, rank)] for rank in reversed(ranks)))
    names = (*order, VALUE)
    return Relational(
        names, tuple(map(sql_name, names)), tuple(tuple(entry[name] for name in names) for entry in rows)
    )


class _Ranks(dict[Path, int]):
    """The place of each path of one group in display order."""

    def __init__(self, group: Sequence[str], paths: Mapping[Path, None]) -> None:
        super().__init__((path, place) for place, path in enumerate(paths))
        self.group = group


def _entries(instance: HctInstance) -> list[dict[str, str | Decimal]]:
    columns = [dict(zip(instance.columns.attributes, leaf, strict=True)) for leaf in instance.columns.leaves]
    rows = [dict(zip(instance.rows.attributes, leaf, strict=True)) for leaf in instance.rows.leaves]
    return [
        {**column, **row, VALUE: value}
        for row, values in zip(rows, instance.values, strict=True)
        for column, value in zip(columns, values, strict=True)
    ]


def _groups(instance: HctInstance, order: Sequence[str]) -> list[tuple[str, ...]]:
    """The names of each code's attributes, in the template's order."""
    named = [_named(side) for side in (instance.columns, instance.rows)]
    return sorted(itertools.chain(*named), key=lambda group: order.index(group[0]))


def _named(side: Axis) -> list[tuple[str, ...]]:
    return [tuple(side.attributes[index] for index in group) for group in side.groups]


def _ranks(entries: Sequence[Mapping[str, str | Decimal]], group: tuple[str, ...]) -> _Ranks:
    return _Ranks(group, dict.fromkeys(tuple(str(entry[name]) for name in group) for entry in entries))


def _path(entry: Mapping[str, str | Decimal], rank: _Ranks) -> Path:
    return tuple(str(entry[name]) for name in rank.group)
