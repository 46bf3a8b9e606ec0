"""Parquet shards: numbered files of one folder, each complete or absent; written, read, made one.

A shard is called ``part-000007.parquet``; one that was made of several, ``part-000000+000063.parquet``: it
stands for the numbers from the first to the last, and shards of these that a kill left behind do not count.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import TypeAlias

import pyarrow as pa
import pyarrow.parquet as pq

from ...core.atomic_files import (
    atomic_file,
    create_exclusively,
    is_temporary,
    read_error,
    remove,
    write_error,
)
from ...core.errors import RunError

PLANNED = "part"
_LATER = "later-"
_NAME = re.compile(r"(part|later-[^+]+)-(\d{6,})(?:\+(\d{6,}))?\.parquet")
_DAMAGED = ".damaged"

SHARDS = 64
"""So many small shards of a series become one."""

MOST_BYTES = 64_000_000
"""A larger shard stays as it is, to limit what is written again and what damage to one file costs."""

_ROW_GROUP_BYTES = 32_000_000
_ATTEMPTS = 5

# a dictionary of texts that hardly repeat helps nothing, and makes reading them twice as slow
_HARDLY_REPEATING = frozenset({"key", "prompt", "messages", "prediction", "images"})


class DamagedShardError(Exception):
    """A shard that is truncated, empty, or has other columns; the message says which."""


class ShardGoneError(RunError):
    """A shard that has gone since the folder was listed: it is part of a larger one by now."""


OnDamage: TypeAlias = Callable[[Path, DamagedShardError], None]


@dataclass(frozen=True, slots=True)
class Shard:
    """A file of a series, which stands for the numbers ``first`` to ``last`` of it; ``size`` in bytes."""

    path: Path
    first: int
    last: int
    size: int


def later_series(folder: str) -> str:
    """The series of the follow-ups, requests made from answers, of the model with this folder."""
    return _LATER + folder


def series_in(folder: Path) -> list[str]:
    """The series of a folder: the planned one, then the others by name."""
    series = {match[1] for path in _entries(folder) if (match := _NAME.fullmatch(path.name))}
    return [PLANNED, *sorted(series - {PLANNED})]


def list_shards(folder: Path, series: str = PLANNED) -> list[Shard]:
    """The shards of a series that count, in order; the folder need not exist.

    Raises:
        RunError: the folder may not be read.
    """
    files = []
    for path in _entries(folder):
        match = _NAME.fullmatch(path.name)
        if match and match[1] == series:
            with suppress(OSError):  # gone since
                if path.is_file():
                    first = int(match[2])
                    files.append(Shard(path, first, int(match[3] or first), path.stat().st_size))
    counting: list[Shard] = []
    for shard in sorted(files, key=lambda shard: (shard.first, -shard.last)):
        if not counting or shard.last > counting[-1].last:
            counting.append(shard)
    return counting


def _entries(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except FileNotFoundError:
        return []
    except OSError as error:
        raise read_error(folder, error) from error


def tidy(folder: Path) -> None:
    """Remove what a killed command left: half-written files, and shards whose rows a larger one has.

    Raises:
        RunError: one may not be removed.
    """
    counting = {shard.path for series in series_in(folder) for shard in list_shards(folder, series)}
    for path in _entries(folder):
        left = is_temporary(path) or (_NAME.fullmatch(path.name) and path not in counting)
        if left and path.is_file():
            remove(path)


def add_shard(
    folder: Path, table: pa.Table | pa.RecordBatch, series: str = PLANNED, *, uninterrupted: bool = False
) -> None:
    """Write rows as the next shard of a series; whenever there are ``SHARDS``, the small ones become one.

    Args:
        folder: where to.
        table: the rows.
        series: its name; a folder has several.
        uninterrupted: the rows cannot be had again: an interruption is raised once they are on the disk.

    Raises:
        RunError: it cannot be written.
    """
    shards, data = list_shards(folder, series), parquet_bytes(table)
    number = shards[-1].last + 1 if shards else 0
    try:
        _write(folder, data, number, series)
    except KeyboardInterrupt:
        if uninterrupted:
            _write(folder, data, number, series)
        raise
    if not (len(shards) + 1) % SHARDS:
        compact(folder, table.schema, series)


def _write(folder: Path, data: bytes, number: int, series: str) -> None:
    """Write a file under the first free number; what is there is never replaced."""
    while not create_exclusively(path := folder / f"{series}-{number:06d}.parquet", data):
        with suppress(OSError):  # an interrupted attempt may have written it
            if path.read_bytes() == data:
                return
        number += 1


def parquet_bytes(table: pa.Table | pa.RecordBatch) -> bytes:
    """A table as the bytes of a Parquet file, its pages with checksums."""
    buffer = io.BytesIO()
    with shard_writer(buffer, table.schema) as writer:
        writer.write(table)
    return buffer.getvalue()


def shard_writer(file: object, schema: pa.Schema) -> pq.ParquetWriter:
    """What writes the rows of a shard to a file that Python has opened."""
    repeating = [name for name in schema.names if name not in _HARDLY_REPEATING]
    return pq.ParquetWriter(
        file, schema, compression="zstd", write_page_checksum=True, use_dictionary=repeating
    )


def compact(folder: Path, schema: pa.Schema, series: str = PLANNED) -> None:
    """Make one of the small shards at the end of a series.

    The rows keep their order. The new file has its name before the old ones go, so that a kill neither loses
    nor doubles a row. What cannot be made one (a damaged shard, columns of a newer version, a disk without
    room for a second copy) stays as it is.
    """
    shards = list_shards(folder, series)
    small = [*takewhile(lambda shard: shard.size < MOST_BYTES, reversed(shards))][::-1]
    if len(small) < 2:
        return
    path = folder / f"{series}-{small[0].first:06d}+{small[-1].last:06d}.parquet"
    try:
        with atomic_file(path) as file, shard_writer(file, schema) as writer:
            for table in _gathered(part for shard in small for part in _known_columns(shard.path, schema)):
                writer.write_table(table)
    except (OSError, RunError, DamagedShardError):
        return
    for shard in small:
        with suppress(RunError):  # what stays does not count any more
            remove(shard.path)


def _known_columns(path: Path, schema: pa.Schema) -> Iterator[pa.Table]:
    with path.open("rb") as file, suppress(pa.ArrowException):
        if set(pq.read_schema(file).names) - set(schema.names):
            raise DamagedShardError("has columns of another version")
    return read_parts(path, schema)


def _gathered(tables: Iterable[pa.Table]) -> Iterator[pa.Table]:
    """Few large tables of many small ones."""
    waiting, weight = list[pa.Table](), 0
    for table in tables:
        waiting.append(table)
        weight += table.nbytes
        if weight >= _ROW_GROUP_BYTES:
            yield pa.concat_tables(waiting)
            waiting, weight = [], 0
    if waiting:
        yield pa.concat_tables(waiting)


def set_aside(path: Path) -> Path:
    """Rename a damaged shard so that it is kept and not read again.

    Raises:
        RunError: it may not be renamed.
    """
    number, aside = 1, path.with_name(path.name + _DAMAGED)
    while aside.exists():
        number += 1
        aside = path.with_name(f"{path.name}{_DAMAGED}-{number}")
    try:
        path.rename(aside)
    except OSError as error:
        raise write_error(path, error) from error
    return aside


def stream(
    folder: Path,
    schema: pa.Schema,
    series: str = PLANNED,
    columns: Sequence[str] | None = None,
    on_damage: OnDamage | None = None,
) -> Iterator[pa.Table]:
    """The tables of a series' shards in order, also while another process adds to it and compacts it.

    Compacting keeps the order of the rows, so a reader whose shard has gone continues in the larger one
    behind the rows that it had already.

    Args:
        folder: where they are.
        schema: the columns of a shard.
        series: its name; a folder has several.
        columns: those to read; None for all.
        on_damage: called with a damaged shard, whose remaining rows are skipped; by default it is an error.

    Raises:
        RunError: a shard is damaged or cannot be read.
    """
    done, attempts = 0, 0
    while True:
        row = 0
        try:
            for shard in _settled(folder, series):
                try:
                    for table in read_parts(shard.path, schema, columns):
                        row += table.num_rows
                        if row > done:
                            yield table.slice(max(0, table.num_rows - (row - done)))
                            done, attempts = row, 0
                except DamagedShardError as error:
                    if on_damage is None:
                        raise RunError(f"{shard.path}: damaged ({error}); {_REMEDY}") from error
                    on_damage(shard.path, error)
        except ShardGoneError:
            attempts += 1
            if attempts == _ATTEMPTS:
                raise
        else:
            return


_REMEDY = "the same command sets it aside and makes its rows again"


def _settled(folder: Path, series: str) -> list[Shard]:
    """The shards of a series, listed until two listings agree.

    One made while shards are compacted can lack the new one, which came too late for it, and the old ones,
    which went too early.
    """
    shards = list_shards(folder, series)
    for _ in range(_ATTEMPTS):
        before, shards = shards, list_shards(folder, series)
        if shards == before:
            break
    return shards


def read_shard(path: Path, schema: pa.Schema, columns: Sequence[str] | None = None) -> pa.Table:
    """A shard's rows, or some of its columns; raises what :func:`read_parts` does."""
    parts = list(read_parts(path, schema, columns))
    return pa.concat_tables(parts) if parts else schema.empty_table().select(columns or schema.names)


