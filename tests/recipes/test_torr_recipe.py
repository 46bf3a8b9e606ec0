"""ToRR's recipe rates WikiTQ by our main metric and by the one of the published column."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from torr_plugin.recipes import load, plan


@pytest.mark.full
def test_wikitq_is_rated_by_our_metric_and_by_the_published_one(
    torr: Any, shared_data: Path, tmp_path: Path
) -> None:
    done = torr(
        *("run", "torr", "--cards", "wikitq", "--limit", "2", "--model", "torr-majority", "--out", "run"),
        data=shared_data,
    )
    assert done.returncode == 0, done.stderr
    scores = pd.read_parquet(tmp_path / "run" / "scores.parquet")
    assert set(scores[scores.main].metric) == {"f1_strings"}
    published = scores[scores.metric == "torr_f1_strings"]
    assert len(published) == len(scores[scores.main]) == 2 * 35
    wrong = scores[(scores.metric == "f1_strings") & (scores.score == 0)]
    kept = published.merge(wrong[["example", "config"]], on=["example", "config"])
    assert len(kept) > 0
    assert (kept.score > 0.5).all()


def test_the_hctqa_recipes_have_the_paper_s_limit() -> None:
    assert {load(name).generation.max_tokens for name in ("hctqa", "hctqa_formats")} == {128}


@pytest.mark.full
def test_hctqa_s_generated_questions_are_asked_under_that_limit() -> None:
    assert plan(load("hctqa_formats"), limit=1).generation["max_tokens"] == 128
