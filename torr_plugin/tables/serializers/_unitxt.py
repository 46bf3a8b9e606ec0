"""What all ``torr.*`` dialects share: a table as unitxt would hold it."""

from __future__ import annotations

from collections.abc import Sequence

from ...core.errors import SerializationError, TableError
from ..table import Scalar, Table, Texts


def content(table: Table, name: str) -> tuple[Sequence[str], Sequence[Sequence[Scalar]]]:
    """Header and rows of raw values, as unitxt's operators see them.

    Raises:
        SerializationError: the table has no header, or one that unitxt refuses (a value that is no text).
    """
    plain = plain_texts(table)
    if plain is not None:
        return plain
    header, *rows = _lines(table, name)
    return _texts_only(header, name), rows


def plain_texts(table: Table) -> tuple[Sequence[str], Texts] | None:
    """Header and rows of a table of texts alone; None for any other table, and one without a header."""
    if not table.header_rows and not table.header_columns:
        return None
    lines = table.unitxt_texts
    return None if lines is None else (lines[0], lines[1:])


def texts(table: Table, name: str, *, absent: str = "None") -> tuple[Sequence[str], Sequence[Sequence[str]]]:
    """Header and rows as ``str`` writes their raw values, ``absent`` for ``None``."""
    plain = plain_texts(table)
    if plain is not None:
        return plain
    if table.header_rows == 1 and not table.has_spans:
        head, *body = table.rows
        names = _texts_only([cell.raw for cell in head], name)
        return names, [[cell.text if cell.value is not None else absent for cell in row] for row in body]
    header, rows = content(table, name)
    return header, [[absent if value is None else str(value) for value in row] for row in rows]


def _texts_only(header: Sequence[Scalar], name: str) -> list[str]:
    labels = [label for label in header if isinstance(label, str)]
    if len(labels) != len(header):
        found = next(label for label in header if not isinstance(label, str))
        raise SerializationError(f"{name}: the header has {found!r}, expected text in every header cell")
    return labels


def _lines(table: Table, name: str) -> Sequence[Sequence[Scalar]]:
    try:
        return table.unitxt_lines
    except TableError as error:
        raise SerializationError(f"{name}: {error}") from None
