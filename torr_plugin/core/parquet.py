"""Parquet files: read from one that Python has opened; written by row groups, so that memory stays flat."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
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


_MOST_ROWS = 512
_MOST_CHARACTERS = 32_000_000


class ParquetRows:
    """Rows of a Parquet file, held until a row group is full."""

    def __init__(self, writer: pq.ParquetWriter) -> None:
        self.count = 0
        self._writer = writer
        self._held: list[Mapping[str, Any]] = []
        self._characters = 0

    def add(self, rows: Iterable[Mapping[str, Any]]) -> None:
        """Add rows; some or all of them stay in memory for now."""
        for row in rows:
            self._held.append(row)
            self._characters += sum(len(value) for value in row.values() if isinstance(value, str))
            self.count += 1
            if len(self._held) == _MOST_ROWS or self._characters > _MOST_CHARACTERS:
                self.flush()

    def flush(self) -> None:
        """Write the rows that are held."""
        if self._held:
            self._writer.write_table(pa.Table.from_pylist(self._held, schema=self._writer.schema))
            self._held.clear()
            self._characters = 0


@contextmanager
def open_rows(path: Path, schema: pa.Schema) -> Iterator[ParquetRows]:
    """A Parquet file to add rows to; it appears under its name when it is complete."""
    with (
        atomic_path(path) as unfinished,
        pq.ParquetWriter(unfinished, schema, compression="zstd") as writer,
    ):
        rows = ParquetRows(writer)
        yield rows
        rows.flush()
