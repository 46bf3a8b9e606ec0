"""Parquet files: read from one that Python has opened; written by row groups, so that memory stays flat."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import IO, Any

import pyarrow as pa
import pyarrow.parquet as pq

from .atomic_files import atomic_path

_TEXTS = (pa.string(), pa.large_string())


def read_parquet(
    file: IO[bytes],
    columns: Sequence[str] | None = None,
    *,
    categories: Callable[[str], bool] = lambda name: False,
) -> pa.Table:
    """A file's rows, all or some of the columns; ``categories`` says which texts are dictionary-encoded.

    Everything is read in this thread: one of Arrow's may keep the file a little longer than the call, and
    if the process ends meanwhile, giving a Python object back aborts it (exit code 134).

    Raises:
        pyarrow.ArrowException: it is no whole Parquet file, or has not these columns.
        OSError: it cannot be read.
    """
    try:
        footer = pq.read_metadata(file)
        texts = [field.name for field in footer.schema.to_arrow_schema() if field.type in _TEXTS]
        encoded = [name for name in texts if categories(name)]
        whole = pq.ParquetFile(
            file, metadata=footer, pre_buffer=False, read_dictionary=encoded, page_checksum_verification=True
        )
    except UnicodeDecodeError as error:
        raise pa.ArrowInvalid(f"the name of a column: {error}") from error
    return whole.read(None if columns is None else list(columns), use_threads=False)


_ROWS_AT_ONCE = 64  # some may hold a document of a few megabytes


def write_rows(path: Path, schema: pa.Schema, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write a file row group by row group; it appears under its name when it is complete."""
    left = iter(rows)
    with (
        atomic_path(path) as unfinished,
        pq.ParquetWriter(unfinished, schema, compression="zstd") as writer,
    ):
        while some := list(islice(left, _ROWS_AT_ONCE)):
            writer.write_table(pa.Table.from_pylist(some, schema=schema))
