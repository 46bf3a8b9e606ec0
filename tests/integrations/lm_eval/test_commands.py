"""lm-eval's own command line, for real: tasks by ``--include_path``, options, logs, and a server."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from torr_plugin.integrations.lm_eval import tasks_folder

from ...running.servers import chat_server
from ...timing import PATIENCE
from .conftest import main_scores, run_of

LOOKUP = "small_bundled_cell_lookup"
Command = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def command(tmp_path: Path) -> Command:
    """Runs a module's command line in a process and a directory of its own."""

    def run(module: str, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [sys.executable, "-m", module, *map(str, arguments)],
            cwd=tmp_path,
            env={**os.environ, "COLUMNS": "200"},
            capture_output=True,
            text=True,
            check=False,
            timeout=2 * PATIENCE,
        )
        assert done.returncode == 0, done.stderr[-3000:]
        return done

    return run


@pytest.fixture(scope="session")
def folder(study: Path, cache: Path) -> str:
    """The tasks of the small study, and the shipped ones."""
    return str(tasks_folder([study]))


def samples(out: Path, task: str) -> list[dict[str, Any]]:
    (path,) = out.rglob(f"samples_{task}_2*.jsonl")
    return [json.loads(line) for line in path.read_text().splitlines()]


def results(out: Path) -> dict[str, Any]:
    (path,) = out.rglob("results_*.json")
    found: dict[str, Any] = json.loads(path.read_text())
    return found


@pytest.mark.full
def test_a_whole_study(command: Command, folder: str, run: Path, tmp_path: Path) -> None:
    first = command(
        "torr_plugin.integrations.lm_eval", "--model", "torr-lexical", "--tasks", "small", "--log_samples",
        "--output_path", "out", "--include_path", folder, "--num_fewshot", "5", "--write_out",
    )  # fmt: skip
    assert "num_fewshot has been set to 0 for small_bundled_cell_lookup" in first.stderr
    assert "(end of prompt on previous line)" in first.stderr
    assert "overrides existing task" not in first.stderr, "the folder's tasks and ours are the same"
    analysis = json.loads((run / "analysis.json").read_text())
    found = results(tmp_path / "out")
    for figure in ("performance", "robustness"):
        expected = analysis[figure]["torr-lexical"]["overall"]["value"]
        assert found["groups"]["small"][f"{figure},none"] == pytest.approx(expected, abs=1e-12)
    scores = main_scores(run, "bundled.cell_lookup")
    for sample in samples(tmp_path / "out", LOOKUP):
        assert sample["performance"] == pytest.approx(scores.loc[sample["doc"]["example"]].mean(), abs=1e-12)


@pytest.mark.full
def test_a_server_is_sent_the_messages_of_the_run(
    command: Command, folder: str, study: Path, tmp_path: Path
) -> None:
    with chat_server(lambda messages: "91") as server:
        command(
            "lm_eval", "--model", "local-chat-completions", "--model_args", server.arguments(),
            "--tasks", LOOKUP, "--include_path", folder, "--apply_chat_template", "--limit", "2",
            "--system_instruction", "Be brief.",
        )  # fmt: skip
    by_lm_eval = [body["messages"] for body in server.asked]
    with chat_server(lambda messages: "91") as server:
        chosen = ("--limit", "2", "--cards", "bundled.cell_lookup")
        asked = ("--model", "local-chat-completions", "--model-args", server.arguments())
        run_of(str(study), tmp_path / "run", *chosen, *asked)
    by_torr = [[{"role": "system", "content": "Be brief."}, *body["messages"]] for body in server.asked]

    def plain(asked: list[list[dict[str, str]]]) -> list[list[tuple[str, str]]]:
        return sorted([(turn["role"], turn["content"]) for turn in messages] for messages in asked)

    assert plain(by_lm_eval) == plain(by_torr)
    assert len(by_torr) == 8


@pytest.mark.full
def test_they_are_valid_beside_lm_evals_own(command: Command, folder: str) -> None:
    checked = command("lm_eval", "validate", "--tasks", f"torr_wikitq,{LOOKUP}", "--include_path", folder)
    assert "All tasks found and valid" in checked.stdout
    assert "overrides existing task" not in checked.stderr, "a name of ours is one of lm-eval's"
