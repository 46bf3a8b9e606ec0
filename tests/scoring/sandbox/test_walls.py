"""Starting, losing and refusing sandboxes."""

from __future__ import annotations

import importlib.util
import os
import shutil
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest

from torr_plugin.core.errors import SandboxError
from torr_plugin.scoring import metrics
from torr_plugin.scoring.sandbox import ChartLimits, ChartSandbox, shared_sandbox
from torr_plugin.scoring.sandbox import sandbox as launching

from ...conftest import ROOT, missing
from ...timing import PATIENCE, until

pytestmark = pytest.mark.full

CHART = "import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()"
FACTS = {"chart_type": "LineChart Generation"}


def lose(sandbox: ChartSandbox) -> None:
    """Kill the sandbox's idle worker."""
    os.kill(sandbox._warm.pid, signal.SIGKILL)


def is_gone(pid: int) -> bool:
    """Whether a process has ended."""
    return not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE


def test_a_lost_worker_is_replaced_and_its_chart_run_again(sandbox: ChartSandbox) -> None:
    sandbox.check()
    lose(sandbox)
    assert sandbox.run(CHART).values["line"] == (1, 2)


def test_a_worker_lost_in_the_middle_of_a_chart(sandbox: ChartSandbox) -> None:
    sandbox.check()
    worker = psutil.Process(sandbox._warm.pid)
    idle = len(worker.children(recursive=True))
    with ThreadPoolExecutor(1) as pool:
        run = pool.submit(sandbox.run, "import time\ntime.sleep(3)\n" + CHART)
        until(lambda: len(worker.children(recursive=True)) > idle)
        os.kill(worker.pid, signal.SIGKILL)
        assert not run.done()
        assert run.result().values["line"] == (1, 2)
    assert sandbox._warm.pid != worker.pid


def test_a_worker_that_stops_answering_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    with ChartSandbox(limits=ChartLimits(seconds=PATIENCE)) as sandbox:
        sandbox.check()
        stopped = sandbox._warm
        psutil.Process(stopped.pid).children(recursive=True)[0].suspend()
        monkeypatch.setattr("torr_plugin.scoring.sandbox.sandbox._GRACE", 1 - PATIENCE)
        asked = ChartLimits(seconds=PATIENCE)
        with pytest.raises(launching._LostError):
            launching._ask(stopped, asked, CHART, b"")
        monkeypatch.undo()
        assert sandbox.run(CHART).values["line"] == (1, 2)
        assert stopped.returncode == -signal.SIGKILL


def test_processor_time_ends_before_the_clock() -> None:
    limits = ChartLimits(seconds=PATIENCE, processor_seconds=1)
    with ChartSandbox(limits=limits) as sandbox:
        run = sandbox.run("import signal\nsignal.signal(signal.SIGXCPU, signal.SIG_IGN)\nwhile True: pass")
    assert run.error == "the program was ended by the signal SIGKILL"


def test_nothing_outlives_its_sandbox(sandbox: ChartSandbox) -> None:
    sandbox.check()
    pid = sandbox._warm.pid
    sandbox.close()
    until(lambda: is_gone(pid))


def test_a_chart_shares_no_memory_with_its_worker(sandbox: ChartSandbox) -> None:
    sandbox.check()
    worker = psutil.Process(sandbox._warm.pid).children(recursive=True)[0]
    maps = Path(f"/proc/{worker.pid}/maps").read_text()
    assert "libpython" in maps or "python" in maps
    assert [line for line in maps.splitlines() if line.split()[1].startswith("rw-s")] == []


def test_a_worker_ends_when_we_are_killed(tmp_path: Path) -> None:
    script = (
        "import sys, time\nfrom torr_plugin.scoring.sandbox import ChartSandbox\n"
        "s = ChartSandbox()\ns.check()\nprint(s._warm.pid, flush=True)\n"
        "s.run('while True: pass')"
    )
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        worker = int(process.stdout.readline())
        process.kill()
    until(lambda: is_gone(worker))


