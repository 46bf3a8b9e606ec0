"""The ratings of a run, beside its analysis."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd

from torr_plugin.analysis.ratings import RatingOptions
from torr_plugin.workflows.judging import rate_run

FEW = RatingOptions(resamples=5)


def battles(*rows: tuple[str, str, str, str]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["question", "model_a", "model_b", "winner"])


def test_a_run_with_battles_gets_ratings(tmp_path: Path) -> None:
    said: list[str] = []
    assert rate_run(tmp_path, tmp_path, FEW, said.append) is None
    assert said == []
    read = battles(*((f"d/{at}", "x", "y", ["model_a", "model_b", "model_a"][at % 3]) for at in range(9)))
    read.to_parquet(tmp_path / "battles.parquet")
    out = tmp_path / "elsewhere"
    found = rate_run(tmp_path, out, FEW, said.append)
    assert found is not None
    written = json.loads((out / "ratings.json").read_text())
    assert written["bradley_terry"]["x"]["value"] == found.bradley_terry["x"].value
    assert "levels" in written
    assert said == [f"Ratings from 9 battles, x ahead: {out / 'ratings.json'}"]


def test_battles_that_cannot_be_rated_are_said(tmp_path: Path) -> None:
    battles(("d/0", "x", "y", "tie"), ("d/0", "v", "w", "tie")).to_parquet(tmp_path / "battles.parquet")
    said: list[str] = []
    assert rate_run(tmp_path, tmp_path, FEW, said.append) is None
    assert said[0].startswith("No ratings: ")
    assert "2 groups that never battled each other" in said[0]
    assert not (tmp_path / "ratings.json").exists()
