"""The study ``suc`` from end to end, answered by embedded baselines."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd

from ..conftest import Torr


def test_the_study_runs(torr: Torr, tmp_path: Path) -> None:
    done = torr("run", "suc", "--model", "torr-majority", "--limit", "2", "--out", "run", "--json")
    assert done.returncode == 0, done.stderr
    outcome = json.loads(done.stdout)
    assert (outcome["requests"], outcome["failed"]) == (8 * 2 * 10, 0)
    scores = pd.read_parquet(tmp_path / "run" / "scores.parquet")
    assert set(scores.loc[scores.main, "metric"]) == {"value_list", "positions", "merged_columns"}
    assert scores.loc[scores.main].groupby("dataset").config.nunique().tolist() == [10] * 8
    analysis = json.loads((tmp_path / "run" / "analysis.json").read_text())
    (told,) = analysis["performance"].values()
    assert len(told["datasets"]) == 8
