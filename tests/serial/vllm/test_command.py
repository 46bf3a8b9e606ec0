"""``torr run --model vllm`` as users run it: in a terminal, stopped by Ctrl-C, and gone on with."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import pty
import subprocess
import sys
import termios
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pyarrow.parquet as pq
import pytest

from torr_plugin.running import Run
from torr_plugin.running.store.shards import list_shards

from ...timing import PATIENCE, until
from ..kills.study import PLUGIN
from .conftest import ARGUMENTS, STARTING

pytestmark = pytest.mark.full

REQUESTS = 3 * 35
CONTEXT = 4096  # one of the prompts is longer
TOO_LONG = "the prompt has "


class Terminal:
    """A terminal of its own with ``torr run`` in its foreground."""

    def __init__(self, model: Path, folder: Path, *more: str) -> None:
        self.run = folder / "run"
        arguments = json.dumps(
            {"pretrained": str(model), **ARGUMENTS, "max_model_len": CONTEXT, "max_num_seqs": 2}
        )
        paths = (str(PLUGIN), os.environ.get("PYTHONPATH"))
        self._ours, theirs = pty.openpty()
        self.output = (folder / "stdout").open("w+")
        self._errors = folder / "stderr"
        errors = self._errors.open("w")
        self.process = subprocess.Popen(
            [
                *(sys.executable, "-m", "torr_plugin.cli.app", "run", "quickstart", "--limit", "1"),
                *("--model", "vllm", "--model-args", arguments, "--out", str(self.run), *more),
            ],
            stdin=theirs,
            stdout=self.output,
            stderr=errors,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),  # noqa: PLW1509 - one thread here
            cwd=folder,
            # with this plugin every answer is stored at once
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))},
        )
        os.close(theirs)
        errors.close()

    def press_ctrl_c(self) -> None:
        os.write(self._ours, b"\x03")

    def ended(self) -> int:
        """Its exit code, waited for as long as it goes on saying something."""
        heard = None
        while (said := self.said()) != heard:
            heard = said
            with contextlib.suppress(subprocess.TimeoutExpired):
                return self.process.wait(PATIENCE)
        pytest.fail(f"it does not end; it says\n{said[-3000:]}")

    def said(self) -> str:
        return self._errors.read_text()

    def close(self) -> None:
        for child in self.children():
            child.kill()
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.output.close()
        os.close(self._ours)

    def children(self) -> list[psutil.Process]:
        try:
            return psutil.Process(self.process.pid).children(recursive=True)
        except psutil.NoSuchProcess:
            return []

    def rows(self) -> dict[str, dict[str, object]]:
        """What is stored, by key; fails where a key is stored twice."""
        while True:
            with contextlib.suppress(FileNotFoundError):  # shards were merged meanwhile
                return self._rows()

    def _rows(self) -> dict[str, dict[str, object]]:
        rows = [
            row
            for folder in (self.run / "predictions").glob("*")
            for path in [shard.path for shard in list_shards(folder)]
            for row in pq.read_table(path).to_pylist()
        ]
        found = {row["key"]: row for row in rows}
        assert len(found) == len(rows)
        return found


@pytest.fixture
def terminal(tiny: Path, tmp_path: Path) -> Iterator[Callable[..., Terminal]]:
    opened: list[Terminal] = []

    def start(*more: str) -> Terminal:
        opened.append(Terminal(tiny, tmp_path, *more))
        return opened[-1]

    yield start
    for each in opened:
        each.close()


def test_a_run_stopped_and_gone_on_with(terminal: Callable[..., Terminal]) -> None:
    """One test, for each start of vLLM takes half a minute."""
    first = terminal()
    until(lambda: first.rows() or first.process.poll() is not None, within=STARTING)
    before, children = first.rows(), first.children()
    assert before, first.said()
    assert any(os.getpgid(child.pid) != os.getpgid(first.process.pid) for child in children)
    first.press_ctrl_c()
    assert first.ended() == 130, first.said()
    assert "finishing what is in flight" in first.said()
    # Python's tracker of shared memory is a process of its own: it may complain of vLLM's after our last word
    own = [line for line in first.said().splitlines() if "resource_tracker" not in line]
    assert "run" in own[-1]  # how to go on
    assert "EngineDead" not in first.said()
    _, alive = psutil.wait_procs(children, timeout=PATIENCE)
    assert not [child.cmdline() for child in alive]
    stopped = first.rows()
    assert before.items() <= stopped.items()
    assert len(before) < len(stopped) < REQUESTS

    second = terminal("--json")
    assert second.ended() in (0, 1), second.said()
    rows = second.rows()
    assert stopped.items() <= rows.items()
    _whole(second, rows)


def _whole(terminal: Terminal, rows: dict[str, dict[str, object]]) -> None:
    """Every request has its answer, or the reason why it has none."""
    assert set(rows) == {request["key"] for request in _requests(terminal.run)}
    failed = [row for row in rows.values() if row["error"] is not None]
    assert 0 < len(failed) < len(rows)
    assert all(str(row["error"]).startswith(TOO_LONG) for row in failed)
    answered = [row for row in rows.values() if row["error"] is None]
    assert all(row["prompt_tokens"] and row["completion_tokens"] for row in answered)
    assert set(Counter(row["finish_reason"] for row in answered)) <= {"stop", "length"}
    terminal.output.seek(0)
    result = json.loads(terminal.output.read())  # nothing else is on stdout
    assert (result["requests"], result["failed"]) == (len(rows), len(failed))


def _requests(run: Path) -> list[dict[str, str]]:
    assert Run.open(run)
    found = [
        row
        for path in [shard.path for shard in list_shards(run / "requests")]
        for row in pq.read_table(path, columns=["key", "prompt"]).to_pylist()
    ]
    assert found
    return found
