"""MLflow and W&B: a run a model with parameters and numbers, offline, and nothing of this machine.

What the stand-ins are called with is what mlflow 3.17 and wandb 0.31 were tried with.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.in_process import here

from .conftest import PATCHY, Export
from .recorders import RecordedMlflow, RecordedWandb

TRACKERS = {"mlflow": RecordedMlflow, "wandb": RecordedWandb}


@pytest.fixture(params=list(TRACKERS))
def tracker(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Any:
    library = TRACKERS[request.param]()
    monkeypatch.setitem(sys.modules, request.param, library)
    return library


def test_a_run_a_model_with_the_numbers_of_the_analysis(
    tracker: Any, export: Export, analysis: dict[str, Any]
) -> None:
    export(tracker.__name__)
    assert [run.name for run in tracker.runs.values()] == ["torr-lexical", PATCHY]
    for run in tracker.runs.values():
        assert (run.of, run.ended) == ("hard-to-export", True)
        wanted = {}
        for dataset, figure in analysis["performance"][run.name]["datasets"].items():
            wanted |= {f"{dataset}/performance": figure["value"]}
            wanted |= {f"{dataset}/{end}": figure[end] for end in ("low", "high")}
            wanted |= {
                f"{dataset}/configurations/{config}": means[run.name]
                for config, means in analysis["configurations"][dataset].items()
            }
        assert run.metrics == {name: value for name, value in wanted.items() if value is not None}
    patchy = next(run for run in tracker.runs.values() if run.name == PATCHY)
    assert patchy.parameters["args/pretrained"] == "an-org/patchy"
    assert patchy.parameters["study"] == "hard-to-export"
    assert all(isinstance(value, str) for value in patchy.parameters.values())


def test_what_is_written_names_no_folder_of_this_machine(
    tracker: Any, export: Export, tmp_path: Path
) -> None:
    name = tracker.__name__
    report = export(name, "--model", "torr-lexical")
    if name == "mlflow":
        assert report["files"] == ["mlflow.db"]
        assert tracker.artifact_location == "mlflow-artifacts:/"
    else:
        (file,) = report["files"]
        assert file.endswith(".wandb")
    assert not [path for path in (tmp_path / name).rglob("*") if path.is_symlink() or path.name == "logs"]


@pytest.mark.parametrize("name", list(TRACKERS))
def test_an_absent_library_is_one_line_and_nothing_is_written(
    name: str, hard_run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, name, None)  # importing it raises ImportError
    done = here("export", hard_run, "--to", name, "--out", tmp_path / "out")
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr == (
        f"torr: --to {name} needs {name}, which cannot be imported: "
        "pip install '.[export]' in a checkout of torr-plugin\n"
    )
    assert not list(tmp_path.iterdir())
