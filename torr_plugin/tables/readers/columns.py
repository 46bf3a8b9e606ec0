"""A header and rows as lists."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from ...core.errors import TableError
from ..table import Scalar, Table

_PLAIN = {str, int, float, bool, type(None)}


def columns(
    header: Sequence[Scalar], rows: Sequence[Sequence[Scalar]], *, title: str = "", notes: Sequence[str] = ()
) -> Table:
    """A flat table from a list of names and a list of rows (WikiTableQuestions' ``header`` and ``rows``).

    Arrays are taken as lists; numbers stay numbers.

    Raises:
        TableError: no header, no rows, a row longer or shorter than the header, a value that is no scalar.
    """
    head = _values(header, "the header")
    lines = [_values(row, f"row {index}") for index, row in enumerate(_sequence(rows, "the table's rows"))]
    return Table.flat(head, lines, title=title, notes=notes)


def _values(row: object, where: str) -> list[Scalar]:
    values = _sequence(row, where)
    if set(map(type, values)) <= _PLAIN:
        return cast("list[Scalar]", values)
    return [_value(value, f"{where} of the table", column) for column, value in enumerate(values)]


def _value(value: object, where: str, column: int) -> Scalar:
    item = getattr(value, "item", None)  # NumPy's scalars
    plain = item() if callable(item) else value
    if plain is None or isinstance(plain, str | int | float):
        return plain
    raise TableError(f"{where} has {str(plain)[:40]!r} in column {column}; expected a text or a number")


def _sequence(value: object, where: str) -> list[object]:
    if type(value) is list:
        return value
    if isinstance(value, str | bytes) or not hasattr(value, "__iter__") or isinstance(value, dict):
        raise TableError(f"{where} is {str(value)[:40]!r}; expected a list")
    return list(value)
