"""The main job as a user does it: the real commands, on small studies."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest
from lm_eval.api.model import LM
from typer.testing import CliRunner

from torr_plugin.leaderboard.__main__ import app as leaderboard
from torr_plugin.plugins import hookimpl, registered
from torr_plugin.tables import serializers

from ..conftest import Torr
from .conftest import RECIPE, REQUESTS
from .in_process import here

ORDER = ["model", "dataset", "config", "example", "metric"]


@pytest.fixture
def recipe(tmp_path: Path) -> Path:
    path = tmp_path / "small.yaml"
    path.write_text(RECIPE)
    return path


def scores(run: Path) -> pd.DataFrame:
    return pd.read_parquet(run / "scores.parquet").sort_values(ORDER, ignore_index=True)


def predictions(run: Path) -> pd.DataFrame:
    shards = [
        pd.read_parquet(path).assign(model=path.parent.name)
        for path in sorted((run / "predictions").rglob("*.parquet"))
    ]
    return pd.concat(shards, ignore_index=True)


def test_a_study_from_recipe_to_site(quick_run: Path, tmp_path: Path) -> None:
    result = json.loads((quick_run.parent / "printed.json").read_text())
    assert result["requests"] == result["answered"] == 3 * REQUESTS
    assert result["failed"] == 0

    frame = scores(quick_run)
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

    analysis = json.loads((quick_run / "analysis.json").read_text())
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

    site = CliRunner().invoke(leaderboard, [str(quick_run), "--out", str(tmp_path / "site"), "--no-charts"])
    assert site.exit_code == 0, site.stderr
    page = (tmp_path / "site" / "index.html").read_text()
    assert all(model in page for model in analysis["performance"])


@pytest.mark.full
def test_another_model_joins_a_finished_study_which_is_not_asked_again(
    torr: Torr, recipe: Path, tmp_path: Path, quick_run: Path
) -> None:
    run = Path(shutil.copytree(quick_run, tmp_path / "run"))
    shards = {path: path.read_bytes() for path in (run / "predictions").rglob("*.parquet")}
    done = torr("run", recipe, "--out", "run", "--model", "torr-lexical", "--model", "torr-constant")
    assert done.returncode == 0, done.stderr
    assert f"torr-lexical: {REQUESTS} of {REQUESTS} requests already answered" in done.stderr
    assert {path: path.read_bytes() for path in shards} == shards
    before, after = scores(quick_run), scores(run)
    assert set(after.model) == {*before.model, "torr-constant"}
    others = after[after.model != "torr-constant"].reset_index(drop=True)
    pd.testing.assert_frame_equal(others, before, check_categorical=False)


class Failing(LM):  # type: ignore[misc]
    """Fails on batches in which a prompt has a table in HTML."""

    loglikelihood = loglikelihood_rolling = None

    def generate_until(self, requests: list[Any]) -> list[str]:
        if any("<table>" in request.args[0] for request in requests):
            raise RuntimeError("no\nHTML")
        return ["x" for _ in requests]


Failing.__abstractmethods__ = frozenset()


@pytest.mark.full
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


@pytest.mark.full  # the study above goes the same way, and pages run this one
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


REAL = {
    "wikitq": "f1_strings",
    "tab_fact": "accuracy",
    "scigen": "rougeL",
    "numeric_nlg": "rougeL",
    "hctqa.real": "recall",
}


@pytest.mark.full
@pytest.mark.usefixtures("mirror")
def test_the_shipped_study_real_runs(tmp_path: Path) -> None:
    """Five data sets as they are published, in all 35 configurations."""
    line = ("run", "real", "--model", "torr-lexical", "--limit", "1", "--out", tmp_path / "run", "--json")
    outcome = json.loads(here(*line).stdout)
    assert (outcome["requests"], outcome["failed"]) == (5 * 35, 0)
    frame = scores(tmp_path / "run")
    main = frame[frame.main].groupby("dataset", observed=True)
    assert main.config.nunique().to_dict() == dict.fromkeys(REAL, 35)
    assert main.metric.unique().map(list).to_dict() == {name: [metric] for name, metric in REAL.items()}


def test_a_plan_refuses_what_a_run_refuses(recipe: Path) -> None:
    """A metric that there is not."""
    cards = "cards: [{card: cards.bundled.cell_lookup, metrics: [f1_string]}]"
    recipe.write_text("\n".join(cards if line.startswith("cards:") else line for line in RECIPE.split("\n")))
    done = [here(command, str(recipe), "--out", str(recipe.parent / "run")) for command in ("plan", "run")]
    assert [each.exit_code for each in done] == [2, 2]
    assert all("'f1_strings'" in each.stderr for each in done)


def test_prompts_that_would_be_others_now_are_said(
    recipe: Path, tmp_path: Path, torr: Torr, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = ("run", str(recipe), "--limit", "2", "--model", "torr-constant", "--out", str(tmp_path / "run"))
    said = "would have other prompts now"
    assert said not in torr(*line).stderr
    assert said not in torr(*line).stderr
    html = serializers.get("html")
    monkeypatch.setattr(type(html), "serialize", lambda self, table: "<table></table>")
    again = torr(*line)
    told = " ".join(again.stderr.split())
    assert "html/none/default (3 configurations in all) would have other prompts now" in told
    assert again.returncode == 0
