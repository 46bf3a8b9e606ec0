"""Reading a Parquet file that Python has opened."""

from __future__ import annotations

from collections.abc import Sequence
from typing import IO

import pyarrow as pa
import pyarrow.parquet as pq


def read_parquet(
    file: IO[bytes], columns: Sequence[str] | None = None, *, categories: Sequence[str] = ()
) -> pa.Table:
    """A file's rows, all or some of the columns; those of ``categories`` are dictionary-encoded.

    Everything is read in this thread: one of Arrow's may keep the file a little longer than the call, and
    if the process ends meanwhile, giving a Python object back aborts it (exit code 134).

    Raises:
        pyarrow.ArrowException: it is no whole Parquet file, or has not these columns.
        OSError: it cannot be read.
    """
    whole = pq.ParquetFile(file, pre_buffer=False, read_dictionary=list(categories))
    return whole.read(None if columns is None else list(columns), use_threads=False)
