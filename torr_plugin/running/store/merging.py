"""Merge many small shards into one, so that a run of days does not have tens of thousands of files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import groupby
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from ...core.atomic_files import atomic_file, remove
from ...core.errors import RunError
from .shard_reading import read_parts
from .shards import DamagedShardError, Shard, name_of

SHARDS = 64
"""How many shards of about the same age become one."""

MOST_BYTES = 256_000_000
"""Shards that are larger together are not merged, to limit what damage to one file costs."""

_ROW_GROUP_BYTES = 32_000_000
_ROW_GROUP_ROWS = 16_384


def due(shards: Sequence[Shard], *, count: int = SHARDS, most_bytes: int = MOST_BYTES) -> tuple[Shard, ...]:
    """Shards of one series to merge now: neighbours of one level; empty if there are none.

    A shard as written has level 0, ``count`` of them merged level 1, ``count`` of those level 2, ..., so that
    a row is written again only a few times however long a run is (as in a log-structured merge tree).
    """
    for _, group in groupby(shards, key=lambda shard: _level(shard.width, count)):
        few = tuple(group)[:count]
        if len(few) == count and sum(shard.size for shard in few) <= most_bytes:
            return few
    return ()


def _level(width: int, count: int) -> int:
    level = 0
    while width >= count:
        width //= count
        level += 1
    return level


def merged(
    folder: Path, shards: Sequence[Shard], schema: pa.Schema, *, count: int = SHARDS
) -> tuple[Shard, ...]:
    """The shards of one series after all merging that is due.

    A merged shard's name has the range of numbers that it replaces; once it exists, the shards it was made
    from are ignored. So a kill before, between or after the steps neither loses nor doubles a row.
    What cannot be merged (a damaged shard, columns of a newer version, a disk without room for a second copy)
    stays as it is.
    """
    kept = tuple(shards)
    while few := due(kept, count=count):
        try:
            whole = _merge(folder, few, schema)
        except (RunError, DamagedShardError):
            return kept
        kept = tuple(sorted({*kept, whole} - set(few), key=lambda shard: shard.first))
    return kept


def _merge(folder: Path, few: Sequence[Shard], schema: pa.Schema) -> Shard:
    series, first, last = few[0].series, few[0].first, few[-1].last
    path = folder / name_of(series, first, last)
    with (
        atomic_file(path) as file,
        pq.ParquetWriter(file, schema, compression="zstd", write_page_checksum=True) as writer,
    ):
        for table in _row_groups(few, schema):
            writer.write_table(table)
    for shard in few:
        with suppress(RunError):  # what stays does not count any more; the next attempt removes it
            remove(shard.path)
    return Shard(path, series, first, last, path.stat().st_size)


def _row_groups(few: Sequence[Shard], schema: pa.Schema) -> Iterator[pa.Table]:
    waiting: list[pa.Table] = []
    for shard in few:
        _check_known(shard.path, schema)
        for part in read_parts(shard.path, schema):
            waiting.append(part)
            rows, size = sum(table.num_rows for table in waiting), sum(table.nbytes for table in waiting)
            if rows >= _ROW_GROUP_ROWS or size >= _ROW_GROUP_BYTES:
                yield pa.concat_tables(waiting)
                waiting = []
    if waiting:
        yield pa.concat_tables(waiting)


def _check_known(path: Path, schema: pa.Schema) -> None:
    """Refuse columns that this version does not know and so would drop.

    Raises:
        DamagedShardError: the shard has such columns, or cannot be read at all.
        RunError: it may not be read.
    """
    try:
        with path.open("rb") as file:
            names = pq.read_schema(file).names
    except (OSError, pa.ArrowException) as error:
        raise DamagedShardError(str(error)) from error
    unknown = set(names) - set(schema.names)
    if unknown:
        raise DamagedShardError(f"has the column {min(unknown)!r} of another version")
