"""A hub of a few rows, and its address turned off where a test wants that."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import datasets
import pytest

from .. import tiny

WIKITQ_ESCAPED: tiny.Rows = [
    {
        "id": "q-1",
        "question": "what is in a\\nb?",
        "answers": ["1\\p2"],
        "table": {"header": ["a\\nb", "c"], "rows": [["1\\p2", "3"]], "name": "t/one.csv"},
    }
]


class Hub:
    """Stands where ``datasets.load_dataset`` is; notes what it is asked for, and fails as it is told."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, rows: Mapping[str, Mapping[str, tiny.Rows]]) -> None:
        self.rows = {path: dict(splits) for path, splits in rows.items()}
        self.asked: list[tuple[str, str]] = []
        self.failing: dict[str, Exception] = {}
        monkeypatch.delenv("TORR_DATA", raising=False)
        monkeypatch.setattr("datasets.load_dataset", self)

    def __call__(self, path: str, *, split: str, **_: Any) -> datasets.Dataset:
        self.asked.append((path, split))
        if path in self.failing:
            raise self.failing[path]
        return datasets.Dataset.from_list([dict(row) for row in self.rows[path][split]])


def all_splits(rows: tiny.Rows) -> dict[str, tiny.Rows]:
    return {"train": rows, "validation": rows, "test": rows}
