"""Run in a harness and by ``torr run``, import: the same requests, answers and scores, exactly."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from torr_plugin.running import Run

from ...conftest import Torr
from ...timing import PATIENCE

CELL = ["model", "dataset", "config", "example", "metric"]
SHARED = ["key", "dataset", "example", "config", "references", "facts"]
STUDY = """
name: small
cards: [cards.bundled.cell_lookup, cards.bundled.fact_verification]
configurations:
  serializers: [torr.html, torr.json]
  perturbations: [none, transpose]
demonstrations: {shots: 2}
examples: {count: 4}
generation: {max_tokens: 32}
models: [torr-lexical]
"""


def assert_same(imported: Path, run: Path) -> None:
    """The imported run is the other one: requests, answers, scores, and every figure of performance."""
    ours, theirs = (pd.read_parquet(each / "scores.parquet").sort_values(CELL) for each in (run, imported))
    pd.testing.assert_frame_equal(ours.reset_index(drop=True), theirs.reset_index(drop=True))
    asked = [Run.open(each).requests().select(SHARED).to_pandas() for each in (run, imported)]
    first, second = (
        each.sort_values(["dataset", "config", "example"]).reset_index(drop=True) for each in asked
    )
    pd.testing.assert_frame_equal(first, second)
    for model in Run.open(run).models():
        answers = [
            Run.open(each).predictions(model, ("key", "prediction")).to_pandas() for each in (run, imported)
        ]
        pd.testing.assert_frame_equal(*(each.sort_values("key").reset_index(drop=True) for each in answers))
    first, second = (json.loads((each / "analysis.json").read_text()) for each in (run, imported))
    for figure in ("performance", "robustness", "worst", "best", "holes"):
        assert first[figure] == second[figure]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study, run by ``torr run`` into ``run``."""
    folder = tmp_path_factory.mktemp("round")
    (folder / "small.yaml").write_text(STUDY)
    command(folder, "torr_plugin.cli.app", "run", "small.yaml", "--out", "run")
    return folder


def command(folder: Path, module: str, *arguments: str | Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", module, *map(str, arguments)],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stderr[-3000:]


def tasks(folder: Path) -> str:
    from torr_plugin.integrations.lm_eval import tasks_folder

    return str(tasks_folder([str(folder / "small.yaml")]))


@pytest.mark.full
def test_lm_eval(folder: Path, torr: Torr, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    asked = [
        "--model",
        "torr-lexical",
        "--include_path",
        tasks(folder),
        "--log_samples",
        "--output_path",
        "lm",
    ]
    # a configuration alone beside all of them: the same cell twice, with the same answer
    names = "small_bundled_cell_lookup,small_bundled_fact_verification,small_bundled_cell_lookup_json_none"
    command(folder, "torr_plugin.integrations.lm_eval", *asked, "--tasks", names)
    done = torr("import", "lm-eval", folder / "lm", "--out", tmp_path / "imported", "--json")
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert (said["scores"], said["holes"], said["compared"]["differing"]) == ("rated again", 0, 0)
    assert said["compared"]["compared"] == 16
    assert_same(tmp_path / "imported", folder / "run")


@pytest.mark.full
def test_unitxt(folder: Path, torr: Torr, tmp_path: Path) -> None:
    run = tmp_path / "run"
    asked = ["--cards", "bundled.cell_lookup", "--limit", "3", "--model", "torr-lexical"]
    assert torr("run", "quickstart", *asked, "--out", run).returncode == 0
    task = "recipes.quickstart.bundled.cell_lookup"
    output = ["--output_path", tmp_path / "unitxt", "--log_samples"]
    limit = ["--limit", "3", "--model", "torr-lexical"]
    command(tmp_path, "torr_plugin.integrations.unitxt", "--tasks", task, *limit, *output)
    done = torr("import", "unitxt", tmp_path / "unitxt", "--out", tmp_path / "imported", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["compared"] == {"compared": 105, "differing": 0, "largest": 0.0}
    assert_same(tmp_path / "imported", run)


@pytest.mark.full
def test_answers_are_reused_where_keys_are_ours(folder: Path, torr: Torr, tmp_path: Path) -> None:
    asked = [
        "--model",
        "torr-lexical",
        "--include_path",
        tasks(folder),
        "--log_samples",
        "--output_path",
        "one",
    ]
    command(folder, "torr_plugin.integrations.lm_eval", *asked, "--tasks", "small_bundled_cell_lookup")
    assert torr("import", "lm-eval", folder / "one", "--out", tmp_path / "imported").returncode == 0
    again = ["run", folder / "small.yaml", "--out", tmp_path / "again"]
    done = torr(*again, "--reuse", tmp_path / "imported")
    assert done.returncode == 0
    assert "torr-lexical: 16 of 32 requests already answered" in done.stderr
    reused = Run.open(tmp_path / "again").study["reused"]
    assert [(each["model"], each["answers"]) for each in reused] == [("torr-lexical", 16)]
    assert_same(tmp_path / "again", folder / "run")
