"""What a serializer promises."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..tables import SerializationError
from .running import fails, for_tables

if TYPE_CHECKING:
    from ..tables import Table
    from ..tables.serializers import Serializer


def check_serializer(serializer: Serializer, *, examples: int = 100) -> None:
    """Check a format on made tables: flat and nested ones, with any text in their cells.

    It gives text, the same for the same table; it may refuse a table by ``SerializationError`` alone, and the
    plainest not at all; the table stays as it was. One that is ``lossless`` refuses nothing, and reads back
    what it wrote.

    Args:
        serializer: the format.
        examples: tables to be tried.

    Raises:
        AssertionError: what it does not keep, and a table on which it does not.
    """
    from ..tables import Table

    fails(not getattr(serializer, "name", ""), "a serializer has a name of its own; found none")
    _check(serializer, Table.flat(["Name", "Age"], [["Sophia", "26"]]), must=True)
    for_tables(lambda table: _check(serializer, table, must=serializer.lossless), examples)


def _check(serializer: Serializer, table: Table, *, must: bool) -> None:
    name = serializer.name
    try:
        text = serializer.serialize(table)
    except SerializationError as refusal:
        fails(must, f"{name!r} refuses a table that it should hold ({refusal}): {table!r}")
        return
    except Exception as error:
        raise AssertionError(
            f"{name!r} raises {type(error).__name__}: {error}; expected text or SerializationError: {table!r}"
        ) from error
    fails(not isinstance(text, str), f"{name!r} gives {type(text).__name__}, expected text: {table!r}")
    fails(serializer.serialize(table) != text, f"{name!r} gives another text for the same table: {table!r}")
    if serializer.lossless:
        _check_back(serializer, table, text)


def _check_back(serializer: Serializer, table: Table, text: str) -> None:
    name = serializer.name
    try:
        back = serializer.parse(text)
    except Exception as error:
        raise AssertionError(
            f"{name!r} says it is lossless, and cannot read what it wrote: "
            f"{type(error).__name__}: {error}: {text!r}"
        ) from error
    fails(
        back != table,
        f"{name!r} says it is lossless, and reads back another table: {table!r} as {text!r} is {back!r}",
    )
