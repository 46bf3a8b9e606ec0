"""Reads Parquet that somebody else may have written a little at a time.

A file of some kilobytes can unpack to more than memory holds: a long text that a million rows refer to, say.
Texts are read as references, and counted before they are written out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

ROWS = 2048
MOST_BYTES = 1 << 30
"""What so many rows may unpack to: as many answers of the most characters, four bytes each, have less."""


def text_columns(schema: pa.Schema) -> list[str]:
    """The columns to be read as references (``read_dictionary`` of :class:`pyarrow.parquet.ParquetFile`)."""
    import pyarrow as pa

    return [field.name for field in schema if field.type in (pa.string(), pa.large_string())]


def small_tables(file: pq.ParquetFile, columns: Sequence[str]) -> Iterator[pa.Table]:
    """A file's rows, at most :data:`ROWS` at a time, texts as references.

    Raises:
        ValueError: some of them would unpack to more than :data:`MOST_BYTES`.
    """
    import pyarrow as pa

    for batch in file.iter_batches(batch_size=ROWS, columns=list(columns)):
        size = sum(map(_unpacked, batch.columns))
        if size > MOST_BYTES:
            raise ValueError(f"{batch.num_rows} of its rows unpack to {size:,} bytes")
        yield pa.Table.from_batches([batch])


def _unpacked(column: pa.Array) -> int:
    """The bytes of a column with its references written out."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not pa.types.is_dictionary(column.type):
        return int(column.nbytes)
    lengths = pc.binary_length(column.dictionary)
    return int(pc.sum(pc.take(lengths, column.indices).cast(pa.int64())).as_py() or 0)
