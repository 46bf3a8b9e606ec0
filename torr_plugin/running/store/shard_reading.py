"""Read shards: one, or a series in a stream, also while another process adds to it and merges it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, NoReturn, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ...core.atomic_files import read_error
from ...core.errors import RunError
from .shards import PLANNED, DamagedShardError, Shard, ShardGoneError, list_folder

OnDamage: TypeAlias = Callable[[Path, DamagedShardError], None]

# limits for a file that somebody else may have written; ours stay far below
MOST_FILE_BYTES = 1 << 30
MOST_ROWS = 100_000_000
MOST_COLUMNS = 1000
MOST_ROW_GROUP_BYTES = 2 << 30
MOST_BATCH_BYTES = 1 << 30
"""Bytes of so many rows (:data:`ROWS_A_BATCH`) in memory; answers of the longest text have less."""
ROWS_A_BATCH = 2048

_ATTEMPTS = 5


def fail_on_damage(hint: str) -> OnDamage:
    """Treat a damaged shard as an error, a RunError that ends with ``hint``."""

    def fail(path: Path, error: DamagedShardError) -> NoReturn:
        raise RunError(f"{path}: damaged ({error}); {hint}") from error

    return fail


def stream(
    folder: Path,
    schema: pa.Schema,
    on_damage: OnDamage,
    *,
    series: str = PLANNED,
    columns: Sequence[str] | None = None,
    bounded: bool = False,
) -> Iterator[pa.Table]:
    """The tables of a series' shards in order, one row group in memory at a time.

    Merging keeps the order of the rows, so a reader whose shard was merged away continues in the merged one
    behind the rows that it had already.

    Args:
        folder: where they are.
        schema: the columns of a shard.
        on_damage: called with a damaged shard, whose remaining rows are skipped unless it raises.
        series: its name; a folder has several.
        columns: those to read; None for all.
        bounded: limit what a file takes in memory, as it may be somebody else's.

    Raises:
        RunError: a shard cannot be read.
    """

    def read(path: Path) -> Iterator[pa.Table]:
        return read_parts(path, schema, columns, bounded=bounded)

    read_rows, attempts = 0, 0
    while True:
        try:
            for table in _from_row(_settled(folder, series), read_rows, read, on_damage):
                read_rows, attempts = read_rows + table.num_rows, 0
                yield table
        except ShardGoneError:
            attempts += 1
            if attempts == _ATTEMPTS:
                raise
        else:
            return


def _settled(folder: Path, series: str) -> Sequence[Shard]:
    """The shards of a series, listed until two listings agree.

    A listing made while shards are merged can lack the merged one, which came too late for it, as well as the
    old ones, which were removed too early.
    """
    found = list_folder(folder).of(series)
    for _ in range(_ATTEMPTS):
        before, found = found, list_folder(folder).of(series)
        if found == before:
            break
    return found


def _from_row(
    shards: Sequence[Shard],
    first: int,
    read: Callable[[Path], Iterator[pa.Table]],
    on_damage: OnDamage,
) -> Iterator[pa.Table]:
    """The shards' tables without their first rows."""
    for shard in shards:
        try:
            for table in read(shard.path):
                if first < table.num_rows:
                    yield table.slice(first)
                first = max(0, first - table.num_rows)
        except DamagedShardError as error:
            on_damage(shard.path, error)


def read_shard(path: Path, schema: pa.Schema, columns: Sequence[str] | None = None) -> pa.Table:
    """A shard's rows, or some of its columns; raises what :func:`read_parts` does."""
    names = list(columns) if columns is not None else schema.names
    parts = list(read_parts(path, schema, names))
    return pa.concat_tables(parts) if parts else schema.empty_table().select(names)


