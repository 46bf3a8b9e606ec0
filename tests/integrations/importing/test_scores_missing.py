"""Scores that a harness did not give: they are holes that are counted and said, and never a zero."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from torr_plugin.integrations.importing import import_results
from torr_plugin.integrations.importing.helm import helm_source
from torr_plugin.running import Run

from ...conftest import Torr
from .helm_output import TRUTH, write_run
from .lm_eval_output import sample
from .lm_eval_output import write_run as write_lm_eval

HTML = "recipes.torr.tab_fact.html.no_augmentation_5_demos"


def made(torr: Torr, tmp_path: Path, *more: str, harness: str = "helm") -> dict[str, Any]:
    done = torr("import", harness, tmp_path / "in", "--out", tmp_path / "run", "--json", *more)
    assert done.returncode in (0, 1), done.stderr
    return dict(json.loads(done.stdout))


def main_scores(tmp_path: Path) -> dict[str, float | None]:
    scores = pd.read_parquet(tmp_path / "run" / "scores.parquet")
    found = scores[scores.main].set_index("example").score
    return {str(example): None if pd.isna(score) else score for example, score in found.items()}


def change_stats(folder: Path, example: str, change: Callable[[list[Any]], list[Any]]) -> None:
    path = folder / "per_instance_stats.json"
    said = json.loads(path.read_text())
    for entry in said:
        if entry["instance_id"] == example:
            entry["stats"] = change(entry["stats"])
    path.write_text(json.dumps(said))


def test_an_example_without_the_main_score_is_a_hole_whatever_else_it_has(torr: Torr, tmp_path: Path) -> None:
    folder = write_run(tmp_path / "in", HTML, "org/one", TRUTH)
    change_stats(
        folder, "test1", lambda stats: [each for each in stats if each["name"]["name"] != "accuracy"]
    )
    said = made(torr, tmp_path)
    assert main_scores(tmp_path) == {"test0": 1.0, "test1": None, "test2": 1.0}
    holes = Run.open(tmp_path / "run").analysis()["holes"]
    assert (holes["missing"], holes["expected"]) == (1, 3)
    assert said["notes"] == [
        "1 results have no score of their data set's main metric and are holes: "
        "org/one: tab_fact, torr.html/none/torr, test1"
    ]


@pytest.mark.parametrize("value", [float("nan"), float("inf"), True, "1.0", None])
def test_what_is_no_number_is_no_score(torr: Torr, tmp_path: Path, value: object) -> None:
    folder = write_run(tmp_path / "in", HTML, "org/one", TRUTH)
    change_stats(folder, "test0", lambda stats: [each | {"mean": value} for each in stats])
    said = made(torr, tmp_path)
    assert main_scores(tmp_path) == {"test0": None, "test1": 1.0, "test2": 1.0}
    assert said["notes"][0].startswith("1 results have no score of their data set's main metric")


def test_a_failed_request_is_a_hole_though_helm_rated_an_empty_answer(torr: Torr, tmp_path: Path) -> None:
    answers = {"test0": None, "test1": "refuted", "test2": "entailed"}
    scores = {"test0": 0.0, "test1": 1.0, "test2": 1.0}
    write_run(tmp_path / "in", HTML, "org/one", answers, scores=scores)  # type: ignore[arg-type]
    said = made(torr, tmp_path)
    assert said["failed"] == 1
    assert main_scores(tmp_path) == {"test0": None, "test1": 1.0, "test2": 1.0}
    assert Run.open(tmp_path / "run").analysis()["performance"]["org/one"]["overall"]["value"] == 1.0
    assert said["notes"] == [
        "1 failed requests were rated by the harness as if the answer were empty; here they are holes"
    ]


def test_scores_beyond_the_range_by_rounding_are_its_ends(torr: Torr, tmp_path: Path) -> None:
    scores = {"test0": 1.0000001, "test1": -1e-9, "test2": 0.5}
    write_run(tmp_path / "in", HTML, "org/one", TRUTH, scores=scores)
    made(torr, tmp_path)
    assert main_scores(tmp_path) == {"test0": 1.0, "test1": 0.0, "test2": 0.5}


def test_a_data_set_without_any_score_is_said(torr: Torr, tmp_path: Path) -> None:
    write_lm_eval(tmp_path / "in", "rated", [sample(0)])
    unrated = [sample(0, bypass=999.0), sample(1, bypass=999.0)]
    write_lm_eval(tmp_path / "in", "unrated", unrated, date="2026-01-02T03-04-06.678901")
    said = made(torr, tmp_path, harness="lm-eval")
    assert said["notes"] == ["unrated: none of its 2 results has a score, so it is in no figure"]


def test_results_without_any_score_are_refused(torr: Torr, tmp_path: Path) -> None:
    write_lm_eval(tmp_path / "in", "unrated", [sample(0, bypass=999.0)])
    done = torr("import", "lm-eval", tmp_path / "in", "--out", tmp_path / "run")
    assert done.returncode == 2
    assert "unrated: none of its 1 results has a score; expected the harness's own" in done.stderr
    assert not (tmp_path / "run").exists()


def test_metrics_of_several_data_sets_are_chosen_side_by_side(torr: Torr, tmp_path: Path) -> None:
    write_run(tmp_path / "in", HTML, "org/one", TRUTH)
    for name, metric in (("first", "meteor"), ("second", "bleu")):
        scores = {metric: 0.25, "length": 0.5}
        folder = write_run(
            tmp_path / "in", f"recipes.{name}", "org/one", {"test0": "a"}, truth={"test0": "a"}
        )
        stats = [{"name": {"name": key}, "mean": value} for key, value in scores.items()]
        change_stats(folder, "test0", lambda _, stats=stats: stats)  # type: ignore[misc]
    done = torr("import", "helm", tmp_path / "in", "--out", tmp_path / "run", "--metric", "meteor")
    assert done.returncode == 2
    assert "data set 'second': none of its metrics is known for the main one" in done.stderr
    said = made(torr, tmp_path, "--metric", "meteor", "--metric", "bleu")
    scores = pd.read_parquet(tmp_path / "run" / "scores.parquet")
    mains = scores[scores.main].groupby("dataset").metric.first().to_dict()
    assert mains == {"first": "meteor", "second": "bleu", "tab_fact": "accuracy"}
    assert "tab_fact: has no score called meteor or bleu; accuracy counts" in said["notes"]


def test_a_data_set_without_any_score_beside_one_that_is_rated_again(torr: Torr, tmp_path: Path) -> None:
    write_run(tmp_path / "in", HTML, "org/one", TRUTH)
    recipe = "recipes.torr.fin_qa.html.no_augmentation_5_demos"
    folder = write_run(tmp_path / "in", recipe, "org/one", TRUTH)
    for example in TRUTH:
        change_stats(folder, example, lambda _: [])
    said = made(torr, tmp_path, "--rate-again")
    assert "finqa: none of its 3 results has a score, so it is in no figure" in said["notes"]
    assert set(pd.read_parquet(tmp_path / "run" / "scores.parquet").dataset) == {"tab_fact"}


def test_a_null_in_the_main_metric_is_no_other_metric_s_turn(torr: Torr, tmp_path: Path) -> None:
    rows = [(0.2, 1.0), (None, 1.0), (0.4, 1.0)]
    samples = [sample(at, my_score=main, acc=acc) for at, (main, acc) in enumerate(rows)]  # type: ignore[arg-type]
    write_lm_eval(tmp_path / "in", "task", samples)
    made(torr, tmp_path, harness="lm-eval")
    assert main_scores(tmp_path) == {"0": 0.2, "1": None, "2": 0.4}


@pytest.mark.parametrize("value", [[1, 0], "yes", True])
def test_what_can_be_no_number_is_another_metric_s_turn(torr: Torr, tmp_path: Path, value: Any) -> None:
    write_lm_eval(tmp_path / "in", "task", [sample(0, parts=value, my_score=0.5, other=0.25)])
    made(torr, tmp_path, harness="lm-eval")
    assert main_scores(tmp_path) == {"0": 0.5}


def test_a_metric_that_a_sample_lists_and_lacks_is_none(torr: Torr, tmp_path: Path) -> None:
    lacking = sample(0, my_score=0.5, other=0.25)
    write_lm_eval(tmp_path / "in", "task", [lacking | {"metrics": ["gone", "my_score", "other"]}])
    made(torr, tmp_path, harness="lm-eval")
    assert main_scores(tmp_path) == {"0": 0.5}


def two_data_sets(folder: Path) -> None:
    """One that a card of ours rates again, by ``accuracy``, and one that keeps ``program_accuracy``."""
    write_run(folder, HTML, "org/one", TRUTH)
    kept = write_run(folder, "recipes.torr.fin_qa.html.no_augmentation_5_demos", "org/one", TRUTH)
    for example in TRUTH:
        change_stats(kept, example, lambda _: [{"name": {"name": "program_accuracy"}, "mean": 0.5}])


def test_a_metric_is_refused_by_all_that_are_there_whatever_is_rated_again(
    torr: Torr, tmp_path: Path
) -> None:
    two_data_sets(tmp_path / "in")
    for again in ([], ["--rate-again"]):
        done = torr(
            "import", "helm", tmp_path / "in", "--out", tmp_path / "run", "--metric", "acuracy", *again
        )
        assert done.returncode == 2
        assert "--metric 'acuracy': data set 'finqa' has program_accuracy; choose one" in done.stderr
    assert not (tmp_path / "run").exists()
    said = made(torr, tmp_path, "--rate-again", "--metric", "accuracy")
    assert "finqa: has no score called accuracy; program_accuracy counts" in said["notes"]


def test_a_metric_is_refused_where_all_is_rated_again(torr: Torr, tmp_path: Path) -> None:
    write_run(tmp_path / "in", HTML, "org/one", TRUTH)
    for metric in ("accuracy", "acuracy"):
        done = torr(
            *("import", "helm", tmp_path / "in", "--out", tmp_path / "run", "--rate-again"),
            *("--metric", metric),
        )
        assert done.returncode == 2
        assert "torr: --metric" in done.stderr


@pytest.mark.parametrize("metrics", ["accuracy", None, ["accuracy"], ()])
def test_programs_may_name_one_metric_several_or_none(tmp_path: Path, metrics: Any) -> None:
    write_run(tmp_path / "in", HTML, "org/one", TRUTH)
    import_results(helm_source(tmp_path / "in"), tmp_path / "run", metrics=metrics)
    options = Run.open(tmp_path / "run").study["imported"]["options"]
    assert options == (["--metric accuracy"] if metrics else [])
    assert main_scores(tmp_path) == {"test0": 1.0, "test1": 1.0, "test2": 1.0}
