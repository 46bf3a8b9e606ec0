"""HELM's leaderboard of ToRR as a run: names, scores, and what is wrong with it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pandas as pd
import pytest
import yaml

from torr_plugin.running import Run

from ...conftest import Torr
from .helm_output import TRUTH, leaderboard, write_run

HTML = "recipes.torr.tab_fact.html.no_augmentation_5_demos"


@pytest.mark.parametrize("below", ["", "runs", "runs/v1"])
def test_a_leaderboard_is_a_run_by_our_names(torr: Torr, tmp_path: Path, below: str) -> None:
    leaderboard(tmp_path / "benchmark_output")
    done = torr("import", "helm", tmp_path / "benchmark_output" / below, "--out", tmp_path / "run", "--json")
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert said["scores"] == "its own"
    assert said["datasets"] == {"tab_fact": 3}
    scores = pd.read_parquet(tmp_path / "run" / "scores.parquet")
    assert set(scores.config) == {"torr.html/none/torr", "torr.html/transpose/torr", "torr.csv/none/torr"}
    assert set(scores[scores.main].metric) == {"accuracy"}
    good = scores[scores.main & (scores.model == "org/good")].set_index(["config", "example"]).score
    assert good["torr.html/transpose/torr"].to_dict() == {"test0": 1.0, "test1": 0.0, "test2": 1.0}
    # mean range over the three examples: only test1 differs between configurations
    figures = Run.open(tmp_path / "run").analysis()
    assert figures["robustness"]["org/good"]["datasets"]["tab_fact"]["value"] == pytest.approx(1 - 1 / 3)
    assert figures["robustness"]["org/poor"]["datasets"]["tab_fact"]["value"] == 1.0


def test_the_run_says_where_it_is_from_and_every_command_takes_it(torr: Torr, tmp_path: Path) -> None:
    suite, run = leaderboard(tmp_path), tmp_path / "run"
    assert torr("import", "helm", suite, "--out", run).returncode == 0
    study = yaml.safe_load((run / "study.yaml").read_text())
    told = {"harness": "HELM", "files": 6, "scores": "its own"}
    assert told.items() <= study["imported"].items()
    assert {model["label"]: model["model"] for model in study["models"]} == {
        "org/good": "helm",
        "org/poor": "helm",
    }
    assert torr("status", run).returncode == 0
    assert torr("analyse", run, "--out", tmp_path / "analysis", "--no-charts").returncode == 0
    assert torr("budget", run).returncode == 0
    answers = Run.open(run).predictions("org/poor")
    assert set(answers["prediction"].to_pylist()) == {"entailed"}
    assert answers["seconds"].to_pylist() == [0.25] * 9
    done = torr("judge", run, "--model", "torr-lexical")
    assert done.returncode == 2
    assert "has no card, so its answers cannot be rated" in done.stderr


def test_the_site_says_whose_scores_they_are(torr: Torr, tmp_path: Path) -> None:
    from torr_plugin.leaderboard import build_site

    torr("import", "helm", leaderboard(tmp_path), "--out", tmp_path / "run", "--metric", "f1_macro")
    build_site([tmp_path / "run"], tmp_path / "site", charts=False)
    pages = "".join(page.read_text() for page in (tmp_path / "site").rglob("*.html"))
    assert "The scores are those of HELM itself" in pages
    assert "torr import helm FOLDER --metric f1_macro --out " in pages


def test_drawn_instances_are_doubted_and_rated_again(torr: Torr, tmp_path: Path) -> None:
    # HELM 0.5.16 rated the answer to test2 by row 0 and that to test1 by row 1
    write_run(
        tmp_path / "v1",
        HTML,
        "org/one",
        {"test2": "entailed", "test1": "refuted"},
        scores={"test2": 0.0, "test1": 0.0},
    )
    done = torr("import", "helm", tmp_path / "v1", "--out", tmp_path / "own", "--json")
    assert "rated drawn instances against the first rows" in json.loads(done.stdout)["notes"][0]
    assert pd.read_parquet(tmp_path / "own" / "scores.parquet").score.max() == 0
    done = torr("import", "helm", tmp_path / "v1", "--out", tmp_path / "again", "--rate-again", "--json")
    said = json.loads(done.stdout)
    assert (said["scores"], said["notes"]) == ("rated again", [])
    again = pd.read_parquet(tmp_path / "again" / "scores.parquet")
    assert again[again.main].score.tolist() == [1.0, 1.0]


def test_holes_are_named_and_lower_no_robustness_silently(torr: Torr, tmp_path: Path) -> None:
    suite = leaderboard(tmp_path)
    folder = suite / "unitxt:recipe=recipes.torr.tab_fact.csv.no_augmentation_5_demos,model=org_poor"
    state = json.loads((folder / "scenario_state.json").read_text())
    state["request_states"] = state["request_states"][:2]
    (folder / "scenario_state.json").write_text(json.dumps(state))
    done = torr("import", "helm", suite, "--out", tmp_path / "run", "--json")
    said = json.loads(done.stdout)
    assert said["holes"] == 1
    assert (
        "1 cells have no result and are holes: org/poor: tab_fact, torr.csv/none/torr, test2" in said["notes"]
    )
    run = Run.open(tmp_path / "run")
    assert run.analysis()["holes"]["missing"] == 1
    assert run.predictions("org/poor")["error"].drop_null().to_pylist() == ["not among the imported results"]


def test_unfinished_runs_are_left_out_where_that_is_wished_and_are_holes(torr: Torr, tmp_path: Path) -> None:
    suite = leaderboard(tmp_path)
    recipe = "unitxt:recipe=recipes.torr.tab_fact"
    shutil.rmtree(suite / f"{recipe}.csv.no_augmentation_5_demos,model=org_poor")
    for config, model in (("csv.no", "poor"), ("json.no", "good"), ("json.no", "poor")):
        (suite / f"{recipe}.{config}_augmentation_5_demos,model=org_{model}").mkdir()
    done = torr("import", "helm", suite, "--out", tmp_path / "run", "--json")
    assert done.returncode == 2
    assert "(it is empty), and so are 2 others; run helm-run again, or --leave-out-unfinished" in done.stderr
    asked = ("import", "helm", suite, "--out", tmp_path / "run", "--leave-out-unfinished", "--json")
    said = json.loads(torr(*asked).stdout)
    assert said["notes"][0].startswith("3 half-written runs were left out, and their cells are holes: unitxt")
    # three examples in csv of one model, and in json, which nobody finished, of both
    assert (said["holes"], said["configurations"]) == (9, 4)
    figures = Run.open(tmp_path / "run").analysis()
    assert figures["holes"]["missing"] == 9
    assert figures["robustness"]["org/poor"]["datasets"]["tab_fact"]["complete"] is False
    for command in ("status", "budget"):
        assert torr(command, tmp_path / "run").returncode == 0


def test_no_whole_run_is_refused_all_the_same(torr: Torr, tmp_path: Path) -> None:
    (tmp_path / "v1" / "unitxt:recipe=recipes.x,model=y").mkdir(parents=True)
    done = torr("import", "helm", tmp_path / "v1", "--out", tmp_path / "run", "--leave-out-unfinished")
    assert done.returncode == 2
    assert "half-written run: has no run_spec.json (it is empty); run helm-run again: no run" in done.stderr


def test_a_failed_request_is_said_by_the_exit_code(torr: Torr, tmp_path: Path) -> None:
    folder = write_run(tmp_path / "v1", HTML, "org/one", TRUTH)
    path = folder / "scenario_state.json"
    state = json.loads(path.read_text())
    state["request_states"][0]["result"] = {
        "success": False,
        "error": "no reply",
        "completions": [{"text": ""}],
    }
    path.write_text(json.dumps(state))
    done = torr("import", "helm", tmp_path / "v1", "--out", tmp_path / "run", "--json")
    assert done.returncode == 1
    assert json.loads(done.stdout)["failed"] == 1


def test_another_metric_can_be_the_main_one(torr: Torr, tmp_path: Path) -> None:
    suite = leaderboard(tmp_path)
    assert torr("import", "helm", suite, "--out", tmp_path / "run", "--metric", "f1_macro").returncode == 0
    scores = pd.read_parquet(tmp_path / "run" / "scores.parquet")
    assert set(scores[scores.main].metric) == {"f1_macro"}
    done = torr("import", "helm", suite, "--out", tmp_path / "other", "--metric", "bleu")
    assert done.returncode == 2
    assert "--metric 'bleu': data set 'tab_fact' has accuracy, f1_macro; choose one" in done.stderr
    assert not (tmp_path / "other").exists()


def test_data_sets_that_no_card_rates_keep_their_scores(torr: Torr, tmp_path: Path) -> None:
    write_run(
        tmp_path / "v1", HTML, "org/one", dict.fromkeys(TRUTH, "entailed"), scores=dict.fromkeys(TRUTH, 0.0)
    )
    fin_qa = "recipes.torr.fin_qa.html.no_augmentation_5_demos"
    write_run(tmp_path / "v1", fin_qa, "org/one", dict(TRUTH), scores=dict.fromkeys(TRUTH, 0.5))
    asked = ["--rate-again", "--metric", "accuracy", "--json"]
    done = torr("import", "helm", tmp_path / "v1", "--out", tmp_path / "run", *asked)
    said = json.loads(done.stdout)
    assert said["scores"] == {"finqa": "its own", "tab_fact": "rated again"}
    assert "finqa: keeps the harness's scores, for its metric needs the example's" in said["notes"][0]
    scores = pd.read_parquet(tmp_path / "run" / "scores.parquet")
    means = scores[scores.main].groupby("dataset").score.mean().to_dict()
    assert means == {"finqa": 0.5, "tab_fact": pytest.approx(2 / 3)}
