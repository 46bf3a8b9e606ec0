"""Write generated rows to Parquet, row group by row group, so that memory stays flat."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import parquet

from .atomic_files import atomic_path

_MOST_ROWS = 512
_MOST_CHARACTERS = 32_000_000


class ParquetRows:
    """Rows of a Parquet file, held until a row group is full."""

    def __init__(self, writer: parquet.ParquetWriter) -> None:
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
        parquet.ParquetWriter(unfinished, schema, compression="zstd") as writer,
    ):
        rows = ParquetRows(writer)
        yield rows
        rows.flush()
