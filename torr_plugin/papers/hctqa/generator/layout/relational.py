"""The relational table of an instance."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from operator import itemgetter

from ..instance import HctInstance
from ..parameters.loading import VALUE
from ..parameters.models import sql_name

Entry = tuple[str | Decimal, ...]


@dataclass(frozen=True, slots=True)
class Relational:
    """The table that SQL runs on, as ``DBdata``.

    Attributes:
        names: as people read them; the last is ``Value``.
        sql_names: the same as SQL's columns: everything but letters and digits becomes ``_``.
        rows: the attributes' values and the number.
    """

    names: tuple[str, ...]
    sql_names: tuple[str, ...]
    rows: tuple[Entry, ...]


def relational(instance: HctInstance) -> Relational:
    """The rows of an instance: attributes in the template's order, the first of them varying fastest."""
    columns, rows = instance.columns, instance.rows
    order = instance.order or (*columns.attributes, *rows.attributes)
    displayed: list[dict[str, str | Decimal]] = [
        {
            **dict(zip(columns.attributes, above, strict=True)),
            **dict(zip(rows.attributes, beside, strict=True)),
            VALUE: value,
        }
        for beside, values in zip(rows.leaves, instance.values, strict=True)
        for above, value in zip(columns.leaves, values, strict=True)
    ]
    groups = [
        tuple(axis.attributes[index] for index in group) for axis in (columns, rows) for group in axis.groups
    ]
    entries = list(displayed)
    for group in sorted(groups, key=lambda group: order.index(group[0])):
        path = itemgetter(*group)
        ranks = {each: rank for rank, each in enumerate(dict.fromkeys(map(path, displayed)))}
        entries.sort(key=lambda entry: ranks[path(entry)])  # stable, so earlier groups vary faster
    names = (*order, VALUE)
    return Relational(
        names, tuple(map(sql_name, names)), tuple(tuple(entry[name] for name in names) for entry in entries)
    )
