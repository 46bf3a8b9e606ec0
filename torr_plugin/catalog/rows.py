"""A row of a data set, and which of its columns a card reads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from ..core.errors import DataError, nearest

if TYPE_CHECKING:
    from .schema import LoadTables

Row: TypeAlias = "Mapping[str, Any]"

MIRROR_VARIABLE = "TORR_DATA"


def needed_columns(loader: LoadTables) -> list[str]:
    """The columns to read: those the card uses, and those that choose rows."""
    return list(dict.fromkeys([*loader.columns, *loader.where]))


def sources(loader: LoadTables, known: Iterable[str], where: str) -> dict[str, str]:
    """Where each needed column stands in the data at hand: under its name, or else ``instead``.

    Args:
        loader: a card's loader.
        known: the columns that the data has.
        where: what a message begins with.

    Raises:
        DataError: a column is in neither place.
    """
    has = list(known)
    found = {}
    for column in needed_columns(loader):
        path = loader.instead.get(column)
        if column in has:
            path = column
        elif path is None or root(path) not in has:
            name = f"{column!r}, nor {path!r}" if path else repr(column)
            raise DataError(
                f"{where} has no column {name}; {nearest(column, has)} (its columns: {', '.join(has)})"
            )
        found[column] = path
    return found


def root(path: str) -> str:
    """The column that a dotted path begins with."""
    return path.split(".", 1)[0]


def lifted(rows: Iterable[Row], places: Mapping[str, str], where: str) -> Iterator[Row]:
    """The rows with every column under its own name, wherever ``places`` says it stands.

    Raises:
        DataError: a struct has no such field.
    """
    if all(column == path for column, path in places.items()):
        yield from rows
        return
    for number, row in enumerate(rows):
        yield {column: _at(row, path, f"{where}, row {number}") for column, path in places.items()}


def _at(row: Row, path: str, where: str) -> Any:
    value: Any = row
    for part in path.split("."):
        if not isinstance(value, Mapping) or part not in value:
            known = list(value) if isinstance(value, Mapping) else []
            raise DataError(f"{where}: no {part!r} in {path!r}; {nearest(part, known)}")
        value = value[part]
    return value
