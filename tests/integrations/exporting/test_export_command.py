"""``torr export``: what it prints, what it refuses, and what it never writes."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.in_process import here

from .conftest import PATCHY, ChangedRun, Export
from .recorders import RecordedMlflow, RecordedWandb

FILES = ["csv", "eee", "hub", "inspect"]


@pytest.mark.parametrize("to", FILES)
def test_the_report_names_what_was_written(to: str, export: Export, hard_run: Path, tmp_path: Path) -> None:
    report = export(to, "--model", PATCHY)
    assert (report["run"], report["to"], report["out"]) == (str(hard_run), to, str(tmp_path / to))
    assert report["models"] == [PATCHY]
    written = [path for path in (tmp_path / to).rglob("*") if path.is_file()]
    assert report["files"] == sorted(path.relative_to(tmp_path / to).as_posix() for path in written)
    assert "torr-lexical" not in "".join(path.read_text() for path in written)


def test_for_people_a_line_says_where_it_is(hard_run: Path, tmp_path: Path) -> None:
    done = here("export", hard_run, "--to", "csv", "--out", tmp_path / "out")
    assert (done.exit_code, done.stdout) == (0, "")
    assert done.stderr == f"1 file of 2 models for csv: {tmp_path / 'out'}\n"


@pytest.mark.parametrize("to", FILES)
def test_nothing_is_overwritten(to: str, hard_run: Path, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine").write_text("kept")
    done = here("export", hard_run, "--to", to, "--out", tmp_path / "out")
    assert (done.exit_code, done.stdout) == (2, "")
    out = tmp_path / "out"
    assert done.stderr == f"torr: --out {out}: is not empty; expected a new or empty folder\n"
    assert [path.name for path in tmp_path.rglob("*")] == ["out", "mine"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--model", "torr-lexica"), "--model: unknown model 'torr-lexica'; did you mean 'torr-lexical'?"),
        (
            ("--url", "javascript:alert(1)"),
            "--url: found 'javascript:alert(1)'; expected an address that begins with https://",
        ),
    ],
)
def test_wrong_options_are_one_line(
    options: tuple[str, ...], said: str, hard_run: Path, tmp_path: Path
) -> None:
    done = here("export", hard_run, "--to", "csv", "--out", tmp_path / "out", *options)
    assert (done.exit_code, done.stdout, done.stderr) == (2, "", f"torr: {said}\n")
    assert not list(tmp_path.iterdir())


def test_wrong_runs_are_one_line(changed_run: ChangedRun, tmp_path: Path) -> None:
    def refused(run: Path) -> str:
        done = here("export", run, "--to", "eee", "--out", tmp_path / "out")
        assert (done.exit_code, done.stdout) == (2, "")
        assert not (tmp_path / "out").exists()
        return str(done.stderr)

    nothing = tmp_path / "nothing"
    assert refused(nothing) == (
        f"torr: {nothing}: is not a run (it has no study.yaml); expected a directory that 'torr run' wrote\n"
    )
    run = changed_run(lambda study: study.update(created="yesterday"))
    assert refused(run) == f"torr: {run}/study.yaml: created: found 'yesterday'; expected a time\n"
    (run / "analysis.json").unlink()
    assert refused(run) == f"torr: {run}: has no analysis.json yet; 'torr analyse' makes one\n"
    (run / "analysis.json").write_text('{"performance": 3}')
    assert refused(run).startswith(f"torr: {run}/analysis.json: ")
    (run / "analysis.json").write_text(json.dumps(["no", "object"]))
    assert refused(run) == (
        f"torr: {run}/analysis.json: is not a JSON object; 'torr analyse' makes a new one\n"
    )


ONE = """\
name: one
cards: [cards.bundled.cell_lookup]
configurations: [html/none/default]
examples: {count: 2}
demonstrations: {shots: 0}
models: [torr-majority]
analysis: {resamples: 5}
"""


def test_a_study_of_one_model_configuration_and_data_set(export: Export, tmp_path: Path) -> None:
    (tmp_path / "one.yaml").write_text(ONE)
    assert here("run", tmp_path / "one.yaml", "--out", tmp_path / "run").exit_code == 0
    for to in FILES:
        assert export(to, run=tmp_path / "run")["models"] == ["torr-majority"]


@pytest.mark.parametrize("to", [*FILES, "mlflow", "wandb"])
def test_keys_and_home_folders_are_not_written(
    to: str, changed_run: ChangedRun, export: Export, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Though somebody wrote them into study.yaml; ``torr run`` does not."""
    trackers = {"mlflow": RecordedMlflow(), "wandb": RecordedWandb()}
    for name, library in trackers.items():
        monkeypatch.setitem(sys.modules, name, library)

    def spoil(study: dict[str, Any]) -> None:
        for model in study["models"]:
            model["args"] |= {"api_key": "sk-1234", "base_url": "https://me:hunter2@host/v1?key=sk-1234"}
            model["args"] |= {"path": "/home/someone/weights", "more": {"hf_token": "hf_abc"}}
            model["generation"] = {"extra_body": {"api_key": "sk-1234", "lora": "/home/someone/lora"}}

    export(to, run=changed_run(spoil))
    recorded = [repr(run) for library in trackers.values() for run in library.runs.values()]
    texts = [path.read_text(errors="replace") for path in (tmp_path / to).rglob("*") if path.is_file()]
    for secret in ("sk-1234", "hunter2", "hf_abc", "/home/someone"):
        assert secret not in "".join([*texts, *recorded])
