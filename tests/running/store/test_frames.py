"""A run's frames on the disk: plain text for any reader, categories for us, written piece by piece."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from torr_plugin.catalog import Example
from torr_plugin.core.errors import RunError
from torr_plugin.running import examples_frame
from torr_plugin.running.store.run import (
    EXAMPLES,
    SCORES,
    read_frame,
    write_frame,
)
from torr_plugin.tables import Table


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


@pytest.mark.parametrize("rows", [0, 1, 30])
def test_categories_are_text_on_the_disk_and_categories_again(rows: int, tmp_path: Path) -> None:
    given = scores(rows)
    write_frame(given, tmp_path, SCORES)
    with pq.ParquetFile(tmp_path / SCORES) as file:
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


TABLE = Table.flat(header=["Boat", "Seats"], rows=[["Tern", "12"], ["Gull", "7"]])


def example(name: str, **changes: object) -> Example:
    given: dict[str, object] = {"id": name, "table": TABLE, "fields": {}, "references": ("1",), "target": "1"}
    return Example(**{**given, **changes})  # type: ignore[arg-type]


def test_a_row_an_example() -> None:
    told = example(
        "b",
        groups={"table": "t", "source": "x"},
        properties={"table": {"Nested": True, "Depth": 2}, "question": {}},
    )
    frame = examples_frame({"one": [example("a"), told], "two": []})
    assert frame.to_dict("list") == {
        "dataset": ["one", "one"],
        "example": ["a", "b"],
        "groups": ["{}", '{"table": "t", "source": "x"}'],
        "properties": ["{}", '{"table": {"Nested": true, "Depth": 2}}'],
        "cells": [6, 6],
    }


def test_half_a_character_in_a_name_can_be_written(tmp_path: Path) -> None:
    frame = examples_frame({"one": [example("a", groups={"source": "\ud800"})]})
    write_frame(frame, tmp_path, EXAMPLES)
    read = read_frame(tmp_path, EXAMPLES)
    assert json.loads(read["groups"][0]) == {"source": "\ud800"}


@pytest.mark.parametrize(("name", "frame"), [(EXAMPLES, pd.DataFrame({"a": [1]})), (SCORES, scores(10))])
def test_what_is_not_there_and_what_is_damaged(tmp_path: Path, name: str, frame: pd.DataFrame) -> None:
    with pytest.raises(RunError, match=rf"has no {name} yet"):
        read_frame(tmp_path, name)
    write_frame(frame, tmp_path, name)
    path = tmp_path / name
    path.write_bytes(path.read_bytes()[:-8])
    with pytest.raises(RunError, match=rf"{name}: damaged") as raised:
        read_frame(tmp_path, name)
    assert "\n" not in str(raised.value)
