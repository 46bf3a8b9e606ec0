"""The scores in runs of HELM: the test split, perturbations by their modes, no scores of failed requests."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from tests.conftest import missing
from torr_plugin.core.errors import InputError
from torr_plugin.integrations.logs.board import BoardScores
from torr_plugin.integrations.logs.helm import HELM
from torr_plugin.integrations.logs.reading import read_scores

from ..importing.helm_output import HTML, TRUTH, entry, run_spec, state, write, write_run


def read(path: Path) -> BoardScores:
    return read_scores([path])


def quiz(folder: Path, instances: Mapping[str, tuple[dict[str, Any], float]], model: str = "org/m") -> Path:
    """A run: instance -> more of it, and its exact_match."""
    states = [
        state(name.partition(" ")[0], f"question {name}", ["yes"], "yes", model, **more)
        for name, (more, _) in instances.items()
    ]
    stats = [
        entry(name.partition(" ")[0], {"exact_match": score, "f1_score": score / 2})
        | {key: value for key, value in more.items() if key == "perturbation"}
        for name, (more, score) in instances.items()
    ]
    for each, (more, _) in zip(stats, instances.values(), strict=True):
        for stat in each["stats"]:
            stat["name"]["split"] = more.get("split", "test")
    spec = run_spec(f"quiz:model={model.replace('/', '_')}", {}, model, "x.QuizScenario")
    return write(folder, spec | {"metric_specs": []}, states, stats)


def main(board: BoardScores, metric: str = "exact_match") -> dict[tuple[str, str], float | None]:
    """(config, item) -> score."""
    rows = board.items[board.items.metric == metric]
    return {(row.config, row.item): None if pd.isna(row.score) else row.score for row in rows.itertuples()}


def test_the_test_split_counts_and_both_means_are_said(tmp_path: Path) -> None:
    board = read(quiz(tmp_path, {"id1": ({}, 1.0), "id2": ({}, 0.0), "id3": ({"split": "valid"}, 0.0)}))
    assert main(board) == {("", "id1"): 1.0, ("", "id2"): 0.0}
    assert board.main == {"quiz": "exact_match"}
    assert board.notes == (
        "quiz: the test split counts, without 1 valid instances: exact_match 0.500, with them 0.333",
    )


def test_a_run_without_a_test_split_has_its_own(tmp_path: Path) -> None:
    assert main(read(quiz(tmp_path, {"id1": ({"split": "valid"}, 1.0)}))) == {("", "id1"): 1.0}


def test_modes_of_a_perturbation_are_configurations(tmp_path: Path) -> None:
    modes = {
        f"id1 {mode}": ({"perturbation": {"name": "gender", "fairness": True, "mode": mode, "seed": 1}}, at)
        for at, mode in enumerate(("pronouns", "terms"))
    }
    board = read(quiz(tmp_path, {"id1": ({}, 1.0), **modes}))  # type: ignore[dict-item]
    assert main(board) == {
        ("", "id1"): 1.0,
        ("gender+mode=pronouns", "id1"): 0.0,
        ("gender+mode=terms", "id1"): 1.0,
    }


def test_trials_are_replicates(tmp_path: Path) -> None:
    folder = quiz(tmp_path, {"id1": ({}, 1.0)})
    for name, key in (("scenario_state.json", "request_states"), ("per_instance_stats.json", None)):
        value = json.loads((folder / name).read_text())
        rows = value[key] if key else value
        rows += [row | {"train_trial_index": 1} for row in rows]
        (folder / name).write_text(json.dumps(value))
    items = read(folder).items
    assert sorted(items[items.metric == "exact_match"].replicate) == [0, 1]


def test_a_failed_request_has_no_score_though_helm_rated_an_empty_answer(tmp_path: Path) -> None:
    answers = {"test0": None, "test1": "refuted", "test2": "entailed"}
    scores = {"test0": 0.0, "test1": 1.0, "test2": 1.0}
    board = read(write_run(tmp_path, HTML, "org/m", answers, scores=scores))  # type: ignore[arg-type]
    config = "torr.html/none/torr"
    assert main(board, "accuracy") == {
        (config, "test0"): None,
        (config, "test1"): 1.0,
        (config, "test2"): 1.0,
    }
    assert board.items[board.items.item == "test0"].status.tolist() == ["failed", "failed"]


def test_scores_that_unitxt_gave_to_other_rows_are_doubted(tmp_path: Path) -> None:
    folder = write_run(tmp_path, HTML, "org/m", {"test2": "entailed", "test1": "refuted"})
    assert "answers to drawn instances were rated" in read(folder).notes[0]


def test_scores_alone_suffice_and_runs_without_are_said(tmp_path: Path) -> None:
    folder = write_run(tmp_path, HTML, "org/m", dict(TRUTH))
    (folder / "scenario_state.json").unlink()
    (tmp_path / "quiz:model=org_other").mkdir()
    board = read(tmp_path)
    assert len(board.items) == 6
    assert board.notes[0] == "1 half-written run left out, so that cells are missing: quiz:model=org_other"
    assert "has no scenario_state.json, so failed requests count as HELM rated them" in board.notes[-1]


def test_a_run_twice_is_refused(tmp_path: Path) -> None:
    for suite in ("v1", "v2"):
        write_run(tmp_path / suite, HTML, "org/m", dict(TRUTH))
    with pytest.raises(InputError, match="item 'test0': has two scores"):
        read(tmp_path)


def test_a_cut_file(tmp_path: Path) -> None:
    path = write_run(tmp_path, HTML, "org/m", dict(TRUTH)) / "per_instance_stats.json"
    path.write_text(path.read_text()[:-40])
    with pytest.raises(InputError, match=r"per_instance_stats\.json: is not JSON that can be read"):
        read(tmp_path)


def test_real_runs_have_the_means_of_helm_s_own_files(shared_data: Path) -> None:
    folder = shared_data / "harness_logs" / "helm"
    if not folder.is_dir():
        missing("these logs are not here")
    board = read(folder)
    counts = {run.name.partition("-")[0].partition(":")[0]: run for run in folder.iterdir()}
    for task, group in board.items.groupby("task"):
        (run,) = [run for name, run in counts.items() if str(task).startswith(name)]
        stats = json.loads((run / "stats.json").read_text())
        own = {
            stat["name"]["name"]: stat["mean"]
            for stat in stats
            if "perturbation" not in stat["name"]
            and stat["name"]["split"] == ("valid" if str(task).startswith("commonsense") else "test")
            and "mean" in stat
        }
        for metric, mean in group.groupby("metric").score.mean().items():
            assert mean == pytest.approx(own[str(metric)], abs=1e-12)
    assert board.main["narrative_qa"] == "f1_score"
    assert "f1_score 0.174, with them 0.139" in board.notes[-1]


def apart(folder: Path, *, failed: bool = False) -> Path:
    """A run that asks about each reference apart, as HELM asks OpenbookQA, with calibration."""
    asked = [("id1", 0), ("id1", 0), ("id1", 1), ("id1", 1), ("id2", 0), ("id2", 0), ("id2", 1), ("id2", 1)]
    states = [
        state(name, f"question {name}", ["yes"], None if failed and name == "id2" and at else "yes", "org/m")
        | {"reference_index": at}
        for name, at in asked
    ]
    spec = run_spec("quiz:model=org_m", {}, "org/m", "x.QuizScenario")
    spec["adapter_spec"]["method"] = "multiple_choice_separate_calibrated"
    stats = [entry("id1", {"exact_match": 1.0}), entry("id2", {"exact_match": 0.0})]
    return write(folder, spec | {"metric_specs": []}, states, stats)


def test_methods_that_ask_about_each_reference_apart_have_an_item_an_instance(tmp_path: Path) -> None:
    assert main(read(apart(tmp_path / "a"))) == {("", "id1"): 1.0, ("", "id2"): 0.0}
    assert main(read(apart(tmp_path / "b", failed=True))) == {("", "id1"): 1.0, ("", "id2"): None}


def test_they_have_no_answer_to_import(tmp_path: Path) -> None:
    (file,) = HELM.read(apart(tmp_path)).files
    with pytest.raises(InputError, match="asks about each reference apart, so no answer is an instance's"):
        file.read()
