"""Parquet shards: numbered files of one folder, each complete or not there."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from .atomic import is_temporary, unreadable, unwritable, write_atomically

if TYPE_CHECKING:
    import pyarrow as pa

_SHARD = re.compile(r"part-(\d{6,})\.parquet")
_DAMAGED = ".damaged"


class DamagedShardError(Exception):
    """A shard that is truncated, empty, or not what its columns should be; the message says which."""


@dataclass(frozen=True, slots=True)
class Listing:
    """What a folder holds: shards in order, what a killed run left, and files that are not the run's."""

    shards: tuple[Path, ...] = ()
    left: tuple[Path, ...] = ()
    foreign: tuple[Path, ...] = ()

    @property
    def next_index(self) -> int:
        """The number of the next shard."""
        return max((index_of(path) for path in self.shards), default=-1) + 1


def index_of(path: Path) -> int:
    """The number in a shard's name."""
    match = _SHARD.match(path.name)
    return int(match.group(1)) if match else -1


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
    shards = sorted((path for path in files if _SHARD.fullmatch(path.name) and path.is_file()), key=index_of)
    left = [path for path in files if is_temporary(path)]
    known = {*shards, *left}
    foreign = [path for path in files if path not in known and _DAMAGED not in path.name]
    return Listing(tuple(shards), tuple(left), tuple(foreign))


def write_shard(folder: Path, index: int, table: pa.Table | pa.RecordBatch) -> Path:
    """Write one shard atomically, its pages with checksums.

    Raises:
        RunError: it cannot be written.
    """
    path = folder / f"part-{index:06d}.parquet"
    write_atomically(path, parquet_bytes(table))
    return path


def parquet_bytes(table: pa.Table | pa.RecordBatch) -> bytes:
    """A table as the bytes of a Parquet file."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    whole = table if isinstance(table, pa.Table) else pa.Table.from_batches([table])
    buffer = io.BytesIO()
    pq.write_table(whole, buffer, compression="zstd", write_page_checksum=True)
    return buffer.getvalue()


def read_shard(path: Path, schema: pa.Schema, columns: Sequence[str] | None = None) -> pa.Table:
    """A shard's rows, or some of its columns.

    Raises:
        DamagedShardError: the file is not a whole Parquet file, or lacks columns of ``schema``.
        RunError: it may not be read.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    names = list(columns) if columns is not None else schema.names
    try:
        # opened here: Arrow takes no path that is not UTF-8
        with path.open("rb") as opened, pq.ParquetFile(opened, page_checksum_verification=True) as file:
            absent = [field for field in schema if field.name not in file.schema_arrow.names]
            missing = [field.name for field in absent if not _may_be_absent(field)]
            if missing:
                raise DamagedShardError(f"has no column {missing[0]!r}")
            table = file.read(columns=[name for name in names if name in file.schema_arrow.names])
            for field in absent:
                table = table.append_column(field, pa.nulls(table.num_rows, field.type))
        return table.select(names).cast(pa.schema([schema.field(name) for name in names]))
    except OSError as error:
        if error.errno is not None:  # a matter of rights or of the disk; Arrow's own errors have no number
            raise unreadable(path, error) from error
        raise DamagedShardError(_reason(error)) from error
    except (pa.ArrowException, ValueError) as error:
        raise DamagedShardError(_reason(error)) from error


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
    """Remove what a killed run left half-written.

    Raises:
        RunError: it may not be removed.
    """
    for path in listing.left:
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            raise unwritable(path, error) from error


def _reason(error: Exception) -> str:
    return " ".join(str(error).split())[:200] or type(error).__name__
