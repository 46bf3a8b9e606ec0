"""Frames on the disk: plain text for any reader, categories for us, a bounded number of rows at a time."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from torr_plugin.core.errors import RunError
from torr_plugin.running.store import result_files as frames
from torr_plugin.running.store.result_files import (
    EXAMPLES,
    LENGTHS,
    SCORES,
    read_frame,
    read_frame_if_any,
    write_frame,
)


def scores(rows: int) -> pd.DataFrame:
    names = pd.Index(["a", "b", "never used"], dtype=object)
    return pd.DataFrame(
        {
            "model": pd.Categorical.from_codes([at % 2 for at in range(rows)], names),
            "perturbation": pd.Categorical.from_codes([at % 3 - 1 for at in range(rows)], names),
            "score": [float("nan") if at % 5 == 0 else at / rows for at in range(rows)],
            "main": [at % 2 == 0 for at in range(rows)],
        }
    )


@pytest.mark.parametrize("rows", [0, 1, 7, 8, 30])
def test_categories_are_text_on_the_disk_and_categories_again(
    rows: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(frames, "_ROWS_A_GROUP", 8)
    given = scores(rows)
    write_frame(given, tmp_path, SCORES)
    with pq.ParquetFile(tmp_path / SCORES) as file:
        assert file.num_row_groups == max(1, -(-rows // 8))
        kinds = {field.name: field.type for field in file.schema_arrow}
    assert kinds["model"] in (pa.string(), pa.large_string())
    assert kinds["score"] == pa.float64()
    anyones = pd.read_parquet(tmp_path / SCORES)
    assert not any(isinstance(kind, pd.CategoricalDtype) for kind in anyones.dtypes)
    ours = read_frame(tmp_path, SCORES)
    assert isinstance(ours["model"].dtype, pd.CategoricalDtype)
    for found in (anyones, ours):
        pd.testing.assert_frame_equal(found.astype(object), given.astype(object), check_dtype=False)


def test_a_frame_without_categories_comes_back_as_it_was(tmp_path: Path) -> None:
    given = pd.DataFrame({"dataset": ["x", "y"], "groups": ["{}", None], "cells": [3, 4]})
    write_frame(given, tmp_path, EXAMPLES)
    pd.testing.assert_frame_equal(read_frame(tmp_path, EXAMPLES), given)


def test_what_is_not_there_or_damaged(tmp_path: Path) -> None:
    assert read_frame_if_any(tmp_path, LENGTHS) is None
    with pytest.raises(RunError, match=r"has no scores.parquet yet"):
        read_frame(tmp_path, SCORES)
    write_frame(scores(10), tmp_path, SCORES)
    whole = (tmp_path / SCORES).read_bytes()
    (tmp_path / SCORES).write_bytes(whole[: len(whole) // 2])
    with pytest.raises(RunError, match=r"scores.parquet: damaged"):
        read_frame(tmp_path, SCORES)
