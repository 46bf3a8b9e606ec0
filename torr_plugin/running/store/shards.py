"""Parquet shards: numbered files of one folder, each complete or absent.

A shard is called ``part-000007.parquet``; one that was merged from several, ``part-000000+000063.parquet``.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from ...core.atomic_files import (
    create_exclusively,
    is_temporary,
    read_error,
    remove,
    write_atomically,
    write_error,
)
from ...core.errors import RunError

PLANNED = "part"
_LATER = "later-"
_SHARD = re.compile(r"(part|later-[^+]+)-(\d{6,})(?:\+(\d{6,}))?\.parquet")


@dataclass(frozen=True, slots=True)
class Shard:
    """A file of a series, which stands for the numbers ``first`` to ``last`` of it; ``size`` in bytes."""

    path: Path
    series: str
    first: int
    last: int
    size: int = 0

    @property
    def width(self) -> int:
        """How many numbers it stands for."""
        return self.last - self.first + 1

    def covers(self, other: Shard) -> bool:
        """Whether it was merged from the other one, among others."""
        return (
            self.series == other.series
            and self.first <= other.first
            and other.last <= self.last
            and self.width > other.width
        )


def later_series(folder: str) -> str:
    """The series of the follow-ups of the model with this folder."""
    return _LATER + folder


def is_later(shard: Shard) -> bool:
    """Whether it holds follow-ups, requests that were made from answers."""
    return shard.series.startswith(_LATER)


def name_of(series: str, first: int, last: int | None = None) -> str:
    """A shard's file name."""
    return f"{series}-{first:06d}{'' if last in (None, first) else f'+{last:06d}'}.parquet"


def parse(path: Path, size: int = 0) -> Shard | None:
    """The shard with a file's name; None for other names."""
    match = _SHARD.fullmatch(path.name)
    if match is None:
        return None
    first = int(match.group(2))
    last = int(match.group(3) or first)
    return Shard(path, match.group(1), first, last, size) if last >= first else None


def in_order(shards: Iterable[Shard]) -> list[Shard]:
    """The planned series first, then the others by name, each by its numbers."""
    return sorted(shards, key=lambda shard: (is_later(shard), shard.series, shard.first, -shard.last))


def without_merged(shards: Iterable[Shard]) -> tuple[list[Shard], list[Shard]]:
    """The shards that count, in order, and those whose rows a merged one has."""
    counting: list[Shard] = []
    merged: list[Shard] = []
    for shard in in_order(shards):
        covered = bool(counting) and counting[-1].covers(shard)
        (merged if covered else counting).append(shard)
    return counting, merged


_DAMAGED = ".damaged"

_HARDLY_REPEATING = frozenset({"key", "prompt", "messages", "prediction", "images"})


class DamagedShardError(Exception):
    """A shard that is truncated, empty, or has other columns; the message says which."""


class ShardGoneError(RunError):
    """A shard that has gone since the folder was listed: another process merged or removed it."""


@dataclass(frozen=True, slots=True)
class ShardListing:
    """What a folder holds.

    Attributes:
        files: the shards that count, each series in order.
        merged: shards whose rows are in a merged one already, which a killed run did not get to remove.
        left: temporary files that a killed run left.
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
    def foreign_notes(self) -> list[str]:
        """A note on each file that is not the run's."""
        return [f"{path}: is not part of the run; left alone" for path in self.foreign]

    def of(self, series: str) -> tuple[Shard, ...]:
        """The shards of a series, in order."""
        return tuple(shard for shard in self.files if shard.series == series)

    def next_index(self, series: str = PLANNED) -> int:
        """The number of a series' next shard."""
        return max((shard.last for shard in self.of(series)), default=-1) + 1


def list_folder(folder: Path) -> ShardListing:
    """The shards of a folder, which need not exist.

    Raises:
        RunError: the folder may not be read.
    """
    try:
        files = sorted(folder.iterdir())
    except FileNotFoundError:
        return ShardListing()
    except OSError as error:
        raise read_error(folder, error) from error
    shards = [shard for path in files if (shard := _shard(path)) is not None]
    counting, merged = without_merged(shards)
    left = tuple(path for path in files if is_temporary(path))
    known = {*left, *(shard.path for shard in shards)}
    foreign = tuple(path for path in files if path not in known and _DAMAGED not in path.name)
    return ShardListing(tuple(counting), tuple(merged), left, foreign)


def _shard(path: Path) -> Shard | None:
    """The shard in a file, with its size; None for directories and removed files."""
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
        series: its name; a folder has several.
        again: an attempt to write it was interrupted, so that it may be there already.

    Raises:
        RunError: it cannot be written.
    """
    while not create_exclusively(path := folder / name_of(series, index), data):
        if again and path.is_file() and path.read_bytes() == data:
            break
        index += 1
    return Shard(path, series, index, index, len(data))


def parquet_bytes(table: pa.Table | pa.RecordBatch) -> bytes:
    """A table as the bytes of a Parquet file."""
    whole = table if isinstance(table, pa.Table) else pa.Table.from_batches([table])
    buffer = io.BytesIO()
    # a dictionary of texts that hardly repeat helps nothing, and makes reading them twice as slow
    repeating = [name for name in whole.column_names if name not in _HARDLY_REPEATING]
    pq.write_table(whole, buffer, compression="zstd", write_page_checksum=True, use_dictionary=repeating)
    return buffer.getvalue()


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
        raise write_error(path, error) from error
    return aside


def clear_left(listing: ShardListing) -> None:
    """Clean up after a killed run: remove partial files, and shards whose rows a merged one has.

    Raises:
        RunError: one may not be removed.
    """
    for path in (*listing.left, *(shard.path for shard in listing.merged)):
        remove(path)
