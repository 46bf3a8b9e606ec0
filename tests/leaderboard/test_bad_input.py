"""Runs and files that cannot be published, each with its one line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from torr_plugin.analysis import AnalysisError
from torr_plugin.core.errors import RunError
from torr_plugin.leaderboard import build_site

from .made import make_run


def damaged(path: Path, change: Any) -> Path:
    run = make_run(path / "run")
    change(run)
    return run


def cut(folder: Path) -> None:
    """Cut the last bytes of a file off."""
    path = next(folder.rglob("*.parquet"))
    path.write_bytes(path.read_bytes()[:-9])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda run: (run / "study.yaml").unlink(), "is not a run (it has no study.yaml)"),
        (lambda run: (run / "scores.parquet").unlink(), "has no scores.parquet yet"),
        (lambda run: (run / "scores.parquet").write_bytes(b"PAR1"), "damaged"),
        (lambda run: cut(run / "requests"), "damaged"),
        (lambda run: cut(run / "predictions"), "damaged"),
        (lambda run: (run / "analysis.json").write_text("{"), "is not JSON"),
        (
            lambda run: pd.DataFrame({"dataset": ["wikitq"]}).to_parquet(run / "examples.parquet"),
            "examples: no column 'example'",
        ),
        (
            lambda run: (run / "analysis.json").write_text(
                json.dumps({"performance": dict.fromkeys(("alpha", "beta", "gamma"), 1)})
            ),
            "analysis.json: performance.alpha: ",
        ),
    ],
)
def test_runs_that_cannot_be_published(tmp_path: Path, change: Any, message: str) -> None:
    with pytest.raises((RunError, AnalysisError)) as raised:
        build_site([damaged(tmp_path, change)], tmp_path / "site", charts=False)
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)
    assert not (tmp_path / "site").exists(), "nothing is written before all runs are read"


@pytest.mark.full
def test_bad_input(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run")
    with pytest.raises(RunError, match="no run to publish"):
        build_site([], tmp_path / "site")
    with pytest.raises(AnalysisError, match="no such file or directory"):
        build_site([tmp_path / "absent.csv"], tmp_path / "site")
    lacking = tmp_path / "s.csv"
    lacking.write_text("model,score\na,1\n")
    with pytest.raises(AnalysisError, match=r"s\.csv: no column 'dataset'"):
        build_site([lacking], tmp_path / "site")
    with pytest.raises(RunError, match="a file is in the way"):
        build_site([run], lacking, charts=False)
    with pytest.raises(RunError, match="a file is in the way"):
        build_site([run], lacking / "deeper", charts=False)
