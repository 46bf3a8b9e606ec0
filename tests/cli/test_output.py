"""stdout holds results and nothing else, whoever prints and whoever reads."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from torr_plugin.plugins import registered

from ..plugins.conftest import write_plugin
from ..timing import PATIENCE
from .in_process import here

RECIPE = """
name: small
seed: 7
cards: [cards.bundled.cell_lookup]
configurations: [{serializers: [html], perturbations: [none]}]
examples: {count: 3}
models: [torr-majority]
"""
PLUGIN = """
import os, sys
from lm_eval.api.model import LM
from torr_plugin.plugins import hookimpl

class Model(LM):
    loglikelihood = loglikelihood_rolling = None

    def generate_until(self, requests):
        print("printed by Python")
        os.write(1, b"printed by C")
        return ["an answer" for _ in requests]

class Leaving(Model):
    def generate_until(self, requests):
        sys.exit("no more")

Model.__abstractmethods__ = Leaving.__abstractmethods__ = frozenset()

@hookimpl
def torr_models():
    return {"chatty": "chatty_plugin:Model", "leaving": "chatty_plugin:Leaving"}
"""


def test_quickstart_says_what_analyse_finds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    said = here("quickstart")
    assert said.exit_code == 0, said.output
    analysed = here("analyse", "runs/quickstart", "--out", "analysis", "--no-charts").stdout.splitlines()
    _, findings = said.stdout.rstrip().split("\n\n")
    lines = findings.splitlines()
    assert " ".join(lines).count(". ") + 1 == 3
    assert lines[0].startswith("torr-lexical scores highest")
    start = analysed.index(lines[0])
    assert analysed[start : start + len(lines)] == lines
    assert max(map(len, lines)) <= 80


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A directory with a small recipe and a plugin whose models misbehave."""
    (tmp_path / "small.yaml").write_text(RECIPE)
    write_plugin(tmp_path, "chatty_plugin", PLUGIN)
    return tmp_path


def shell(place: Path, line: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """A line of shell in which ``$TORR`` is the command."""
    return subprocess.run(
        ["bash", "-o", "pipefail", "-c", line],
        cwd=place,
        env={
            **os.environ,
            "PYTHONPATH": str(place),
            "TORR": f"{sys.executable} -m torr_plugin.cli.app",
            **environment,
        },
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )


@pytest.mark.full
def test_what_a_model_prints_does_not_reach_stdout(place: Path) -> None:
    # also where the run's name is no text; other systems than Linux take no such name
    folder = "run-\udcff" if sys.platform == "linux" else "run"
    done = shell(place, f"$TORR run small.yaml --model chatty --json --out {folder}")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert (result["answered"], result["run"]) == (3, folder)
    assert "printed by Python" in done.stderr
    assert "printed by C" in done.stderr


def test_a_model_that_exits_fails_its_requests_alone(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(place)
    (place / "modules").mkdir()  # where it is no installed plugin
    (place / "modules" / "chatty_plugin.py").write_text(PLUGIN)
    monkeypatch.syspath_prepend(str(place / "modules"))
    with registered(import_module("chatty_plugin"), "chatty"):
        done = here("run", "small.yaml", "--model", "leaving", "--json")
    assert done.exit_code == 1, done.stderr
    assert json.loads(done.stdout)["failed"] == 3


def test_a_reader_that_goes_away_is_no_error(place: Path) -> None:
    done = shell(place, "$TORR list plugins --json | true")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.full
def test_a_closed_stdout_is_no_error(place: Path) -> None:
    done = shell(place, "$TORR list plugins >&-")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no such device here")
def test_a_full_disk_behind_stdout_is_one_line(place: Path) -> None:
    done = shell(place, "$TORR list plugins >/dev/full")
    assert (done.returncode, done.stderr) == (2, "torr: stdout: No space left on device\n")


@pytest.mark.full
def test_what_is_said_of_results_stands_below_them(place: Path) -> None:
    lines = shell(place, "$TORR models 2>&1").stdout.splitlines()
    assert lines[0].startswith("In process")
    assert lines[-1].startswith("Arguments are lm-eval's")


def test_arguments_go_with_the_model_before_them(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(place)
    line = "--model torr-majority --model torr-constant --model-args answer=x"
    done = here("run", "small.yaml", "--out", "run", *line.split(), "--json")
    assert done.exit_code == 0, done.stderr
    study = (place / "run" / "study.yaml").read_text()
    assert "answer: x" in study[study.index("label: torr-constant") :]
    swapped = "--model-args answer=x --model torr-constant --model torr-majority"
    done = here("run", "small.yaml", "--out", "other", *swapped.split())
    assert (done.exit_code, done.stderr) == (
        2,
        "torr: --model-args: expected --model before each of them\n",
    )


def test_scores_that_cannot_be_written_name_the_file(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(place)
    (place / "answers.csv").write_text("example,prediction\ntest-0000,1\n")
    card = ("--card", "cards.bundled.cell_lookup")
    done = here("score", *card, "--predictions", "answers.csv", "--out", "small.yaml/scores.parquet")
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.splitlines()[-1] == (
        "torr: small.yaml: is a file; expected a directory, or a name that is free"
    )
