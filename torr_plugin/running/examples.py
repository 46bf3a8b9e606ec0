"""What a study knows about its examples, for the analyses: the contents of ``examples.parquet``."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

    from ..catalog import Example

COLUMNS = ("dataset", "example", "groups", "properties", "cells")


def examples_frame(examples: Mapping[str, Sequence[Example]]) -> pd.DataFrame:
    """One row for each example, by data set.

    Returns:
        ``dataset``, ``example``, ``groups`` and ``properties`` (JSON objects as text), ``cells`` (rows times
        columns of its table, headers included).
    """
    import pandas as pd  # 0.4 s, which most uses of a run do not need

    rows = [_row(dataset, example) for dataset, asked in examples.items() for example in asked]
    frame: pd.DataFrame = pd.DataFrame(rows, columns=list(COLUMNS))
    return frame


def _row(dataset: str, example: Example) -> tuple[str, str, str, str, int]:
    properties = {of: dict(known) for of, known in example.properties.items() if known}
    cells = example.table.n_rows * example.table.n_columns
    return dataset, example.id, _json(example.groups), _json(properties), cells


def _json(value: Mapping[str, object]) -> str:
    # ASCII alone: a lone half of a character could be written to no file; in the data's own order
    return json.dumps(dict(value))
