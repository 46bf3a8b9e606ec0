"""Reading a Parquet file that Python has opened."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import IO

import pyarrow as pa
import pyarrow.parquet as pq

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
    footer = pq.read_metadata(file)
    texts = [field.name for field in footer.schema.to_arrow_schema() if field.type in _TEXTS]
    encoded = [name for name in texts if categories(name)]
    whole = pq.ParquetFile(file, metadata=footer, pre_buffer=False, read_dictionary=encoded)
    return whole.read(None if columns is None else list(columns), use_threads=False)
