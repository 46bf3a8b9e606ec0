"""Parquet shards: numbered files of one folder, each complete or not there."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ...core.atomic_files import is_temporary, remove, unreadable, unwritable, write_atomically, write_new
from ...core.errors import RunError
from .shard_names import PLANNED, Shard, is_later, name_of, parse, without_merged
from .small_tables import small_tables, text_columns

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

_DAMAGED = ".damaged"

_HARDLY_REPEATING = frozenset({"key", "prompt", "messages", "prediction", "images"})


class DamagedShardError(Exception):
    """A shard that is truncated, empty, or not what its columns should be; the message says which."""


class ShardGoneError(RunError):
    """A shard that was there when the folder was listed: another process merged it, or removed it."""


@dataclass(frozen=True, slots=True)
class Listing:
    """What a folder holds.

    Attributes:
        files: the shards that count, each series in order.
        merged: shards whose rows are in another one already, which a killed run did not come to remove.
        left: what a killed run left half-written.
        foreign: files that are not the run's.
    """

    files: tuple[Shard, ...] = ()
    merged: tuple[Shard, ...] = ()
    left: tuple[Path, ...] = ()
    foreign: tuple[Path, ...] = ()

    @property
    def shards(self) -> tuple[Path, ...]:
        """The planned shards, in order."""
        return tuple(shard.path for shard in self.files if not is_later(shard))

    @property
    def later(self) -> tuple[Path, ...]:
        """The shards of what follows from answers, model by model."""
        return tuple(shard.path for shard in self.files if is_later(shard))

    def of(self, series: str) -> tuple[Shard, ...]:
        """The shards of a series, in order."""
        return tuple(shard for shard in self.files if shard.series == series)

    def next_index(self, series: str = PLANNED) -> int:
        """The number of a series' next shard."""
        return max((shard.last for shard in self.of(series)), default=-1) + 1


def list_folder(folder: Path) -> Listing:
    """The shards of a folder, which need not exist.

    Raises:
        RunError: the folder may not be read.
    """
    try:
        files = sorted(folder.iterdir())
    except FileNotFoundError:
        return Listing()
    except OSError as error:
        raise unreadable(folder, error) from error
    shards = [shard for path in files if (shard := _shard(path)) is not None]
    counting, merged = without_merged(shards)
    left = tuple(path for path in files if is_temporary(path))
    known = {*left, *(shard.path for shard in shards)}
    foreign = tuple(path for path in files if path not in known and _DAMAGED not in path.name)
    return Listing(tuple(counting), tuple(merged), left, foreign)


def _shard(path: Path) -> Shard | None:
    """The shard that a file is, with its size; None for directories, and for what is gone since."""
    shard = parse(path)
    try:
        return replace(shard, size=path.stat().st_size) if shard is not None and path.is_file() else None
    except OSError:
        return None


def write_shard(folder: Path, index: int, table: pa.Table | pa.RecordBatch) -> Path:
    """Write a planned shard atomically, its pages with checksums; one that is there is replaced.

    Raises:
        RunError: it cannot be written.
    """
    path = folder / name_of(PLANNED, index)
    write_atomically(path, parquet_bytes(table))
    return path


def add_shard(folder: Path, index: int, data: bytes, *, series: str = PLANNED, again: bool = False) -> Shard:
    """Write a shard under the first free number from ``index`` on; what is there is never replaced.

    Args:
        folder: where to.
        index: the first number to try.
        data: the file, as of :func:`parquet_bytes`.
        series: which of the folder's.
        again: an attempt to write it was interrupted, so that it may be there already.

    Raises:
        RunError: it cannot be written.
    """
    while not write_new(path := folder / name_of(series, index), data):
        if again and path.is_file() and path.read_bytes() == data:
            break
        index += 1
    return Shard(path, series, index, index, len(data))


