"""The rows of a card's split: from a mirror, from the hub, or from one of the project's generators."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

from .. import synthesis  # its generators take a tenth of a second: imported by the first that is asked
from ..core.errors import DataError, nearest
from .rows import MIRROR_VARIABLE, Row, dealt, lifted, mirror_folder, root, row_of_each, sources

if TYPE_CHECKING:
    from pathlib import Path

    from .schema.loaders import GeneratedLoader, TableLoader


def stream_rows(
    loader: TableLoader | GeneratedLoader, split: str, card: str, mirror: Path | None = None
) -> Iterator[Row]:
    """The rows of a split in order; a mirror is read in batches.

    Args:
        loader: a card's loader.
        split: one of its splits.
        card: the card's name, for messages.
        mirror: a mirror to read from, instead of the one that ``TORR_DATA`` names.

    Raises:
        DataError: the card has no such split, or the data is missing (what is missing, where, what there is).
    """
    if split not in loader.splits:
        raise DataError(f"{card}: no split {split!r}; {nearest(split, loader.splits)}")
    if loader.type_ == "load_generated":
        made = synthesis.generate(loader.generator, seed=loader.seed, sizes=loader.splits)
        return (dict(row) for row in made[split])

    folder = mirror or mirror_folder()
    if folder is not None:
        rows: Iterable[Row] = mirror_rows(loader, split, card, folder)
    else:
        from .hub import hub_rows  # the hub's libraries take a second to import; a mirror needs none

        rows = hub_rows(loader, split, card)
    where = loader.where.items()
    kept: Iterable[Row] = (
        (row for row in rows if all(row[column] == value for column, value in where)) if where else rows
    )
    if loader.each:
        kept = row_of_each(list(kept), loader.each, f"{card}: split {split!r}")
    return iter(dealt(list(kept), loader.mix, split) if loader.mix is not None else kept)


def available_splits(loader: TableLoader | GeneratedLoader) -> list[str]:
    """The splits that can be read: with a mirror those whose files it has, else all."""
    folder = mirror_folder()
    if folder is None or loader.type_ == "load_generated":
        return list(loader.splits)
    return [split for split in loader.splits if mirror_file(loader, split, folder).is_file()]


ROWS_AT_ONCE = 256


def mirror_file(loader: TableLoader, split: str, folder: Path) -> Path:
    """The path of a split's file in a mirror."""
    return folder / loader.mirror / f"{loader.splits[split].mirror}.parquet"


def mirror_rows(loader: TableLoader, split: str, card: str, folder: Path) -> Iterator[Row]:
    """The rows of one file of the mirror, with only the needed columns, read in batches.

    Raises:
        DataError: the folder, the data set, the file or a column is missing, or the file is damaged (found
            while iterating, if the damage is not in its metadata).
    """
    path = mirror_file(loader, split, folder)
    if not path.is_file():
        raise DataError(f"{card}: split {split!r}: expected {path}; {_what_there_is(path, folder)}")
    where = f"{card}: split {split!r}: {path}"
    with _naming_the_file(path, card, split):
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
def _naming_the_file(path: Path, card: str, split: str) -> Iterator[None]:
    """Add card, split and path to errors of reading a file."""
    try:
        yield
    except (pa.ArrowException, OSError, UnicodeEncodeError) as error:  # pyarrow takes paths in UTF-8 alone
        raise DataError(
            f"{card}: split {split!r}: {path} cannot be read: {str(error).splitlines()[0]}"
        ) from error


def _column_names(path: Path) -> list[str]:
    return list(pq.read_schema(path).names)


def _read(path: Path, columns: list[str], card: str, split: str) -> Iterator[Row]:
    """Read rows in small batches: most are needed only once, so they need not all be in memory."""
    with _naming_the_file(path, card, split), pq.ParquetFile(path) as file:
        for batch in file.iter_batches(batch_size=ROWS_AT_ONCE, columns=columns):
            rows: list[Row] = batch.to_pylist()
            yield from rows
