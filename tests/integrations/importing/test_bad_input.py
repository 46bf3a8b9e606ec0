"""What is wrong with a harness's output: one clear line, exit code 2, and nothing left behind."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from ...conftest import Torr
from .helm_output import TRUTH, leaderboard, write_run
from .lm_eval_output import sample
from .lm_eval_output import write_run as write_lm_eval

HTML = "recipes.torr.tab_fact.html.no_augmentation_5_demos"
CSV = "recipes.torr.tab_fact.csv.no_augmentation_5_demos"


def refused(torr: Torr, tmp_path: Path, harness: str, folder: Path) -> str:
    """The one line; nothing is made."""
    out = tmp_path / "made"
    before = set(tmp_path.iterdir())
    done = torr("import", harness, folder, "--out", out, "--json")
    assert done.returncode == 2, done.stderr
    assert done.stdout == ""
    assert set(tmp_path.iterdir()) == before
    lines = [line for line in done.stderr.splitlines() if line.startswith("torr: ")]
    assert len(lines) == 1
    return lines[0]


def changed(path: Path, change: Any) -> None:
    value = json.loads(path.read_text())
    change(value)
    path.write_text(json.dumps(value))


def test_a_folder_that_is_not_there_or_holds_nothing(torr: Torr, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for harness in ("helm", "lm-eval", "unitxt"):
        assert "is not there; expected" in refused(torr, tmp_path, harness, tmp_path / "nowhere")
        assert "holds no results of" in refused(torr, tmp_path, harness, tmp_path / "empty")


def test_another_harness_s_output_is_recognised(torr: Torr, tmp_path: Path) -> None:
    leaderboard(tmp_path / "h")
    write_lm_eval(tmp_path / "l", "task", [sample(0)])
    (tmp_path / "u").mkdir()
    (tmp_path / "u" / "x_samples.json").write_text("{}")
    (tmp_path / "r").mkdir()
    (tmp_path / "r" / "study.yaml").write_text("format: 1")
    assert "try 'torr import helm'" in refused(torr, tmp_path, "lm-eval", tmp_path / "h")
    assert "try 'torr import lm-eval'" in refused(torr, tmp_path, "unitxt", tmp_path / "l")
    assert "try 'torr import unitxt'" in refused(torr, tmp_path, "helm", tmp_path / "u")
    assert "it is a run of this project" in refused(torr, tmp_path, "helm", tmp_path / "r")


def test_half_written_runs_of_helm(torr: Torr, tmp_path: Path) -> None:
    folder = write_run(tmp_path / "v1", HTML, "org/m", TRUTH)
    (folder / "per_instance_stats.json").rename(folder / "kept")
    line = refused(torr, tmp_path, "helm", tmp_path / "v1")
    assert (
        "half-written run: has no per_instance_stats.json (it has run_spec.json and scenario_state.json"
        in line
    )
    (folder / "kept").rename(folder / "per_instance_stats.json")
    (tmp_path / "v1" / "unitxt:recipe=x,model=y").mkdir()
    assert "half-written run: has no run_spec.json (it is empty)" in refused(
        torr, tmp_path, "helm", tmp_path / "v1"
    )


def test_truncated_json_is_said_with_its_place(torr: Torr, tmp_path: Path) -> None:
    path = write_run(tmp_path / "v1", HTML, "org/m", TRUTH) / "scenario_state.json"
    path.write_text(path.read_text()[:700])
    line = refused(torr, tmp_path, "helm", tmp_path / "v1")
    assert f"{path}: is not JSON:" in line
    assert " at line " in line


@pytest.mark.parametrize("text", ["[" * 200_000, '{"name": ' + "9" * 5000 + "}", "\udcff"])
def test_hostile_json(torr: Torr, tmp_path: Path, text: str) -> None:
    path = write_run(tmp_path / "v1", HTML, "org/m", TRUTH) / "run_spec.json"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    assert str(path) in refused(torr, tmp_path, "helm", tmp_path / "v1")


def test_another_version_of_helm(torr: Torr, tmp_path: Path) -> None:
    folder = write_run(tmp_path / "v1", HTML, "org/m", TRUTH)
    text = (folder / "run_spec.json").read_text()
    changed(folder / "run_spec.json", lambda spec: spec.update(scenario=spec.pop("scenario_spec")))
    assert "the key 'scenario_spec' is missing; HELM 0.5 writes it" in refused(
        torr, tmp_path, "helm", tmp_path / "v1"
    )
    (folder / "run_spec.json").write_text(text)
    changed(folder / "scenario_state.json", lambda s: s["request_states"][1]["instance"].update(input="old"))
    line = refused(torr, tmp_path, "helm", tmp_path / "v1")
    assert "request_states.1.instance.input: found 'old'; expected an object; HELM 0.5 writes it" in line


def test_references_that_differ_under_one_id(torr: Torr, tmp_path: Path) -> None:
    write_run(tmp_path / "v1", HTML, "org/m", TRUTH)
    write_run(tmp_path / "v1", CSV, "org/m", TRUTH, truth=TRUTH | {"test1": "entailed"})
    line = refused(torr, tmp_path, "helm", tmp_path / "v1")
    assert "data set 'tab_fact', example 'test1': the references are others than in" in line


def test_examples_in_another_order(torr: Torr, tmp_path: Path) -> None:
    truth = {f"test{n}": f"answer {n}" for n in range(6)}
    write_run(tmp_path / "v1", HTML, "org/m", truth, truth=truth)
    other = dict(zip(truth, reversed(truth.values()), strict=True))
    write_run(tmp_path / "v1", CSV, "org/m", other, truth=other)
    line = refused(torr, tmp_path, "helm", tmp_path / "v1")
    assert "results made from other data, or in another order, cannot be compared" in line


@pytest.mark.parametrize("name", ["", "\ud800", "x" * 5000])
def test_names_that_no_run_can_hold(torr: Torr, tmp_path: Path, name: str) -> None:
    folder = write_run(tmp_path / "v1", HTML, "org/m", TRUTH)
    texts = {path: path.read_text() for path in folder.iterdir()}

    def line(file: str, change: Any) -> str:
        changed(folder / file, change)
        said = refused(torr, tmp_path, "helm", tmp_path / "v1")
        (folder / file).write_text(texts[folder / file])
        assert len(said) < 1000
        return said

    stats = "per_instance_stats.json"
    assert "metric: found" in line(stats, lambda all_: all_[0]["stats"][0]["name"].update(name=name))
    if len(name) < 5000:
        assert "model: name: " in line("run_spec.json", lambda s: s["adapter_spec"].update(model=name))
    assert "is not in per_" in line(
        "scenario_state.json", lambda s: s["request_states"][0]["instance"].update(id=name)
    )


def test_tags_that_are_no_list(torr: Torr, tmp_path: Path) -> None:
    path = write_run(tmp_path / "v1", HTML, "org/m", TRUTH) / "scenario_state.json"
    changed(path, lambda s: s["request_states"][0]["instance"]["references"][0].update(tags=5))
    assert "references.0.tags: found 5; expected a list" in refused(torr, tmp_path, "helm", tmp_path / "v1")


def test_values_nested_deeply(torr: Torr, tmp_path: Path) -> None:
    path = write_run(tmp_path / "v1", HTML, "org/m", TRUTH) / "scenario_state.json"
    text = path.read_text()
    for depth in (300, 900, 20_000):
        nested = "[" * depth + "]" * depth
        path.write_text(text.replace('"test0"', nested))
        assert str(path) in refused(torr, tmp_path, "helm", tmp_path / "v1")


def test_folders_above_a_run_that_was_not_made(torr: Torr, tmp_path: Path) -> None:
    write_lm_eval(tmp_path / "l", "task", [sample(0, exact_match=41.5)])
    done = torr("import", "lm-eval", tmp_path / "l", "--out", tmp_path / "a" / "b" / "run")
    assert done.returncode == 2
    assert set(os.listdir(tmp_path)) == {"l"}


def test_questions_that_differ_between_models(torr: Torr, tmp_path: Path) -> None:
    write_run(tmp_path / "v1", HTML, "org/m", TRUTH)
    other = write_run(tmp_path / "v1", HTML, "org/n", TRUTH) / "scenario_state.json"
    changed(other, lambda s: s["request_states"][2]["instance"].update(input={"text": "another table"}))
    line = refused(torr, tmp_path, "helm", tmp_path / "v1")
    assert "example 'test2', configuration 'torr.html/none/torr': the question is another than in" in line


def test_two_runs_of_one_cell(torr: Torr, tmp_path: Path) -> None:
    for suite in ("v1", "v2"):
        write_run(tmp_path / "runs" / suite, HTML, "org/m", TRUTH)
    line = refused(torr, tmp_path, "helm", tmp_path / "runs")
    assert "of model 'org/m' is in" in line
    assert "leave one of the two runs out" in line


def test_stats_of_another_run(torr: Torr, tmp_path: Path) -> None:
    folder = write_run(tmp_path / "v1", HTML, "org/m", TRUTH)
    changed(folder / "per_instance_stats.json", lambda entries: entries.clear())
    assert "instance 'test0' is not in per_instance_stats.json" in refused(
        torr, tmp_path, "helm", tmp_path / "v1"
    )


def test_out_is_never_overwritten(torr: Torr, tmp_path: Path) -> None:
    suite, out = leaderboard(tmp_path / "h"), tmp_path / "out"
    out.mkdir()
    assert torr("import", "helm", suite, "--out", out).returncode == 0  # empty
    before = (out / "study.yaml").read_bytes()
    done = torr("import", "helm", suite, "--out", out)
    assert done.returncode == 2
    assert f"--out {out}: is not empty" in done.stderr
    assert (out / "study.yaml").read_bytes() == before
    (tmp_path / "file").write_text("")
    assert torr("import", "helm", suite, "--out", tmp_path / "file").returncode == 2


def test_links_and_odd_names_lead_nowhere(torr: Torr, tmp_path: Path) -> None:
    suite = leaderboard(tmp_path / "h")
    (tmp_path / "h" / "runs" / "latest").symlink_to(suite)
    (suite / "loop").symlink_to(tmp_path / "h")
    write_run(suite, "recipes.x/../../../etc;\x1b[31m", "../../evil", {"test0": "a"}, truth={"test0": "a"})
    out = tmp_path / "deep" / "run"
    done = torr("import", "helm", tmp_path / "h", "--out", out, "--json")
    assert done.returncode == 0, done.stderr
    assert "\x1b" not in done.stderr
    assert set(os.listdir(tmp_path)) == {"h", "deep"}
    assert all("/" not in part and ".." not in part for part in os.listdir(out / "predictions"))


def test_lm_eval_without_samples(torr: Torr, tmp_path: Path) -> None:
    folder = write_lm_eval(tmp_path / "l", "task", [sample(0)])
    next(folder.glob("samples_*")).unlink()
    assert "run lm_eval with --log_samples" in refused(torr, tmp_path, "lm-eval", tmp_path / "l")


def test_half_written_runs_of_lm_eval(torr: Torr, tmp_path: Path) -> None:
    folder = write_lm_eval(tmp_path / "l", "task", [sample(0), sample(1)])
    path = next(folder.glob("samples_*"))
    lines = path.read_text().splitlines(keepends=True)
    path.write_text(lines[0])
    assert "half-written run: holds 1 examples" in refused(torr, tmp_path, "lm-eval", tmp_path / "l")
    path.write_text(lines[0] + lines[1][:40])
    assert f"{path}: line 2: is not JSON" in refused(torr, tmp_path, "lm-eval", tmp_path / "l")
    next(folder.glob("results_*")).unlink()
    assert "has no results_" in refused(torr, tmp_path, "lm-eval", tmp_path / "l")


def test_results_of_an_old_lm_eval(torr: Torr, tmp_path: Path) -> None:
    folder = write_lm_eval(tmp_path / "l", "task", [sample(0)])
    changed(next(folder.glob("results_*")), lambda said: said.pop("n-samples"))
    line = refused(torr, tmp_path, "lm-eval", tmp_path / "l")
    assert "the key 'n-samples' is missing; this may be of an lm-eval before 0.4" in line


def test_a_score_that_is_none(torr: Torr, tmp_path: Path) -> None:
    write_lm_eval(tmp_path / "l", "task", [sample(0, exact_match=41.5)])
    line = refused(torr, tmp_path, "lm-eval", tmp_path / "l")
    assert "'exact_match' of example '0' is 41.5; expected scores in [0, 1]" in line