def read_parts(
    path: Path, schema: pa.Schema, columns: Sequence[str] | None = None, *, bounded: bool = False
) -> Iterator[pa.Table]:
    """A shard's rows, or some of its columns, a row group in memory at a time: merged shards have many.

    Everything is read in this thread, for the reason that :func:`...core.parquet.read_parquet` gives.

    Args:
        path: the file.
        schema: the columns of a shard.
        columns: those to read; None for all.
        bounded: limit what the file takes in memory, as it may be somebody else's.

    Raises:
        DamagedShardError: the file is not a whole Parquet file, or lacks columns of ``schema``; where it is
            ``bounded``, also one that exceeds a limit.
        ShardGoneError: it does not exist any more.
        RunError: it cannot be read.
    """
    names = list(columns) if columns is not None else schema.names
    try:
        # opened here: Arrow takes no path that is not UTF-8
        with (
            path.open("rb") as opened,
            pq.ParquetFile(
                opened,
                page_checksum_verification=True,
                pre_buffer=False,
                read_dictionary=_texts(schema, opened) if bounded else None,
            ) as file,
        ):
            if bounded:
                _check_bounds(file.metadata, os.fstat(opened.fileno()).st_size)
            there = file.schema_arrow.names
            absent = [field for field in schema if field.name not in there]
            missing = [field.name for field in absent if not _may_be_absent(field)]
            if missing:
                raise DamagedShardError(f"has no column {missing[0]!r}")
            wanted = pa.schema([schema.field(name) for name in names])
            stored = [name for name in names if name in there]
            for table in _small_batches(file, stored) if bounded else _row_groups(file, stored):
                part = _with_nulls(table, absent).select(names).cast(wanted)
                part.validate(full=True)  # Arrow takes a text's bytes for UTF-8 unseen
                yield part
    except FileNotFoundError as error:
        raise ShardGoneError(str(read_error(path, error))) from error
    except OSError as error:
        if error.errno is not None:  # a matter of rights or of the disk; Arrow's own errors have no number
            raise read_error(path, error) from error
        raise DamagedShardError(_reason(error)) from error
    except (pa.ArrowException, ValueError, KeyError) as error:  # KeyError: two columns of one name
        raise DamagedShardError(_reason(error)) from error


def _texts(schema: pa.Schema, opened: BinaryIO) -> list[str]:
    """The columns of texts that a file has; earlier versions wrote fewer."""
    there = set(pq.read_schema(opened).names)
    opened.seek(0)
    return [
        field.name
        for field in schema
        if field.type in (pa.string(), pa.large_string()) and field.name in there
    ]


def _row_groups(file: pq.ParquetFile, columns: Sequence[str]) -> Iterator[pa.Table]:
    for group in range(file.num_row_groups):
        yield file.read_row_group(group, columns=list(columns), use_threads=False)


def _check_bounds(metadata: pq.FileMetaData, size: int) -> None:
    groups = [metadata.row_group(number).total_byte_size for number in range(metadata.num_row_groups)]
    for what, found, most in (
        ("bytes", size, MOST_FILE_BYTES),
        ("rows", metadata.num_rows, MOST_ROWS),
        ("columns", metadata.num_columns, MOST_COLUMNS),
        ("bytes in a row group", max(groups, default=0), MOST_ROW_GROUP_BYTES),
    ):
        if found > most:
            raise ValueError(f"has {found:,} {what}; expected at most {most:,}")


def _small_batches(file: pq.ParquetFile, columns: Sequence[str]) -> Iterator[pa.Table]:
    """A file's rows, few at a time; texts stay in dictionaries, to be counted before they are copied."""
    for batch in file.iter_batches(ROWS_A_BATCH, columns=list(columns), use_threads=False):
        size = sum(map(_decoded_size, batch.columns))
        if size > MOST_BATCH_BYTES:
            raise ValueError(
                f"has {size:,} bytes in {batch.num_rows} rows; expected at most {MOST_BATCH_BYTES:,}"
            )
        yield pa.Table.from_batches([batch])


def _decoded_size(column: pa.Array) -> int:
    if not pa.types.is_dictionary(column.type):
        return int(column.nbytes)
    lengths = pc.binary_length(column.dictionary)
    return int(pc.sum(pc.take(lengths, column.indices).cast(pa.int64())).as_py() or 0)


def _with_nulls(table: pa.Table, absent: Sequence[pa.Field]) -> pa.Table:
    """The table with nulls for columns that files of earlier versions lack."""
    for field in absent:
        table = table.append_column(field, pa.nulls(table.num_rows, field.type))
    return table


def _may_be_absent(field: pa.Field) -> bool:
    """Whether files of earlier versions lack the column; there it is read as nulls."""
    return (field.metadata or {}).get(b"absent") == b"null"


def _reason(error: Exception) -> str:
    return " ".join(str(error).split())[:200] or type(error).__name__