def read_parts(path: Path, schema: pa.Schema, columns: Sequence[str] | None = None) -> Iterator[pa.Table]:
    """A shard's rows, or some of its columns, a row group in memory at a time.

    Everything is read in this thread, for the reason that :func:`...core.parquet.read_parquet` gives.

    Raises:
        DamagedShardError: the file is not a whole Parquet file, or lacks columns of ``schema``.
        ShardGoneError: it does not exist any more.
        RunError: it cannot be read.
    """
    names = list(columns or schema.names)
    wanted = pa.schema([schema.field(name) for name in names])
    try:
        # opened here: Arrow takes no path that is not UTF-8
        with (
            path.open("rb") as opened,
            pq.ParquetFile(opened, page_checksum_verification=True, pre_buffer=False) as file,
        ):
            there = file.schema_arrow.names
            absent = [field for field in schema if field.name not in there]
            if missing := [field.name for field in absent if not _may_be_absent(field)]:
                raise DamagedShardError(f"has no column {missing[0]!r}")
            stored = [name for name in names if name in there]
            for group in range(file.num_row_groups):
                table = file.read_row_group(group, columns=stored, use_threads=False)
                for field in absent:  # as in files of earlier versions
                    table = table.append_column(field, pa.nulls(table.num_rows, field.type))
                part = table.select(names).cast(wanted)
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


def _may_be_absent(field: pa.Field) -> bool:
    """Whether files of earlier versions lack the column; there it is read as nulls."""
    return (field.metadata or {}).get(b"absent") == b"null"


def _reason(error: Exception) -> str:
    return " ".join(str(error).split())[:200] or type(error).__name__
