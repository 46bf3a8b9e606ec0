"""The relational table of an instance, and the way back from the human-centric table's grid."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from ....core.errors import InputError
from ....tables import Table
from ..instance import HctInstance, Path, TableAxis
from ..parameters.loading import VALUE
from ..parameters.models import sql_name

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


def _named(side: TableAxis) -> list[tuple[str, ...]]:
    return [tuple(side.attributes[index] for index in group) for group in side.groups]


def _ranks(entries: Sequence[Mapping[str, str | Decimal]], group: tuple[str, ...]) -> _Ranks:
    return _Ranks(group, dict.fromkeys(tuple(str(entry[name]) for name in group) for entry in entries))


def _path(entry: Mapping[str, str | Decimal], rank: _Ranks) -> Path:
    return tuple(str(entry[name]) for name in rank.group)


@dataclass(frozen=True, slots=True)
class GridCell:
    """A number of the body with the labels above it and beside it, outermost first."""

    column: tuple[str, ...]
    row: tuple[str, ...]
    text: str


def grid_cells(table: Table) -> Iterator[GridCell]:
    """Every cell of the body with its labels, aggregates among them.

    A label that covers several levels is said for each. A row whose one label covers all header columns above
    a row that begins with a blank is the parent of the rows that do so; its own cells have that label alone.
    """
    above = [_above(table, column) for column in range(table.n_columns)]
    parent = ""
    for row in range(table.header_rows, table.n_rows):
        labels = _beside(table, row)
        parent = labels[0] if labels and labels[0] else parent
        own = (parent, *labels[1:]) if labels else ()
        if _is_group(table, row):
            own = own[:1]
        for column in range(table.header_columns, table.n_columns):
            if table.origins[row][column][1] >= table.header_columns:
                yield GridCell(above[column], own, table.grid[row][column].text)


def _above(table: Table, column: int) -> tuple[str, ...]:
    return tuple(table.grid[row][column].text.strip() for row in range(table.header_rows))


def _beside(table: Table, row: int) -> tuple[str, ...]:
    return tuple(table.grid[row][column].text.strip() for column in range(table.header_columns))


def _is_group(table: Table, row: int) -> bool:
    covers_all = len(set(table.origins[row][: table.header_columns])) == 1 < table.header_columns
    return covers_all and row + 1 < table.n_rows and not table.grid[row + 1][0].text.strip()


def unpivot(table: Table, attributes: Mapping[str, tuple[str, ...]]) -> Relational:
    """The relational rows that the table shows; lines that are no path of values (aggregates) are left out.

    Args:
        table: a human-centric table.
        attributes: for each attribute's name (in the order wanted) the values it can have; the attributes
            of a hierarchy may share values, since its levels follow one another in the headers.

    Raises:
        InputError: a cell that is no number, or labels that fit the attributes in no way.
    """
    rows: list[Entry] = []
    for cell in grid_cells(table):
        found = _assigned((*cell.column, *cell.row), attributes)
        if found is not None:
            rows.append((*(found[name] for name in attributes), _number(cell)))
    if not rows:
        raise InputError("no cell of the table has a value of every attribute in its headers")
    names = (*attributes, VALUE)
    return Relational(names, tuple(map(sql_name, names)), tuple(rows))


def _assigned(labels: tuple[str, ...], attributes: Mapping[str, tuple[str, ...]]) -> dict[str, str] | None:
    """Each label given to an attribute that knows it, one to one; None where that cannot be."""
    if len(labels) != len(attributes):
        return None
    return _matched(labels, list(attributes), attributes)


def _matched(
    labels: tuple[str, ...], free: list[str], attributes: Mapping[str, tuple[str, ...]]
) -> dict[str, str] | None:
    if not labels:
        return {}
    for name in free:
        if labels[0] in attributes[name]:
            rest = _matched(labels[1:], [other for other in free if other != name], attributes)
            if rest is not None:
                return {name: labels[0], **rest}
    return None


def _number(cell: GridCell) -> Decimal:
    try:
        return Decimal(cell.text.strip())
    except InvalidOperation as error:
        where = " / ".join((*cell.column, *cell.row))
        raise InputError(f"cell {where}: found {cell.text!r}; expected a number") from error
