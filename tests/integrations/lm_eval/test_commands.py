"""lm-eval's own command line, for real: tasks by ``--include_path``, options, logs, caches, and a server."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ...running.servers import chat_server
from ...timing import PATIENCE
from .conftest import STUDY, main_scores

pytestmark = pytest.mark.lm_eval

LOOKUP = "small_bundled_cell_lookup"
Command = Callable[..., subprocess.CompletedProcess[str]]


def command_in(place: Path) -> Command:
    """Runs a module's command line in a process and a directory of its own."""

    def run(module: str, *arguments: str | Path, code: int = 0) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [sys.executable, "-m", module, *map(str, arguments)],
            cwd=place,
            env={**os.environ, "COLUMNS": "200", "LM_HARNESS_CACHE_PATH": str(place / "requests")},
            capture_output=True,
            text=True,
            check=False,
            timeout=2 * PATIENCE,
        )
        assert done.returncode == code, done.stderr[-3000:]
        return done

    return run


@pytest.fixture
def command(tmp_path: Path) -> Command:
    return command_in(tmp_path)


def folder_of(place: Path) -> str:
    return command_in(place)("torr_plugin.cli.app", "lm-eval-path", "small.yaml").stdout.strip()


@pytest.fixture(scope="module")
def folder(study: Path) -> str:
    """The tasks of the small study."""
    return folder_of(study.parent)


def samples(out: Path, task: str) -> list[dict[str, Any]]:
    (path,) = out.rglob(f"samples_{task}_2*.jsonl")
    return [json.loads(line) for line in path.read_text().splitlines()]


def results(out: Path) -> dict[str, Any]:
    (path,) = out.rglob("results_*.json")
    found: dict[str, Any] = json.loads(path.read_text())
    return found


BASELINE = ("torr_plugin.integrations.lm_eval", "--model", "torr-lexical")


def test_a_whole_study(command: Command, folder: str, run: Path, tmp_path: Path) -> None:
    more = ("--log_samples", "--output_path", "out", "--use_cache", "answers", "--include_path", folder)
    first = command(*BASELINE, "--tasks", "small", *more, "--num_fewshot", "5", "--write_out")
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
    again = command(*BASELINE, "--tasks", "small", *more[:1], "--output_path", "again", *more[3:])
    assert "Requests remaining: 0" in again.stderr
    assert results(tmp_path / "again")["results"] == found["results"]


def test_plain_lm_eval_with_a_limit_and_cached_requests(command: Command, tmp_path: Path) -> None:
    study = tmp_path / "small.yaml"
    study.write_text(STUDY)
    given = (
        "--model",
        "dummy",
        "--include_path",
        folder_of(tmp_path),
        "--limit",
        "2",
        "--cache_requests",
        "true",
    )
    out = ("--log_samples", "--output_path")
    command("lm_eval", *given, "--tasks", LOOKUP, *out, "first")
    assert len(samples(tmp_path / "first", LOOKUP)) == 2
    study.write_text(STUDY.replace("shots: 2", "shots: 1"))
    command("lm_eval", *given, "--tasks", LOOKUP, *out, "second")
    first, second = (samples(tmp_path / name, LOOKUP)[0] for name in ("first", "second"))
    texts = [each["arguments"]["gen_args_0"]["arg_0"].count("Question: ") for each in (first, second)]
    assert texts == [3, 2], "requests cached of another state of the recipe must be made anew"


def test_samples_that_are_not_rated(command: Command, folder: str, tmp_path: Path) -> None:
    command(
        BASELINE[0], "run", *BASELINE[1:], "--tasks", LOOKUP, "--include_path", folder, "--predict_only",
        "--samples", json.dumps({LOOKUP: [4, 1]}), "--output_path", "out",
    )  # fmt: skip
    found = samples(tmp_path / "out", LOOKUP)
    assert [each["doc_id"] for each in found] == [4, 1]
    assert all(each["metrics"] == ["bypass"] and all(each["filtered_resps"]) for each in found)


def test_a_server_is_sent_the_messages_of_the_run(command: Command, folder: str, study: Path) -> None:
    with chat_server(lambda messages: "91") as server:
        command(
            "lm_eval", "--model", "local-chat-completions", "--model_args", server.arguments(),
            "--tasks", LOOKUP, "--include_path", folder, "--apply_chat_template", "--limit", "2",
            "--system_instruction", "Be brief.",
        )  # fmt: skip
    by_lm_eval = [body["messages"] for body in server.asked]
    with chat_server(lambda messages: "91") as server:
        command(
            "torr_plugin.cli.app", "run", study, "--limit", "2", "--cards", "bundled.cell_lookup",
            "--out", "run", "--model", "local-chat-completions", "--model-args", server.arguments(),
        )  # fmt: skip
    by_torr = [[{"role": "system", "content": "Be brief."}, *body["messages"]] for body in server.asked]

    def plain(asked: list[list[dict[str, str]]]) -> list[list[tuple[str, str]]]:
        return sorted([(turn["role"], turn["content"]) for turn in messages] for messages in asked)

    assert plain(by_lm_eval) == plain(by_torr)
    assert len(by_torr) == 8


def test_lists_and_validates(command: Command, folder: str) -> None:
    listed = command("lm_eval", "ls", "groups", "--include_path", folder)
    names = {line.split("|")[1].strip() for line in listed.stdout.splitlines() if "|" in line}
    assert {"torr", "hctqa", "small"} <= names
    assert "overrides existing task" not in listed.stderr, "a name of ours is one of lm-eval's"
    checked = command("lm_eval", "validate", "--tasks", f"torr_wikitq,{LOOKUP}", "--include_path", folder)
    assert "All tasks found and valid" in checked.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--tasks", "torr_wikitq", "--limit", "1"), "torr: cards.wikitq"),
        (("--tasks", LOOKUP, "--samples", json.dumps({LOOKUP: [6]})), "expected numbers from 0 to 5"),
    ],
)
def test_wrong_input_is_one_line(
    arguments: tuple[str, ...], said: str, command: Command, folder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TORR_DATA", "/nowhere")
    done = command(*BASELINE, "--include_path", folder, *arguments, code=2)
    assert said in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr
