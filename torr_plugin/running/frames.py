"""The files of a run that hold one frame each: scores, what answers hold, what is known of examples."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import RunError
from .atomic import write_atomically
from .shards import parquet_bytes

if TYPE_CHECKING:
    import pandas as pd

SCORES, LENGTHS, EXAMPLES = "scores.parquet", "lengths.parquet", "examples.parquet"


def read_frame(directory: Path, name: str) -> pd.DataFrame:
    """The frame of one of a run's files.

    Raises:
        RunError: there is none, or it is damaged.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = directory / name
    try:
        with path.open("rb") as opened, pq.ParquetFile(opened) as file:
            frame: pd.DataFrame = file.read().to_pandas()
    except FileNotFoundError:
        raise RunError(f"{directory}: has no {name} yet; the command that ran the study scores it") from None
    except (OSError, pa.ArrowException) as error:
        raise RunError(
            f"{path}: damaged ({' '.join(str(error).split())[:200]}); running the study scores it again"
        ) from error
    return frame


def read_frame_if_any(directory: Path, name: str) -> pd.DataFrame | None:
    """As :func:`read_frame`; None where an earlier version made the run, without such a file."""
    return read_frame(directory, name) if (directory / name).exists() else None


def write_frame(frame: pd.DataFrame, directory: Path, name: str) -> None:
    """Write a frame whole or not at all.

    Raises:
        RunError: it cannot be written.
    """
    import pyarrow as pa

    write_atomically(directory / name, parquet_bytes(pa.Table.from_pandas(frame, preserve_index=False)))
