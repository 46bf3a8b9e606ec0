"""The project's own site: its file, and the step that turns TOON's answers into scores."""

from __future__ import annotations

import json
import runpy
import shlex
from pathlib import Path
from unittest import mock

import pandas as pd
import pytest
import yaml

from torr_plugin.core.versions import shipped_folder
from torr_plugin.leaderboard import build_site
from torr_plugin.leaderboard.pages import overview

from .conftest import Only

SCRIPT = shipped_folder("leaderboard") / "format_study.py"
ROWS = [
    {
        "questionId": f"q{number}",
        "format": written,
        "model": model,
        "expected": "1",
        "actual": "1",
        "isCorrect": (number + len(written)) % 3 > 0,
        "inputTokens": 10 * len(written),
        "outputTokens": 1,
        "latencyMs": 1.5,
    }
    for model in ("ash", "birch")
    for number in range(12)
    for written in ("json", "toon-like")
]


def made(answers: Path, out: Path) -> pd.DataFrame:
    with mock.patch("sys.argv", [str(SCRIPT), str(answers), "--out", str(out)]):
        runpy.run_path(str(SCRIPT), run_name="__main__")
    return pd.read_parquet(out)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A folder of results as the benchmark's repository has it."""
    found = tmp_path / "models"
    found.mkdir()
    for model in ("ash", "birch"):
        rows = [row for row in ROWS if row["model"] == model]
        (found / model).write_text(json.dumps(rows), encoding="utf-8")
    return found


@pytest.mark.full
def test_a_checkout_and_its_rows_in_one_file_give_the_same_scores(
    checkout: Path, tmp_path: Path, only: Only
) -> None:
    only(overview)
    pd.DataFrame(ROWS).to_parquet(tmp_path / "answers.parquet")
    of_checkout = made(checkout, tmp_path / "runs" / "formats.parquet")
    pd.testing.assert_frame_equal(of_checkout, made(tmp_path / "answers.parquet", tmp_path / "b.parquet"))
    assert of_checkout["score"].tolist() == [float(bool(row["isCorrect"])) for row in ROWS]
    page = build_site([tmp_path / "runs" / "formats.parquet"], tmp_path / "site", charts=False)
    assert "birch" in page.read_text(encoding="utf-8")


def test_the_site_s_file_says_how_each_study_is_made() -> None:
    studies = yaml.safe_load((shipped_folder("leaderboard") / "site.yaml").read_text(encoding="utf-8"))[
        "studies"
    ]
    assert all(each["command"] for each in studies)
    optional = [each for each in studies if each.get("optional")]
    assert len(optional) == 3
    assert all("MIT" in each["description"] for each in optional), "the licence is said"
    (ours,) = (each for each in optional if "format_study" in each["command"])
    assert shlex.split(ours["command"])[1] == "leaderboard/format_study.py"
