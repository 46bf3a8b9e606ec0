"""The tokens of prompts beside the scores that they led to."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

from torr_plugin.running import with_prompt_tokens


class Stored:
    """What is needed of a run: two models, the second asked in two steps on one example."""

    def __init__(self, tokens: dict[str, dict[str, int | None]]) -> None:
        self._tokens = tokens

    def models(self) -> list[str]:
        return list(self._tokens)

    def request_tables(self, columns: Any) -> list[pa.Table]:
        rows = [
            ("k1", None, "d", "html", "e1"),
            ("k2", None, "d", "html", "e2"),
            ("k1", None, "d", "csv", "e1"),  # an equal prompt is asked once
            ("k3", "two", "d", "html", "e1"),
            ("k4", None, "d", "html", "unscored"),
        ]
        cells = [dict(zip(columns, row, strict=True)) for row in rows]
        kinds = pa.schema([(column, pa.string()) for column in columns])
        return [pa.Table.from_pylist(cells[:2], kinds), pa.Table.from_pylist(cells[2:], kinds)]

    def predictions(self, label: str, columns: Any) -> pa.Table:
        own = self._tokens[label]
        tokens = pa.array(own.values(), pa.int64())
        return pa.table([pa.array(own, pa.string()), tokens], names=list(columns))


def scores(*models: str) -> pd.DataFrame:
    cells = [("html", "e1"), ("html", "e2"), ("csv", "e1")]
    rows = [(model, "d", *cell, 1.0) for model in models for cell in cells]
    frame = pd.DataFrame(rows, columns=["model", "dataset", "config", "example", "score"])
    return frame.astype({"model": "category", "config": "category"})


def test_all_prompts_that_led_to_an_answer_count() -> None:
    tokens: dict[str, int | None] = {"k1": 100, "k2": 7, "k4": 1}
    run: Any = Stored({"one": tokens, "two": {**tokens, "k3": 20}})
    found = with_prompt_tokens(scores("one", "two"), run)
    assert found["prompt_tokens"].tolist() == [100, 7, 100, 120, 7, 100]


def test_a_step_that_was_not_counted_leaves_the_sum_unknown() -> None:
    run: Any = Stored({"one": {"k1": 100, "k2": None}, "two": {"k1": 100, "k2": 7, "k3": None}})
    found = with_prompt_tokens(scores("one", "two"), run)["prompt_tokens"]
    assert found.isna().tolist() == [False, True, False, True, False, False]


@pytest.mark.parametrize("tokens", [{}, {"k1": None, "k2": None}])
def test_without_any_count_the_scores_stay_as_they_are(tokens: dict[str, int | None]) -> None:
    given, run = scores("one"), Stored({"one": tokens})
    assert with_prompt_tokens(given, run) is given  # type: ignore[arg-type]
