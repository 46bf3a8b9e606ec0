"""The rows of a card's split: from a mirror, from the hub, or from one of the project's generators."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

from .. import synthesis  # its generators take a tenth of a second: imported by the first that is asked
from ..core.errors import DataError, nearest
from .row_steps import ROW_STEPS
from .rows import (
    MIRROR_VARIABLE,
    Row,
    chosen,
    columns_in,
    dealt,
    mirror_folder,
    with_optional,
)
from .table_files import FILES, RowVersions, paths_of, rows_with_files, with_their_versions

if TYPE_CHECKING:
    from pathlib import Path

    from .schema.loaders import CardRows, RepositoryFiles, TableLoader


def stream_rows(loader: CardRows, split: str, card: str, mirror: Path | None = None) -> Iterator[Row]:
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
    if loader.type_ == "load_structural":
        from .structural_sample import structural_rows  # reads other cards, which are loaded with this module

        return iter(structural_rows(loader, card, mirror)[split])

    folder = mirror or mirror_folder()
    if folder is not None:
        rows: Iterable[Row] = mirror_rows(loader, split, card, folder)
    else:
        from .hub import hub_rows  # the hub's libraries take a second to import; a mirror needs none

        rows = hub_rows(loader, split, card)
    place = f"{card}: split {split!r}"
    rows = kept_rows(loader, with_optional(rows, loader.optional) if loader.optional else rows, place)
    if loader.files is not None:
        rows = _with_files(rows, loader, loader.files, card, folder)
    return iter(dealt(list(rows), loader.mix, split) if loader.mix is not None else rows)


def kept_rows(loader: TableLoader, rows: Iterable[Row], place: str) -> Iterable[Row]:
    """The data's rows as a card takes them, without files.

    Args:
        loader: a card's loader.
        rows: of one split.
        place: what a message begins with.

    Raises:
        DataError: the card's own step cannot take them.
    """
    if loader.rows is not None:
        rows = _made_rows(loader.rows, rows, place)
    return (row for row in rows if chosen(row, loader.where)) if loader.where else rows


def _made_rows(step: str, rows: Iterable[Row], place: str) -> Iterator[Row]:
    try:
        yield from ROW_STEPS[step](rows, place)
    except (AttributeError, KeyError, TypeError) as error:
        found = f"{type(error).__name__}: {error}"
        raise DataError(f"{place}: its rows are not as {step!r} takes them ({found})") from error


def _with_files(
    rows: Iterable[Row], loader: TableLoader, files: RepositoryFiles, card: str, folder: Path | None
) -> Iterator[Row]:
    found = with_their_versions(rows)
    if folder is not None:
        contents = _mirrored_files(found, loader, files, card, folder)
        return rows_with_files(found, files, contents, lambda path: zlib.decompress(contents[path]), card)
    from .hub import file_content, hub_files

    places = hub_files(found, loader, files, card)
    return rows_with_files(found, files, places, lambda path: file_content(places[path], card), card)


def _mirrored_files(
    found: Sequence[RowVersions], loader: TableLoader, files: RepositoryFiles, card: str, folder: Path
) -> dict[str, bytes]:
    """The content of the files that rows may take, by path; compressed: documents would fill the memory."""
    place = mirrored_files_place(loader, files, folder)
    if not place.is_file():
        raise DataError(missing_files(loader, files, card, folder))
    wanted = {path for versions in found for paths in paths_of(versions, files, card) for path in paths}
    contents: dict[str, bytes] = {}
    with _naming_the_file(place, card, FILES), pq.ParquetFile(place) as file:
        for batch in file.iter_batches(batch_size=FILES_AT_ONCE, columns=list(FILE_COLUMNS)):
            for path, content in zip(*(batch[column].to_pylist() for column in FILE_COLUMNS), strict=True):
                if path in wanted:
                    data = content.encode() if isinstance(content, str) else content
                    contents[path] = zlib.compress(data, 1)
    return contents


FILES_AT_ONCE = 32
FILE_COLUMNS = ("path", "content")
"""The columns of a mirror's file of files."""


def missing_files(loader: TableLoader, files: RepositoryFiles, card: str, folder: Path) -> str:
    """What is said where a mirror lacks the file of files."""
    place = mirrored_files_place(loader, files, folder)
    return (
        f"{card}: its tables are missing: expected {place} with the files {' or '.join(files.paths)}, which "
        f"'torr data pull {card}' makes; {_what_there_is(place, folder)}"
    )


def mirrored_files_place(loader: TableLoader, files: RepositoryFiles, folder: Path) -> Path:
    """The path of the file of files in a mirror."""
    return folder / loader.mirror / f"{files.mirror}.parquet"


def available_splits(loader: CardRows) -> list[str]:
    """The splits that can be read: with a mirror those whose files it has, else all."""
    folder = mirror_folder()
    if folder is None or loader.type_ != "load_tables":
        return list(loader.splits)
    if loader.files is not None and not mirrored_files_place(loader, loader.files, folder).is_file():
        return []
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
        columns = columns_in(loader, pq.read_schema(path).names, where)
    return _read(path, columns, card, split)


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


def _read(path: Path, columns: list[str], card: str, split: str) -> Iterator[Row]:
    """Read rows in small batches: most are needed only once, so they need not all be in memory."""
    with _naming_the_file(path, card, split), pq.ParquetFile(path) as file:
        for batch in file.iter_batches(batch_size=ROWS_AT_ONCE, columns=columns):
            rows: list[Row] = batch.to_pylist()
            yield from rows
