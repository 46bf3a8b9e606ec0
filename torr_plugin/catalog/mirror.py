"""Rows from a mirror: Parquet files ``DIR/<name>/<split>.parquet`` in the hub version's schema."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import DataError, nearest
from .rows import MIRROR_VARIABLE, Row, needed_columns

if TYPE_CHECKING:
    from .schema import LoadTables


def mirror_folder() -> Path | None:
    """The folder that ``TORR_DATA`` names, or None where it is not set."""
    named = os.environ.get(MIRROR_VARIABLE)
    return Path(named) if named else None


def mirror_file(loader: LoadTables, split: str, folder: Path) -> Path:
    """Where the mirror has a split, or would have it."""
    return folder / loader.mirror / f"{loader.splits[split].mirror}.parquet"


def mirror_rows(loader: LoadTables, split: str, card: str, folder: Path) -> list[Row]:
    """The rows of one file of the mirror, with the needed columns alone.

    Raises:
        DataError: the folder, the data set, the file or a column is not there, or the file is damaged.
    """
    path = mirror_file(loader, split, folder)
    if not path.is_file():
        raise DataError(f"{card}: split {split!r}: expected {path}; {_what_there_is(path, folder)}")
    return _read(path, needed_columns(loader), card, split)


def _what_there_is(path: Path, folder: Path) -> str:
    if not folder.is_dir():
        return f"the folder {folder} that {MIRROR_VARIABLE} names does not exist"
    if not path.parent.is_dir():
        sets = sorted(each.name for each in folder.iterdir() if each.is_dir())
        return f"the mirror has {', '.join(sets) or 'no data sets'}"
    files = sorted(each.name for each in path.parent.glob("*.parquet"))
    return f"{path.parent} has {', '.join(files) or 'no Parquet files'}"


def _read(path: Path, columns: list[str], card: str, split: str) -> list[Row]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        known = pq.read_schema(path).names
        for column in columns:
            if column not in known:
                raise DataError(
                    f"{card}: split {split!r}: {path} has no column {column!r}; {nearest(column, known)}"
                    f" (its columns: {', '.join(known)})"
                )
        rows: list[Row] = pq.read_table(path, columns=columns).to_pylist()
    except (pa.ArrowException, OSError) as error:
        raise DataError(
            f"{card}: split {split!r}: {path} cannot be read: {str(error).splitlines()[0]}"
        ) from error
    return rows
