"""Rows of a JSON file that a data set's repository has, as a card's ``hub.file`` says."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..core.errors import DataError, nearest
from .rows import Row

if TYPE_CHECKING:
    from .schema import HubFile


def file_rows(path: Path, file: HubFile, columns: Sequence[str], card: str) -> list[Row]:
    """The rows with the named columns alone, in the file's order.

    Raises:
        DataError: the file is no JSON list, or a row of it has no such column.
    """
    where = f"{card}: {path.name}"
    try:
        listed = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise DataError(f"{where}: cannot be read as JSON: {str(error).splitlines()[0]}") from error
    if not isinstance(listed, list):
        raise DataError(f"{where}: found {type(listed).__name__}, expected a list of rows")
    return [_row(value, file, columns, f"{where}, row {number}") for number, value in enumerate(listed)]


def _row(value: Any, file: HubFile, columns: Sequence[str], where: str) -> Row:
    if isinstance(value, list) and file.fields:
        if len(value) != len(file.fields):
            raise DataError(f"{where}: has {len(value)} values, expected {len(file.fields)}")
        value = dict(zip(file.fields, value, strict=True))
    if not isinstance(value, dict):
        raise DataError(
            f"{where}: found {str(value)[:40]!r}, expected {'a list' if file.fields else 'an object'}"
        )
    for column in columns:
        if column not in value:
            raise DataError(f"{where}: no column {column!r}; {nearest(column, value)}")
    return {
        column: json.dumps(value[column]) if column in file.as_text else value[column] for column in columns
    }