@pytest.fixture
def without_namespaces(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A system whose bwrap fails as it does in most containers."""
    path = tmp_path / "bwrap"
    path.write_text('#!/bin/sh\necho "bwrap: No permissions to create new namespace" >&2\nexit 1\n')
    path.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("torr_plugin.scoring.sandbox.sandbox._sandbox_of", lambda *_: ChartSandbox())


def test_without_namespaces_it_refuses_in_one_line(without_namespaces: None) -> None:
    with pytest.raises(SandboxError) as caught:
        metrics.get("charts").scores("", ["[1]"], FACTS)  # type: ignore[call-arg]
    assert str(caught.value) == (
        "charts: no sandbox here (bwrap: bwrap: No permissions to create new namespace), so that a program "
        "written by a model could read and change your files, reach your other programs, and use up the "
        "machine; expected Linux with bubblewrap and namespaces"
    )


@pytest.mark.parametrize(
    ("machine", "reason"),
    [
        ("Darwin", "not on Linux"),
        ("riscv64", "no filter of system calls"),
    ],
)
def test_other_systems_say_what_is_missing(
    monkeypatch: pytest.MonkeyPatch, machine: str, reason: str
) -> None:
    if machine == "Darwin":
        monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setattr("platform.machine", lambda: machine)
    with pytest.raises(SandboxError, match=reason), ChartSandbox() as sandbox:
        sandbox.check()


def test_a_missing_extra_is_named_with_its_command(monkeypatch: pytest.MonkeyPatch) -> None:
    real = importlib.util.find_spec
    monkeypatch.setattr(
        "importlib.util.find_spec", lambda name, *rest: None if name == "matplotlib" else real(name, *rest)
    )
    with pytest.raises(SandboxError) as caught, ChartSandbox() as sandbox:
        sandbox.check()
    assert str(caught.value) == (
        "charts: programs that models write need matplotlib, which is not installed: "
        "pip install '.[charts]' in a checkout of torr-plugin"
    )


ORDINARY = """\
import sys
from torr_plugin.scoring.sandbox import ChartSandbox
with ChartSandbox() as sandbox:
    run = sandbox.run("import os, matplotlib.pyplot as plt; plt.plot([os.getpid()])")
    assert run.values["line"] == (1,), run
    for attack in ("open('/tmp/../etc/passwd')", "os.fork()", "os.kill(2, 9)", "open('/x', 'w')"):
        assert sandbox.run("import os\\n" + attack).error, attack
print("contained")
"""


def test_ordinary_users_have_it_too() -> None:
    """As a user without privileges, in a namespace of users: files stay readable, whoever runs the tests."""
    if shutil.which("bwrap") is None:
        missing("bwrap is not installed")
    command = ["bwrap", "--unshare-user", "--uid", "1000", "--gid", "1000", "--dev-bind", "/", "/", "--"]
    done = subprocess.run(
        [*command, sys.executable, "-c", ORDINARY], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.stdout == "contained\n", done.stderr


def test_root_that_no_limit_of_threads_binds_can_start_none() -> None:
    with ChartSandbox() as sandbox:
        run = sandbox.run(f"import threading\nthreading.Thread(target=print).start()\n{CHART}")
        assert run.error == ("RuntimeError: can't start new thread" if os.geteuid() == 0 else "")
        assert sandbox.run(CHART).values["line"] == (1, 2)


def test_a_process_shares_one_sandbox_and_a_forked_one_makes_its_own() -> None:
    assert shared_sandbox() is shared_sandbox()
    shared_sandbox().check()
    mine = shared_sandbox()._warm.pid
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        try:
            found = shared_sandbox()
            run = found.run(CHART)
            other = found._warm.pid
            found.close()
            os.write(writing, b"good" if run.ran and other != mine else b"bad")
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    assert os.read(reading, 9) == b"good"
    assert shared_sandbox().run(CHART).ran
    assert shared_sandbox()._warm.pid == mine
