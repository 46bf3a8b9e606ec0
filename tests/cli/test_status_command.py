"""``torr status`` beside a run in another process, in a terminal and in a pipe."""

from __future__ import annotations

import json
import os
import pty
import select
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from torr_plugin import recipes
from torr_plugin.recipes import Plan, Recipe, plan

from ..plugins.conftest import write_plugin
from ..running.store.test_lock import in_another_thread
from ..timing import PATIENCE
from .in_process import here
from .test_output import RECIPE

SLOW = '''
import time
from lm_eval.api.model import LM
from torr_plugin.plugins import hookimpl

class Waiting(LM):
    """Answers once a file is there."""

    loglikelihood = loglikelihood_rolling = None

    def generate_until(self, requests):
        from pathlib import Path
        while not Path("go").exists():
            time.sleep(0.05)
        return ["an answer" for _ in requests]

Waiting.__abstractmethods__ = frozenset()

@hookimpl
def torr_models():
    return {"waiting": "waiting_plugin:Waiting"}
'''


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory with a small recipe and a model that waits for a file."""
    (tmp_path / "small.yaml").write_text(RECIPE)
    write_plugin(tmp_path, "waiting_plugin", SLOW)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def begun(place: Path, *arguments: str, **more: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "torr_plugin.cli.app", *arguments]
    # a suite in the background of a shell is deaf to Ctrl-C, and what it starts would be
    heard = {"preexec_fn": lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)}
    return subprocess.Popen(command, cwd=place, text=True, **heard, **more)  # type: ignore[call-overload, no-any-return]


def asking(place: Path) -> subprocess.Popen[str]:
    """A run whose model waits."""
    line = ("run", "small.yaml", "--model", "waiting", "--out", "run")
    process = begun(place, *line, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    assert process.stderr is not None
    assert process.stderr.readline() == "waiting: 3 requests\n"
    return process


@pytest.mark.full
def test_a_run_is_seen_while_it_asks_and_after(place: Path) -> None:
    running = asking(place)
    main, side = pty.openpty()
    try:
        drawing = begun(place, "status", "run", "--follow", stdout=side, stderr=side, stdin=side)
        os.close(side)
        seen = json.loads(here("status", "run", "--json").stdout)
        assert (seen["state"], seen["step"]) == ("running", "asking")
        assert (seen["writer"]["pid"], seen["writer"]["alive"]) == (running.pid, True)
        assert [(model["requests"], model["waiting"]) for model in seen["models"]] == [(3, 3)]
        assert f"process {running.pid}" in here("status", "run").stdout
        left_by_an_interrupt(drawing, main, running)
        going_on = threading.Timer(0.5, (place / "go").touch)
        going_on.start()
        watched = here("status", "run", "--follow")  # ends by itself
        going_on.join()
    finally:
        (place / "go").touch()
        running.communicate(timeout=PATIENCE)
        os.close(main)
    assert (running.returncode, watched.exit_code) == (0, 0)
    assert watched.stdout.startswith("run: done\n")
    assert json.loads(here("status", "run", "--json").stdout)["state"] == "done"
    assert here("status", "run").stdout.startswith("run: done\n")


def left_by_an_interrupt(
    drawing: subprocess.Popen[str], terminal: int, running: subprocess.Popen[str]
) -> None:
    """A terminal is drawn anew until Ctrl-C, and the run goes on."""
    text = _read_until(terminal, "asking", PATIENCE)
    assert f"process {running.pid}" in text
    drawing.send_signal(signal.SIGINT)
    text += _read_until(terminal, None, PATIENCE)
    assert drawing.wait(timeout=PATIENCE) == 0
    assert "Traceback" not in text
    assert [line for line in text.replace("\r", "").split("\n") if "waiting" in line]
    assert running.poll() is None


def test_a_run_is_seen_while_its_data_are_read(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []

    def planned(recipe: Recipe, *, limit: int | None = None) -> Plan:
        seen.append(json.loads(here("status", "run", "--json").stdout))
        seen.append(in_another_thread(here, "run", "small.yaml", "--out", "run"))
        return plan(recipe, limit=limit)

    monkeypatch.setattr(recipes, "plan", planned)
    assert here("run", "small.yaml", "--out", "run").exit_code == 0
    status, second = seen
    assert (status["state"], status["step"], status["writer"]["pid"]) == ("running", "planning", os.getpid())
    assert second.exit_code == 2
    assert f"process {os.getpid()} is writing this run; wait" in second.stderr
    assert here("status", "run").stdout.startswith("run: done\n")


def test_a_study_that_cannot_be_planned_leaves_no_directory(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TORR_DATA", str(place / "mirror"))
    (place / "wrong.yaml").write_text(RECIPE.replace("bundled.cell_lookup", "wikitq"))
    wrong = here("run", "wrong.yaml", "--out", "runs/x")
    assert (wrong.exit_code, "mirror" in wrong.stderr) == (2, True)
    assert here("run", "small.yaml", "--model", "torr-constnt", "--out", "runs/x").exit_code == 2
    assert not (place / "runs").exists()


def _read_until(handle: int, wanted: str | None, seconds: float) -> str:
    """What a terminal shows until a text stands there; without one, until it is closed."""
    text, end = "", time.monotonic() + seconds
    while wanted is None or wanted not in text:
        assert time.monotonic() < end, f"still waiting for {wanted!r} behind {text!r}"
        if select.select([handle], [], [], 0.2)[0]:
            try:
                text += os.read(handle, 65536).decode()
            except OSError:  # closed on the other side
                assert wanted is None, text
                break
    return text


def test_errors_are_shown_with_an_example(place: Path) -> None:
    from torr_plugin.running import Answer, Run

    assert here("run", "small.yaml", "--out", "run").exit_code == 0
    opened = Run.open(place / "run")
    shard = next(opened.folder("torr-majority").glob("part-*"))
    key = opened.requests()["key"][0].as_py()
    shard.unlink()
    error = "HTTP 503:\n \x1b[31mno\x07 answer"
    opened.answers("torr-majority").append([Answer(key, None, error=error)])
    shown = here("status", "run")
    assert "HTTP 503: ?[Nmno? answer" in shown.stdout
    assert key[:8] in shown.stdout
    assert "\x1b" not in shown.stdout
    told = json.loads(here("status", "run", "--json").stdout)["errors"]
    assert told == [
        {"kind": told[0]["kind"], "count": 1, "model": "torr-majority", "key": key, "error": error}
    ]


@pytest.mark.parametrize("options", [(), ("--follow",)])
def test_what_is_no_run_is_one_line(
    tmp_path: Path, options: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").write_text("x")
    for name, message in (
        ("gone", "torr: gone: is not there; expected a run directory\n"),
        ("file", "torr: file: is a file; expected a run directory\n"),
        (
            "empty",
            "torr: empty: is not a run (it has no study.yaml); expected a directory that 'torr run' wrote\n",
        ),
    ):
        done = here("status", name, *options)
        assert (done.exit_code, done.stdout, done.stderr) == (2, "", message)
