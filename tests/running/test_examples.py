"""What a run keeps of its examples and answers beside their scores."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

from torr_plugin.catalog import Example
from torr_plugin.core.errors import RunError
from torr_plugin.running import examples_frame
from torr_plugin.running.store.result_files import EXAMPLES, read_frame, read_frame_if_any, write_frame
from torr_plugin.tables import Table

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


def test_what_is_not_there_and_what_is_damaged(tmp_path: Path) -> None:
    assert read_frame_if_any(tmp_path, EXAMPLES) is None
    with pytest.raises(RunError, match=r"has no examples\.parquet yet"):
        read_frame(tmp_path, EXAMPLES)
    write_frame(pd.DataFrame({"a": [1]}), tmp_path, EXAMPLES)
    path = tmp_path / EXAMPLES
    path.write_bytes(path.read_bytes()[:-8])
    with pytest.raises(RunError, match=r"examples\.parquet: damaged") as raised:
        read_frame_if_any(tmp_path, EXAMPLES)
    assert "\n" not in str(raised.value)
