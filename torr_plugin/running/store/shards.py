"""Parquet shards: numbered files of one folder, each complete or absent; written, read, made one.

A shard is called ``part-000007.parquet``; one that was made of several, ``part-000000+000063.parquet``: it
stands for the numbers from the first to the last, and shards of these that a kill left behind do not count.
"""

from __future__ import annotations

import io
import os
import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path

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
_NAME = re.compile(r"(part|later-[^+]+)-(\d{6,})(?:\+(\d{6,}))?\.parquet")

SHARDS = 64
"""So many small shards of a series become one."""

MOST_BYTES = 64_000_000
"""No more become one, to limit what is written again, and what damage to one file costs."""

# a dictionary of texts that hardly repeat helps nothing, and makes reading them twice as slow
_HARDLY_REPEATING = frozenset({"key", "prompt", "messages", "prediction", "images"})


class DamagedShardError(RunError):
    """A shard that is truncated, empty, or has other columns; ``reason`` says which."""

    def __init__(self, path: Path, reason: str) -> None:
        self.reason = reason
        super().__init__(
            f"{path}: damaged ({reason}); the same command sets it aside and makes its rows again"
        )


@dataclass(frozen=True, slots=True)
class Shard:
    """A file of a series, which stands for the numbers ``first`` to ``last`` of it; ``size`` in bytes."""

    path: Path
    first: int
    last: int
    size: int


def later_series(folder: str) -> str:
    """The series of the follow-ups, requests made from answers, of the model with this folder."""
    return f"later-{folder}"


def series_in(folder: Path) -> list[str]:
    """The series of a folder: the planned one, then the others by name."""
    series = {match[1] for name in _names(folder) if (match := _NAME.fullmatch(name))}
    return [PLANNED, *sorted(series - {PLANNED})]


def list_shards(folder: Path, series: str = PLANNED) -> list[Shard]:
    """The shards of a series that count, in order; the folder need not exist.

    Raises:
        RunError: the folder may not be read.
    """
    files = []
    for name in _names(folder):
        match = _NAME.fullmatch(name)
        if match and match[1] == series:
            path, first = folder / name, int(match[2])
            with suppress(OSError):  # gone since
                files.append(Shard(path, first, int(match[3] or first), path.stat().st_size))
    counting: list[Shard] = []
    for shard in sorted(files, key=lambda shard: (shard.first, -shard.last)):
        if not counting or shard.last > counting[-1].last:
            counting.append(shard)
    return counting


def _names(folder: Path) -> list[str]:
    try:
        return sorted(os.listdir(folder))
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
    for path in (folder / name for name in _names(folder)):
        left = is_temporary(path) or (_NAME.fullmatch(path.name) and path not in counting)
        if left and path.is_file():
            remove(path)


def add_shard(folder: Path, table: pa.Table | pa.RecordBatch, series: str = PLANNED) -> None:
    """Write rows as the next shard of a series; what is there is never replaced.

    Raises:
        RunError: it cannot be written.
    """
    shards, data = list_shards(folder, series), parquet_bytes(table)
    number = shards[-1].last + 1 if shards else 0
    while not create_exclusively(folder / f"{series}-{number:06d}.parquet", data):
        number += 1
    compact(folder, table.schema, series, SHARDS)


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


def compact(folder: Path, schema: pa.Schema, series: str = PLANNED, fewest: int = 2) -> None:
    """Make one of the small shards at the end of a series, if there are so many.

    The rows keep their order. The new file has its name before the old ones go, so that a kill neither loses
    nor doubles a row. What cannot be made one (a damaged shard, a disk without room for a second copy) stays
    as it is.
    """
    small: list[Shard] = []
    for shard in reversed(list_shards(folder, series)):
        if sum(each.size for each in small) + shard.size > MOST_BYTES:
            break
        small.insert(0, shard)
    if len(small) < fewest:
        return
    path = folder / f"{series}-{small[0].first:06d}+{small[-1].last:06d}.parquet"
    with suppress(OSError, RunError):
        table = pa.concat_tables(part for shard in small for part in read_parts(shard.path, schema))
        with atomic_file(path) as file:
            file.write(parquet_bytes(table))
        for shard in small:  # those that stay do not count any more
            remove(shard.path)


