"""The main job as a user does it: the real commands, on small studies."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest
from lm_eval.api.model import LM
from typer.testing import CliRunner

from torr_plugin.leaderboard.__main__ import app as leaderboard
from torr_plugin.plugins import hookimpl, registered

from ..conftest import Torr
from ..timing import PATIENCE, until
from .in_process import here

RECIPE = """\
name: small
seed: 3
cards: [cards.bundled.cell_lookup, cards.bundled.fact_verification, cards.bundled.aggregation]
configurations:
  - serializers: [torr.html, torr.csv, html]
    perturbations: [none, transpose, shuffle_rows]
examples: {count: 5}
demonstrations: {shots: 2}
models: [torr-majority, torr-random-cell, torr-lexical]
analysis: {resamples: 50}
"""

RECIPE_FILE = "small.yaml"
TORR = [sys.executable, "-m", "torr_plugin.cli.app"]
ORDER = ["model", "dataset", "config", "example", "metric"]


@pytest.fixture
def recipe(tmp_path: Path) -> Path:
    path = tmp_path / RECIPE_FILE
    path.write_text(RECIPE)
    return path


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The study, run once and left alone: the tests only read it. What was printed is beside it."""
    place = tmp_path_factory.mktemp("undisturbed")
    (place / RECIPE_FILE).write_text(RECIPE)
    done = here("run", place / RECIPE_FILE, "--out", place / "run", "--json")
    assert done.exit_code == 0, done.stderr
    (place / "printed.json").write_text(done.stdout)
    return place / "run"


def scores(run: Path) -> pd.DataFrame:
    return pd.read_parquet(run / "scores.parquet").sort_values(ORDER, ignore_index=True)


def predictions(run: Path) -> pd.DataFrame:
    shards = [
        pd.read_parquet(path).assign(model=path.parent.name)
        for path in sorted((run / "predictions").rglob("*.parquet"))
    ]
    return pd.concat(shards, ignore_index=True)


@pytest.mark.usefixtures("quick_sites")
def test_a_study_from_recipe_to_site(undisturbed: Path, tmp_path: Path) -> None:
    result = json.loads((undisturbed.parent / "printed.json").read_text())
    assert result["requests"] == result["answered"] == 3 * 9 * 5 * 3
    assert result["failed"] == 0

    frame = scores(undisturbed)
    assert list(frame.columns) == [
        "model",
        "dataset",
        "config",
        "serializer",
        "perturbation",
        "design",
        "example",
        "metric",
        "score",
        "main",
    ]
    assert len(frame[frame.main]) == result["requests"]
    assert frame.score.between(0, 1).all()

    analysis = json.loads((undisturbed / "analysis.json").read_text())
    main = frame[frame.main]
    for model, figure in analysis["performance"].items():
        by_dataset = main[main.model == model].groupby("dataset").score.mean()
        assert figure["overall"]["value"] == pytest.approx(by_dataset.mean())
        assert figure["overall"]["low"] <= figure["overall"]["value"] <= figure["overall"]["high"]
    ranges = main.groupby(["model", "dataset", "example"]).score.agg(
        lambda scores: scores.max() - scores.min()
    )
    for model, figure in analysis["robustness"].items():
        assert figure["overall"]["value"] == pytest.approx(1 - ranges[model].groupby("dataset").mean().mean())

    site = CliRunner().invoke(leaderboard, [str(undisturbed), "--out", str(tmp_path / "site"), "--no-charts"])
    assert site.exit_code == 0, site.stderr
    page = (tmp_path / "site" / "index.html").read_text()
    assert all(model in page for model in analysis["performance"])


def test_running_again_asks_nothing_and_changes_nothing(
    torr: Torr, recipe: Path, tmp_path: Path, undisturbed: Path
) -> None:
    shutil.copytree(undisturbed, tmp_path / "run")
    before, shards = (
        scores(tmp_path / "run"),
        {path: path.stat().st_mtime_ns for path in (tmp_path / "run" / "predictions").rglob("*.parquet")},
    )
    assert torr("run", recipe, "--out", "run").returncode == 0
    assert {
        path: path.stat().st_mtime_ns for path in (tmp_path / "run" / "predictions").rglob("*.parquet")
    } == shards
    pd.testing.assert_frame_equal(scores(tmp_path / "run"), before)


def test_another_model_joins_a_finished_study(torr: Torr, recipe: Path, tmp_path: Path) -> None:
    assert torr("run", recipe, "--out", "run", "--limit", "2", "--model", "torr-majority").returncode == 0
    assert torr("run", recipe, "--out", "run", "--limit", "2", "--model", "torr-lexical").returncode == 0
    assert set(scores(tmp_path / "run").model) == {"torr-majority", "torr-lexical"}


