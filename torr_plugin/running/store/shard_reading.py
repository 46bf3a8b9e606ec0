"""Reads a series of shards in a stream, also while another process adds to it and merges it.

MERGED: Reads Parquet that somebody else may have written a little at a time.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, NoReturn, TypeAlias

from ...core.atomic_files import read_error
from ...core.errors import RunError
from .page_headers import Page, pages
from .shards import PLANNED, DamagedShardError, Shard, ShardGoneError, list_folder

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

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


ROWS = 2048
FEW_ROWS = 64
"""At a time where so many (:data:`ROWS`) may be more than :data:`EASY_BYTES` in a row group."""
MOST_BYTES = 1 << 30
"""What so many rows may unpack to: as many answers of the most characters, four bytes each, have less."""
MOST_PAGE_BYTES = 1 << 29
"""What a page may unpack to: Arrow ends one after at most 1,024 values, which have less."""
MOST_DICTIONARY_BYTES = 16 << 20
"""What the texts that rows refer to may: writers give up such a page once it has one MiB or so."""
EASY_BYTES = 64 << 20


def text_columns(schema: pa.Schema) -> list[str]:
    """The columns to be read as references (``read_dictionary`` of :class:`pyarrow.parquet.ParquetFile`)."""
    import pyarrow as pa

    return [field.name for field in schema if field.type in (pa.string(), pa.large_string())]


def small_tables(file: pq.ParquetFile, opened: BinaryIO, columns: Sequence[str]) -> Iterator[pa.Table]:
    """A file's rows, at most :data:`ROWS` at a time, texts as references.

    Args:
        file: opened with ``read_dictionary`` for all that is text.
        opened: the same file, for its pages' headers.
        columns: those to read.

    Raises:
        ValueError: some of them would unpack to more than :data:`MOST_BYTES`, or a column is neither text,
            read as references, nor of values of one size.
    """
    import pyarrow as pa

    _check_kinds(file.schema_arrow, columns)
    for group in range(file.num_row_groups):
        easy = _most_at_once(file.metadata.row_group(group), opened, columns) <= EASY_BYTES
        batches = file.iter_batches(
            batch_size=ROWS if easy else FEW_ROWS, row_groups=[group], columns=list(columns)
        )
        for batch in batches:
            size = sum(map(_unpacked, batch.columns))
            if size > MOST_BYTES:
                raise ValueError(f"{batch.num_rows} of its rows unpack to {size:,} bytes")
            yield pa.Table.from_batches([batch])


def _check_kinds(schema: pa.Schema, columns: Sequence[str]) -> None:
    """Texts that are no references would be written out at once, and a list has no most values."""
    from pyarrow import types

    for name in columns:
        if schema.names.count(name) > 1:
            raise ValueError(f"has more than one column {name!r}")
        kind = schema.field(name).type
        if not (types.is_dictionary(kind) or types.is_primitive(kind) or types.is_null(kind)):
            raise ValueError(f"its column {name!r} is {kind}")


def _most_at_once(group: pq.RowGroupMetaData, opened: BinaryIO, columns: Sequence[str]) -> int:
    """The most bytes that the pages of :data:`ROWS` rows of a row group unpack to, references as such."""
    chunks = [group.column(number) for number in range(group.num_columns)]
    return sum(
        _most_of_rows(_checked(pages(opened, column), column.path_in_schema))
        for column in chunks
        if column.path_in_schema in columns
    )


def _checked(found: Iterable[Page], name: str) -> Iterator[Page]:
    for page in found:
        # as much a row as one may have on average
        most = MOST_DICTIONARY_BYTES
        if not page.is_dictionary:
            most = min(MOST_PAGE_BYTES, page.values * (MOST_BYTES // ROWS))
        if page.size > most:
            what = "a page that rows refer to" if page.is_dictionary else f"{page.values} of its rows"
            raise ValueError(f"{what} would unpack to {page.size:,} bytes, column {name!r}")
        yield page


def _most_of_rows(found: Iterable[Page]) -> int:
    """The largest sum of neighbouring pages that :data:`ROWS` rows can lie in, with what they refer to."""
    most = dictionary = size = between = 0
    window: deque[Page] = deque()
    for page in found:
        if page.is_dictionary:
            dictionary += page.size
            continue
        # the rows of those between the first page and this one, of each of which a row is in it too
        while len(window) > 1 and between + 2 > ROWS:
            size -= window.popleft().size
            between -= window[0].values
        window.append(page)
        size += page.size
        most = max(most, size)
        between += page.values if len(window) > 1 else 0
    return most + dictionary


def _unpacked(column: pa.Array) -> int:
    """The bytes of a column with its references written out."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not pa.types.is_dictionary(column.type):
        return int(column.nbytes)
    lengths = pc.binary_length(column.dictionary)
    return int(pc.sum(pc.take(lengths, column.indices).cast(pa.int64())).as_py() or 0)


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
        raise ShardGoneError(str(read_error(path, error))) from error
    except OSError as error:
        if error.errno is not None:  # a matter of rights or of the disk; Arrow's own errors have no number
            raise read_error(path, error) from error
        raise DamagedShardError(_reason(error)) from error
    except (pa.ArrowException, ValueError) as error:
        raise DamagedShardError(_reason(error)) from error


def read_shard(path: Path, schema: pa.Schema, columns: Sequence[str] | None = None) -> pa.Table:
    """A shard's rows, or some of its columns; raises what :func:`read_parts` does."""
    import pyarrow as pa

    names = list(columns) if columns is not None else schema.names
    parts = list(read_parts(path, schema, names))
    return pa.concat_tables(parts) if parts else schema.empty_table().select(names)


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


def _reason(error: Exception) -> str:
    return " ".join(str(error).split())[:200] or type(error).__name__