def sound_tables(
    folder: Path, schema: pa.Schema, series: str, columns: Sequence[str], *, remedy: str, notes: list[str]
) -> Iterator[pa.Table]:
    """Some columns of a series, whose shards are read whole: damaged ones are set aside.

    Args:
        folder: where they are.
        schema: the columns of a shard.
        series: its name.
        columns: those to give.
        remedy: what becomes of the rows of a damaged shard, for its line in ``notes``.
        notes: a line on each damaged shard is added.

    Raises:
        RunError: a shard cannot be read, or not be renamed.
    """
    for shard in list_shards(folder, series):
        try:
            # to the end, before anything of it counts
            parts = [part.select(columns) for part in read_parts(shard.path, schema)]
        except DamagedShardError as error:
            aside = _set_aside(shard.path).name
            notes.append(f"{shard.path}: damaged ({error.reason}); set aside as {aside}; {remedy}")
        else:
            yield from parts


def _set_aside(path: Path) -> Path:
    """Rename a damaged shard so that it is kept and not read again."""
    names = (path.with_name(f"{path.name}.damaged{number or ''}") for number in count())
    aside = next(name for name in names if not name.exists())
    try:
        path.rename(aside)
    except OSError as error:
        raise write_error(path, error) from error
    return aside


def stream(
    folder: Path, schema: pa.Schema, series: str = PLANNED, columns: Sequence[str] | None = None
) -> Iterator[pa.Table]:
    """The tables of a series' shards in order, all columns or some.

    Raises:
        RunError: a shard is damaged or cannot be read.
    """
    for shard in list_shards(folder, series):
        yield from read_parts(shard.path, schema, columns)


def read_parts(path: Path, schema: pa.Schema, columns: Sequence[str] | None = None) -> Iterator[pa.Table]:
    """A shard's rows, or some of its columns, a row group in memory at a time.

    Columns that files of earlier versions lack are read as nulls there. Everything is read in this thread,
    for the reason that :func:`...core.parquet.read_parquet` gives.

    Raises:
        DamagedShardError: the file is not a whole Parquet file, or lacks columns of ``schema``.
        RunError: it cannot be read.
    """
    wanted = schema if columns is None else pa.schema([schema.field(name) for name in columns])
    try:
        # opened here: Arrow takes no path that is not UTF-8
        with (
            path.open("rb") as opened,
            pq.ParquetFile(opened, page_checksum_verification=True, pre_buffer=False) as file,
        ):
            there = set(file.schema_arrow.names)
            _check_columns(there, schema)
            stored = [name for name in wanted.names if name in there]
            for group in range(file.num_row_groups):
                table = file.read_row_group(group, columns=stored, use_threads=False)
                rows = file.metadata.row_group(group).num_rows
                values = [
                    table[each.name] if each.name in there else pa.nulls(rows, each.type) for each in wanted
                ]
                part = pa.table(values, names=wanted.names).cast(wanted)
                part.validate(full=True)  # Arrow takes a text's bytes for UTF-8 unseen
                yield part
    except OSError as error:
        if error.errno is not None:  # a matter of rights or of the disk; Arrow's own errors have no number
            raise read_error(path, error) from error
        raise DamagedShardError(path, _reason(error)) from error
    except (pa.ArrowException, ValueError, KeyError) as error:  # KeyError: two columns of one name
        raise DamagedShardError(path, _reason(error)) from error


def _check_columns(there: Collection[str], schema: pa.Schema) -> None:
    for field in schema:
        if field.name not in there and b"absent" not in (field.metadata or {}):
            raise ValueError(f"has no column {field.name!r}")


def _reason(error: Exception) -> str:
    return " ".join(str(error).split())[:200] or type(error).__name__
