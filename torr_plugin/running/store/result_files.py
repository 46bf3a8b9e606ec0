"""The results in a run as Parquet: scores, lengths of answers, examples."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

from ...core.atomic_files import atomic_file
from ...core.errors import RunError
from ...core.parquet import read_parquet

if TYPE_CHECKING:
    import pandas as pd

    from ...catalog import Example

SCORES, LENGTHS, EXAMPLES = "scores.parquet", "lengths.parquet", "examples.parquet"

_ROWS_A_GROUP = 1 << 17


def read_frame(directory: Path, name: str) -> pd.DataFrame:
    """The frame of one of a run's files; where it has a row a score or an answer, names are categories.

    Raises:
        RunError: there is none, or it is damaged.
    """
    path = directory / name
    try:
        with path.open("rb") as opened:
            table = read_parquet(opened, categories=lambda _: name in (SCORES, LENGTHS))
            frame: pd.DataFrame = table.to_pandas()
    except FileNotFoundError:
        raise RunError(f"{directory}: has no {name} yet; the command that ran the study scores it") from None
    except (OSError, pa.ArrowException) as error:
        what = " ".join(str(error).split())[:200]
        raise RunError(f"{path}: damaged ({what}); running the study scores it again") from error
    return frame


def write_frame(frame: pd.DataFrame, directory: Path, name: str) -> None:
    """Write a frame whole or not at all; categories are written as the names that they are.

    Raises:
        RunError: it cannot be written.
    """
    table = pa.Table.from_pandas(frame, preserve_index=False).replace_schema_metadata(None)
    with atomic_file(directory / name) as file:
        # without Arrow's own schema, by which readers would take categories for more than text
        pq.write_table(
            table,
            file,
            compression="zstd",
            write_page_checksum=True,
            store_schema=False,
            row_group_size=_ROWS_A_GROUP,
        )


def examples_frame(examples: Mapping[str, Sequence[Example]]) -> pd.DataFrame:
    """The contents of examples.parquet: one row for each example, by data set.

    Returns:
        ``dataset``, ``example``, ``groups`` and ``properties`` (JSON objects as text), ``cells`` (rows times
        columns of its table, headers included).
    """
    import pandas as pd  # 0.4 s, which most uses of a run do not need

    # JSON in ASCII alone, as lone surrogates can be written to no file; in the data's own order
    rows = [
        {
            "dataset": dataset,
            "example": example.id,
            "groups": json.dumps(dict(example.groups)),
            "properties": json.dumps({of: dict(known) for of, known in example.properties.items() if known}),
            "cells": example.table.n_rows * example.table.n_columns,
        }
        for dataset, several in examples.items()
        for example in several
    ]
    frame: pd.DataFrame = pd.DataFrame(rows, columns=["dataset", "example", "groups", "properties", "cells"])
    return frame