def parquet_bytes(table: pa.Table | pa.RecordBatch) -> bytes:
    """A table as the bytes of a Parquet file."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    whole = table if isinstance(table, pa.Table) else pa.Table.from_batches([table])
    buffer = io.BytesIO()
    # a dictionary of texts that hardly repeat helps nothing, and makes reading them twice as slow
    repeating = [name for name in whole.column_names if name not in _HARDLY_REPEATING]
    pq.write_table(whole, buffer, compression="zstd", write_page_checksum=True, use_dictionary=repeating)
    return buffer.getvalue()


def read_shard(path: Path, schema: pa.Schema, columns: Sequence[str] | None = None) -> pa.Table:
    """A shard's rows, or some of its columns; raises what :func:`read_parts` does."""
    import pyarrow as pa

    names = list(columns) if columns is not None else schema.names
    parts = list(read_parts(path, schema, names))
    return pa.concat_tables(parts) if parts else schema.empty_table().select(names)


def read_parts(
    path: Path, schema: pa.Schema, columns: Sequence[str] | None = None, *, bounded: bool = False
) -> Iterator[pa.Table]:
    """A shard's rows, or some of its columns, a row group in memory at a time: merged shards have many.

    Args:
        path: the file.
        schema: the columns of a shard.
        columns: those to read; None for all.
        bounded: read little at a time, as the file may be somebody else's (:mod:`.small_tables`).

    Raises:
        DamagedShardError: the file is not a whole Parquet file, or lacks columns of ``schema``; where it is
            ``bounded``, also one whose rows are too large.
        ShardGoneError: it is not there any more.
        RunError: it may not be read.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    names = list(columns) if columns is not None else schema.names
    try:
        # opened here: Arrow takes no path that is not UTF-8
        with (
            path.open("rb") as opened,
            pq.ParquetFile(
                opened,
                page_checksum_verification=True,
                read_dictionary=text_columns(schema) if bounded else None,
            ) as file,
        ):
            absent = [field for field in schema if field.name not in file.schema_arrow.names]
            missing = [field.name for field in absent if not _may_be_absent(field)]
            if missing:
                raise DamagedShardError(f"has no column {missing[0]!r}")
            wanted = pa.schema([schema.field(name) for name in names])
            stored = [name for name in names if name in file.schema_arrow.names]
            for table in small_tables(file, opened, stored) if bounded else _row_groups(file, stored):
                part = _completed(table, absent).select(names).cast(wanted)
                part.validate(full=True)  # Arrow takes a text's bytes for UTF-8 unseen
                yield part
    except FileNotFoundError as error:
        raise ShardGoneError(str(unreadable(path, error))) from error
    except OSError as error:
        if error.errno is not None:  # a matter of rights or of the disk; Arrow's own errors have no number
            raise unreadable(path, error) from error
        raise DamagedShardError(_reason(error)) from error
    except (pa.ArrowException, ValueError) as error:
        raise DamagedShardError(_reason(error)) from error


def _row_groups(file: pq.ParquetFile, columns: Sequence[str]) -> Iterator[pa.Table]:
    for group in range(file.num_row_groups):
        yield file.read_row_group(group, columns=list(columns))


def _completed(table: pa.Table, absent: Sequence[pa.Field]) -> pa.Table:
    """The table with nulls for columns that files of earlier versions lack."""
    import pyarrow as pa

    for field in absent:
        table = table.append_column(field, pa.nulls(table.num_rows, field.type))
    return table


def _may_be_absent(field: pa.Field) -> bool:
    """Whether files of earlier versions lack the column; there it is read as nulls."""
    return (field.metadata or {}).get(b"absent") == b"null"


def set_aside(path: Path) -> Path:
    """Rename a damaged shard so that it is kept and not read again.

    Raises:
        RunError: it may not be renamed.
    """
    aside = path.with_name(path.name + _DAMAGED)
    number = 2
    while aside.exists():
        aside = path.with_name(f"{path.name}{_DAMAGED}-{number}")
        number += 1
    try:
        path.rename(aside)
    except OSError as error:
        raise unwritable(path, error) from error
    return aside


def clear_left(listing: Listing) -> None:
    """Remove what a killed run left: files half-written, and shards whose rows another one has.

    Raises:
        RunError: one may not be removed.
    """
    for path in (*listing.left, *(shard.path for shard in listing.merged)):
        remove(path)


def _reason(error: Exception) -> str:
    return " ".join(str(error).split())[:200] or type(error).__name__
