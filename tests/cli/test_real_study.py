"""The shipped study over real tables, killed three times or on Ray, has the scores of a calm run."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import pytest

pytestmark = pytest.mark.slow

ORDER = ["model", "dataset", "config", "example", "metric"]
RECIPE = Path(__file__).resolve().parents[2] / "recipes" / "real.yaml"
LIMIT = 20
ANSWERS = 5 * 35 * LIMIT * 3  # data sets, configurations, examples, models


def command(out: Path, *more: str) -> list[str]:
    return [
        sys.executable,
        "-m",
        "torr_plugin.cli.app",
        "run",
        str(RECIPE),
        "--limit",
        str(LIMIT),
        "--out",
        str(out),
        *more,
    ]


def scores(run: Path) -> pd.DataFrame:
    return pd.read_parquet(run / "scores.parquet").sort_values(ORDER, ignore_index=True)


def answers(run: Path) -> pd.DataFrame:
    shards = (run / "predictions").rglob("*.parquet")
    return pd.concat([pd.read_parquet(path).assign(model=path.parent.name) for path in shards])


@pytest.fixture(scope="module")
def calm(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The study, undisturbed."""
    out = tmp_path_factory.mktemp("calm") / "run"
    subprocess.run(command(out), check=True, env={**os.environ, "TORR_DATA": str(shared_data)})
    return out


def answered(run: Path) -> int:
    return len(answers(run)) if any((run / "predictions").rglob("*.parquet")) else 0


def test_killed_three_times_and_resumed(calm: Path, mirror: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    for share in (0.1, 0.4, 0.7):
        process = subprocess.Popen(command(run), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while process.poll() is None and answered(run) < share * ANSWERS:
            time.sleep(0.2)
        assert process.poll() is None, "the run ended before it could be killed"
        process.send_signal(signal.SIGKILL)
        assert process.wait() == -signal.SIGKILL
        assert answered(run) < ANSWERS
    subprocess.run(command(run), check=True)

    frame = scores(run)
    pd.testing.assert_frame_equal(frame, scores(calm))
    assert len(frame[frame.main]) == ANSWERS
    asked = answers(run)
    assert not asked.duplicated(["model", "key"]).any()
    assert asked.error.isna().all()
    expected = answers(calm)
    assert set(asked.model + asked.key) == set(expected.model + expected.key)


def test_ray_gives_the_same_scores(calm: Path, mirror: Path, tmp_path: Path) -> None:
    run = tmp_path / "ray"
    subprocess.run(command(run, "--executor", "ray"), check=True)
    pd.testing.assert_frame_equal(scores(run), scores(calm))