@pytest.mark.slow
def test_a_killed_run_is_seen_as_stopped_and_resumes_with_the_same_command(
    torr: Torr, recipe: Path, tmp_path: Path, undisturbed: Path
) -> None:
    """Nothing is lost, nothing is asked twice, the scores are the same."""
    command = [*TORR, "run", RECIPE_FILE, "--out", "run"]
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    until(lambda: process.poll() is not None or list((tmp_path / "run").glob("predictions/*/part-*")))
    process.kill()
    assert process.wait(PATIENCE) == -signal.SIGKILL
    seen = json.loads(torr("status", "run", "--json").stdout)
    assert (seen["state"], seen["writer"], seen["last_writer"]["pid"]) == ("stopped", None, process.pid)
    assert torr("status", "run").stdout.startswith(f"run: stopped while {seen['step']} (host ")
    watched = torr("watch", "run")  # nothing to wait for
    assert (watched.returncode, watched.stdout.count("stopped while")) == (0, 1)

    assert torr("run", recipe, "--out", "run").returncode == 0
    pd.testing.assert_frame_equal(scores(tmp_path / "run"), scores(undisturbed))
    asked = predictions(tmp_path / "run")
    assert not asked.duplicated(["model", "key"]).any()
    assert set(map(tuple, asked[["model", "key"]].values)) == set(
        map(tuple, predictions(undisturbed)[["model", "key"]].values)
    )


@pytest.mark.slow
def test_ray_gives_the_same_scores(torr: Torr, recipe: Path, tmp_path: Path) -> None:
    line = ("run", RECIPE_FILE, "--limit", "4", "--out")
    assert torr(*line, "local").returncode == 0
    subprocess.run([*TORR, *line, "ray", "--executor", "ray"], cwd=tmp_path, check=True, timeout=PATIENCE)
    pd.testing.assert_frame_equal(scores(tmp_path / "ray"), scores(tmp_path / "local"))


class Failing(LM):  # type: ignore[misc]
    """Fails on batches in which a prompt has a table in HTML."""

    loglikelihood = loglikelihood_rolling = None

    def generate_until(self, requests: list[Any]) -> list[str]:
        if any("<table>" in request.args[0] for request in requests):
            raise RuntimeError("no\nHTML")
        return ["x" for _ in requests]


Failing.__abstractmethods__ = frozenset()


def test_a_failing_model_is_said_kept_and_ends_with_one(torr: Torr, recipe: Path, tmp_path: Path) -> None:
    hooks = SimpleNamespace(torr_models=hookimpl(lambda: {"failing": f"{__name__}:Failing"}))
    with registered(hooks, "it"):
        done = torr("run", recipe, "--out", "run", "--limit", "4", "--model", "failing", "--json")
    assert done.returncode == 1, done.stderr
    result = json.loads(done.stdout)
    assert 0 < result["failed"] < result["requests"]
    assert result["answered"] + result["failed"] == result["requests"]
    frame = predictions(tmp_path / "run")
    assert frame[frame.error.notna()].prediction.isna().all()
    assert frame.error.dropna().str.contains("RuntimeError: no HTML").all()
    analysis = json.loads((tmp_path / "run" / "analysis.json").read_text())
    assert analysis["holes"]["missing"] == int(frame.error.notna().sum())
    assert analysis["performance"]["failing"]["overall"]["value"] is not None


@pytest.mark.slow  # the study above goes the same way, and pages run this one
def test_the_shipped_study_suc_runs(torr: Torr, tmp_path: Path) -> None:
    """One card of each main metric stands for the study's eight, whose tables take seconds to make."""
    cards = "suc.cell_lookup,suc.merged_cell_detection,suc.row_retrieval"
    line = ("run", "suc", "--model", "torr-majority", "--limit", "2", "--cards", cards, "--out", "run")
    done = torr(*line, "--json")
    assert done.returncode == 0, done.stderr
    outcome = json.loads(done.stdout)
    assert (outcome["requests"], outcome["failed"]) == (3 * 2 * 10, 0)
    frame = pd.read_parquet(tmp_path / "run" / "scores.parquet")
    assert set(frame.loc[frame.main, "metric"]) == {"value_list", "positions", "merged_columns"}
    assert frame.loc[frame.main].groupby("dataset").config.nunique().tolist() == [10] * 3
    analysis = json.loads((tmp_path / "run" / "analysis.json").read_text())
    (figure,) = analysis["performance"].values()
    assert len(figure["datasets"]) == 3


def test_a_plan_refuses_what_a_run_refuses(recipe: Path) -> None:
    """Metrics none of which gives the main score."""
    cards = "cards: [{card: cards.bundled.cell_lookup, metrics: [f1_strings]}]"
    recipe.write_text("\n".join(cards if line.startswith("cards:") else line for line in RECIPE.split("\n")))
    done = [here(command, str(recipe), "--out", str(recipe.parent / "run")) for command in ("plan", "run")]
    assert [each.exit_code for each in done] == [2, 2]
    assert all("main score 'exact_match'" in each.stderr for each in done)
