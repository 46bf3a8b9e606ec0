"""What all ``torr.*`` dialects share: a table as unitxt would hold it."""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import SerializationError, TableError
from ..table import TEXT, Scalar, Table, Texts


def content(table: Table, name: str) -> tuple[Sequence[str], Sequence[Sequence[Scalar]]]:
    """Header and rows of raw values, as unitxt's operators see them.

    Raises:
        SerializationError: the table has no header, or one that unitxt refuses (a value that is no text).
    """
    plain = plain_texts(table)
    if plain is not None:
        return plain
    header: list[Scalar]
    if table.header_rows == 1 and not table.has_spans:
        head, *body = table.rows
        header = [cell.raw for cell in head]
        rows = [[cell.text if cell.value is TEXT else cell.raw for cell in row] for row in body]
    else:
        header, rows = _from_unitxt(table, name)
    return _texts_only(header, name), rows


def plain_texts(table: Table) -> tuple[Sequence[str], Texts] | None:
    """Header and rows of a table of texts alone, read off it; None for any other table."""
    texts = table.texts
    if texts is not None and table.header_rows == 1:
        return texts[0], texts[1:]
    if texts is not None and not table.header_rows and table.header_columns:
        return table.blank_header, texts
    return None


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


def _texts_only(header: list[Scalar], name: str) -> list[str]:
    labels = [label for label in header if isinstance(label, str)]
    if len(labels) != len(header):
        found = next(label for label in header if not isinstance(label, str))
        raise SerializationError(f"{name}: the header has {found!r}, expected text in every header cell")
    return labels


def _from_unitxt(table: Table, name: str) -> tuple[list[Scalar], list[list[Scalar]]]:
    try:
        plain = table.to_unitxt()
    except TableError as error:
        raise SerializationError(f"{name}: {error}") from None
    return plain["header"], plain["rows"]
