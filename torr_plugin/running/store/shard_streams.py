"""Reads a series of shards in a stream, also while another process adds to it and merges it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, TypeAlias

from ...core.errors import RunError
from .shard_names import PLANNED, Shard
from .shards import DamagedShardError, ShardGoneError, list_folder, read_parts

if TYPE_CHECKING:
    import pyarrow as pa

OnDamage: TypeAlias = Callable[[Path, DamagedShardError], None]
_ATTEMPTS = 5


def refused(hint: str) -> OnDamage:
    """What to do with a damaged shard where none may be left out: a RunError that ends with ``hint``."""

    def refuse(path: Path, error: DamagedShardError) -> NoReturn:
        raise RunError(f"{path}: damaged ({error}); {hint}") from error

    return refuse


def stream(
    folder: Path,
    schema: pa.Schema,
    damaged: OnDamage,
    *,
    series: str = PLANNED,
    columns: Sequence[str] | None = None,
    bounded: bool = False,
) -> Iterator[pa.Table]:
    """The tables of a series' shards in order, one row group in memory at a time.

    Merging keeps the order of the rows, so that a reader whose shard was merged away goes on in the new one
    behind the rows that it had already.

    Args:
        folder: where they are.
        schema: the columns of a shard.
        damaged: told of a damaged shard, which is left out from there on unless it raises.
        series: which of the folder's.
        columns: those to read; None for all.
        bounded: they may be somebody else's, and are read little at a time.

    Raises:
        RunError: a shard cannot be read.
    """

    def read(path: Path) -> Iterator[pa.Table]:
        return read_parts(path, schema, columns, bounded=bounded)

    given, attempts = 0, 0
    while True:
        try:
            for table in _behind(_settled(folder, series), given, read, damaged):
                given, attempts = given + table.num_rows, 0
                yield table
        except ShardGoneError:
            attempts += 1
            if attempts == _ATTEMPTS:
                raise
        else:
            return


def _settled(folder: Path, series: str) -> Sequence[Shard]:
    """The shards of a series, listed until two listings agree.

    One that is made while shards are merged can lack them all: the new one, whose name came too late for it,
    and the old ones, which went too early.
    """
    found = list_folder(folder).of(series)
    for _ in range(_ATTEMPTS):
        before, found = found, list_folder(folder).of(series)
        if found == before:
            break
    return found


def _behind(
    shards: Sequence[Shard], rows: int, read: Callable[[Path], Iterator[pa.Table]], damaged: OnDamage
) -> Iterator[pa.Table]:
    """The shards' tables without their first ``rows`` rows."""
    for shard in shards:
        try:
            for table in read(shard.path):
                if rows < table.num_rows:
                    yield table.slice(rows)
                rows = max(0, rows - table.num_rows)
        except DamagedShardError as error:
            damaged(shard.path, error)
