"""Reads Parquet that somebody else may have written a little at a time.

A file of some kilobytes can unpack to more than memory holds: a long text that a million rows refer to, say,
or a page that is one letter a billion times. Pages are judged by their headers before they are unpacked, and
texts are read as references, and counted before they are written out.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, BinaryIO

from .page_headers import Page, pages

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

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
