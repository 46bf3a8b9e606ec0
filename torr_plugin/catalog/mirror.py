"""Rows from a mirror: Parquet files ``DIR/<name>/<split>.parquet`` in the hub version's schema."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from ..core.errors import DataError
from .rows import MIRROR_VARIABLE, Row, lifted, root, sources

if TYPE_CHECKING:
    from .schema import LoadTables

ROWS_AT_ONCE = 256


def mirror_folder() -> Path | None:
    """The folder that ``TORR_DATA`` names, or None where it is not set."""
    named = os.environ.get(MIRROR_VARIABLE)
    return Path(named) if named else None


def mirror_file(loader: LoadTables, split: str, folder: Path) -> Path:
    """Where the mirror has a split, or would have it."""
    return folder / loader.mirror / f"{loader.splits[split].mirror}.parquet"


def mirror_rows(loader: LoadTables, split: str, card: str, folder: Path) -> Iterator[Row]:
    """The rows of one file of the mirror, with the needed columns alone, read little by little.

    Raises:
        DataError: the folder, the data set, the file or a column is not there, or the file is damaged (where
            the damage is below its head: when the rows are asked for).
    """
    path = mirror_file(loader, split, folder)
    if not path.is_file():
        raise DataError(f"{card}: split {split!r}: expected {path}; {_what_there_is(path, folder)}")
    where = f"{card}: split {split!r}: {path}"
    with _told(path, card, split):
        places = sources(loader, _column_names(path), where)
    columns = list(dict.fromkeys(map(root, places.values())))
    return lifted(_read(path, columns, card, split), places, where)


def _what_there_is(path: Path, folder: Path) -> str:
    if not folder.is_dir():
        return f"the folder {folder} that {MIRROR_VARIABLE} names does not exist"
    if not path.parent.is_dir():
        sets = sorted(each.name for each in folder.iterdir() if each.is_dir())
        return f"the mirror has {', '.join(sets) or 'no data sets'}"
    files = sorted(each.name for each in path.parent.glob("*.parquet"))
    return f"{path.parent} has {', '.join(files) or 'no Parquet files'}"


@contextmanager
def _told(path: Path, card: str, split: str) -> Iterator[None]:
    """Says what cannot be read."""
    import pyarrow as pa

    try:
        yield
    except (pa.ArrowException, OSError) as error:
        raise DataError(
            f"{card}: split {split!r}: {path} cannot be read: {str(error).splitlines()[0]}"
        ) from error


def _column_names(path: Path) -> list[str]:
    import pyarrow.parquet as pq

    return list(pq.read_schema(path).names)


def _read(path: Path, columns: list[str], card: str, split: str) -> Iterator[Row]:
    """The rows, a few at a time: most are looked at once, and those of a table known already are dropped."""
    import pyarrow.parquet as pq

    with _told(path, card, split), pq.ParquetFile(path) as file:
        for batch in file.iter_batches(batch_size=ROWS_AT_ONCE, columns=columns):
            rows: list[Row] = batch.to_pylist()
            yield from rows
