"""What is wrong with a harness's output: one clear line, exit code 2, and nothing left behind."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ...conftest import Torr
from .conftest import Importing, change
from .helm_output import CSV, HTML, TRUTH, leaderboard, write_run
from .lm_eval_output import sample
from .lm_eval_output import write_run as write_lm_eval
from .test_ours import samples

SPEC, STATE, STATS = "run_spec.json", "scenario_state.json", "per_instance_stats.json"
LONG = "x" * 5000


@pytest.mark.parametrize("harness", ["helm", "lm-eval", "unitxt"])
def test_a_folder_that_is_not_there_or_holds_nothing_that_can_be_read(
    importing: Importing, harness: str, tmp_path: Path
) -> None:
    assert "is not a folder that is there; expected" in importing.refused(harness)
    importing.source.mkdir()
    assert "holds no results of" in importing.refused(harness)
    write_run(tmp_path / "real", HTML, "org/one", TRUTH)
    (importing.source / "latest").symlink_to(tmp_path / "real")
    assert "holds no results of" in importing.refused(harness)  # links are not followed


def test_no_whole_run_of_helm(importing: Importing) -> None:
    folder = write_run(importing.source, HTML, "org/m", TRUTH)
    (folder / STATS).rename(folder / "kept")
    assert "half-written run: lacks one of run_spec.json" in importing.refused("helm")


NESTED = ["[" * depth + "]" * depth for depth in (300, 900, 20_000)]


@pytest.mark.parametrize(
    ("file", "changed", "said"),
    [
        (STATE, lambda text: text[:700], f"{STATE}: is not JSON"),
        (SPEC, lambda text: "[" * 200_000, SPEC),
        (SPEC, lambda text: '{"name": ' + "9" * 5000 + "}", SPEC),
        (SPEC, lambda text: "\udcff", f"{SPEC}: is not JSON"),
        *((STATE, lambda text, deep=deep: text.replace('"test0"', deep), STATE) for deep in NESTED),
    ],
)
def test_files_that_are_no_json(
    importing: Importing, file: str, changed: Callable[[str], str], said: str
) -> None:
    path = write_run(importing.source, HTML, "org/m", TRUTH) / file
    path.write_bytes(changed(path.read_text()).encode("utf-8", "surrogateescape"))
    assert said in importing.refused("helm")


@pytest.mark.parametrize(
    ("file", "changed", "said"),
    [
        (
            SPEC,
            lambda spec: spec.update(scenario=spec.pop("scenario_spec")),
            "the key 'class_name' is missing",
        ),
        (
            STATE,
            lambda found: found["request_states"][1]["instance"].update(input="old"),
            "request_states[1]: instance.input: found 'old'; expected an object",
        ),
        (
            STATE,
            lambda found: found["request_states"][0]["instance"]["references"][0].update(tags=5),
            "references.0.tags: found 5; expected a list",
        ),
        *(
            (STATS, lambda all_, name=name: all_[0]["stats"][0]["name"].update(name=name), "metric: found")
            for name in ("", "\ud800", LONG)
        ),
        *(
            (SPEC, lambda spec, name=name: spec["adapter_spec"].update(model=name), "adapter_spec: ")
            for name in ("", "\ud800", "x" * 1001)
        ),
        *(
            (
                STATE,
                lambda found, name=name: found["request_states"][0]["instance"].update(id=name),
                "example: found",
            )
            for name in ("", "\ud800", LONG)
        ),
    ],
)
def test_files_of_another_version_and_names_that_no_run_can_hold(
    importing: Importing, file: str, changed: Callable[[Any], object], said: str
) -> None:
    change(write_run(importing.source, HTML, "org/m", TRUTH) / file, changed)
    line = importing.refused("helm")
    assert said in line
    assert len(line) < 1000


def test_references_that_differ_under_one_id(importing: Importing) -> None:
    write_run(importing.source, HTML, "org/m", TRUTH)
    write_run(importing.source, CSV, "org/m", TRUTH, truth=TRUTH | {"test1": "entailed"})
    line = importing.refused("helm")
    assert "data set 'tab_fact', example 'test1': the references are others than in" in line
    assert "results made from other data, or in another order, cannot be compared" in line


def test_questions_that_differ_between_models(importing: Importing) -> None:
    write_run(importing.source, HTML, "org/m", TRUTH)
    other = write_run(importing.source, HTML, "org/n", TRUTH) / STATE
    change(other, lambda found: found["request_states"][2]["instance"].update(input={"text": "another"}))
    line = importing.refused("helm")
    assert "example 'test2', configuration 'torr.html/none/torr': the question is another than in" in line


def test_two_runs_of_one_cell(importing: Importing) -> None:
    for suite in ("v1", "v2"):
        write_run(importing.source / suite, HTML, "org/m", TRUTH)
    line = importing.refused("helm")
    assert "of model 'org/m' is in" in line
    assert "leave one of the two runs out" in line


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


def test_folders_above_a_run_that_was_not_made(torr: Torr, tmp_path: Path) -> None:
    write_lm_eval(tmp_path / "l", "task", [sample(0, exact_match=41.5)])
    done = torr("import", "lm-eval", tmp_path / "l", "--out", tmp_path / "a" / "b" / "run")
    assert done.returncode == 2
    assert "'exact_match' of example '0' is 41.5; expected scores in [0, 1]" in done.stderr
    assert set(os.listdir(tmp_path)) == {"l"}


@pytest.mark.full
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


def test_half_written_runs_of_lm_eval(importing: Importing) -> None:
    folder = write_lm_eval(importing.source, "task", [sample(0), sample(1)])
    path = next(folder.glob("samples_*"))
    lines = path.read_text().splitlines(keepends=True)
    path.write_text(lines[0])
    assert "half-written run: holds 1 examples of 2" in importing.refused("lm-eval")
    path.write_text(lines[0] + lines[1][:40])
    assert f"{path}: line 2: is not JSON" in importing.refused("lm-eval")
    path.write_text("".join(lines))
    other = write_lm_eval(importing.source, "other", [sample(0)])
    empty = next(other.glob("samples_other_*"))
    empty.write_text("")  # as a full disk leaves it
    assert f"{empty}: half-written run: holds 0 examples of 1" in importing.refused("lm-eval")
    empty.unlink()
    next(folder.glob("results_*")).unlink()
    assert "has no results_" in importing.refused("lm-eval")


def test_results_of_an_old_lm_eval_and_without_samples(importing: Importing) -> None:
    folder = write_lm_eval(importing.source, "task", [sample(0)])
    samples_ = next(folder.glob("samples_*"))
    samples_.rename(importing.source / "kept")
    assert "run lm_eval with --log_samples" in importing.refused("lm-eval")
    (importing.source / "kept").rename(samples_)
    change(next(folder.glob("results_*")), lambda found: found.pop("n-samples"))
    assert "the key 'n-samples' is missing" in importing.refused("lm-eval")


@pytest.mark.parametrize(
    ("field", "value", "expected"),
    [
        ("config", "html/none", "serializer/perturbation/design"),
        ("config", "html//default", "serializer/perturbation/design"),
        ("config", "a/b/c/d", "serializer/perturbation/design"),
        ("card", "../../etc/passwd", "a name, no file"),
        ("card", "x.json", "a name, no file"),
        ("study", "/etc/hostname", "a name, no file"),
        ("study", "a\\b", "a name, no file"),
        ("study", "a\0", "a name, no file"),
        ("study", "mine.yml", "a name, no file"),
    ],
)
def test_a_record_names_a_whole_configuration_and_no_file(
    importing: Importing, field: str, value: str, expected: str
) -> None:
    write_lm_eval(importing.source, "t", samples(**{field: value}))
    line = importing.refused("lm-eval")
    assert f"line 1: doc: 0: torr.{field}: found " in line
    assert f"; expected {expected}" in line
