"""Programs that mean harm: each is contained, the next chart works, and the worker is the same as before."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

from torr_plugin.core.errors import SandboxError
from torr_plugin.scoring.sandbox import ChartLimits, ChartSandbox

from ...conftest import missing
from ...timing import PATIENCE, until
from .attacks import ATTACKS, TOO_LONG, Attack

pytestmark = pytest.mark.full

CHART = "import matplotlib.pyplot as plt\nplt.bar(['a', 'b'], [3, 4.5])\nplt.show()"
LIMITS = ChartLimits(seconds=PATIENCE, memory=1024 * 2**20)
ABSTRACT = f"torr-test-{os.getpid()}"  # tests may run beside others
HASTY = ChartLimits(seconds=2, memory=1024 * 2**20)


@dataclass
class Host:
    """What stands outside the sandbox and must stay as it is."""

    folder: Path
    listening: socket.socket
    reached: list[object]

    @property
    def port(self) -> int:
        return int(self.listening.getsockname()[1])


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    """A folder with a secret, a server on every address and one on an abstract name."""
    folder = tmp_path_factory.mktemp("secret")
    (folder / "TORR_SECRET").write_text("keep")
    reached: list[object] = []
    server = socket.create_server(("0.0.0.0", 0))
    abstract = socket.socket(socket.AF_UNIX)
    abstract.bind(f"\0{ABSTRACT}")
    abstract.listen()

    def accept(sock: socket.socket) -> None:
        while True:
            try:
                reached.append(sock.accept())
            except OSError:
                return

    for each in (server, abstract):
        threading.Thread(target=accept, args=(each,), daemon=True).start()
    yield Host(folder, server, reached)
    for each in (server, abstract):
        each.shutdown(socket.SHUT_RDWR)
        each.close()


@pytest.fixture(scope="module")
def sandboxes() -> Iterator[list[ChartSandbox]]:
    """One that gives programs time, and one for those that would take all of it."""
    if shutil.which("bwrap") is None:
        missing("bwrap is not installed")
    with pytest.MonkeyPatch.context() as patch, ExitStack() as opened:
        patch.setenv("TORR_TEST_SECRET", "keep")
        yield [opened.enter_context(ChartSandbox(limits=limits)) for limits in (LIMITS, HASTY)]


def processes(sandbox: ChartSandbox) -> set[int]:
    """The processes of the sandbox's worker, with the worker."""
    worker = psutil.Process(sandbox._warm.pid)
    return {worker.pid, *(child.pid for child in worker.children(recursive=True))}


@pytest.mark.parametrize("attack", ATTACKS, ids=[each.name for each in ATTACKS])
def test_an_attack(attack: Attack, sandboxes: list[ChartSandbox], host: Host) -> None:
    sandbox = sandboxes[TOO_LONG in attack.error]
    # a busy machine may take longer for an innocent chart than the hasty one gives it: then it is tried again
    until(lambda: starts(sandbox))
    until(lambda: len(processes(sandbox)) == 2)  # bubblewrap and the warm process
    before = processes(sandbox)
    program = attack.answer
    for name, place in (
        ("SECRET_FOLDER", host.folder),
        ("HOST_PORT", host.port),
        ("ABSTRACT_NAME", ABSTRACT),
    ):
        program = program.replace(name, str(place))
    run = sandbox.run(program, b"a workbook")
    assert "Breach" not in run.error
    assert re.match(attack.error, run.error) if attack.error else run.ran, run.error
    until(lambda: processes(sandbox) == before)
    until(lambda: sandbox.run(CHART).values.get("bar") == (3.0, 4.5))
    assert sorted(os.listdir(host.folder)) == ["TORR_SECRET"]
    assert host.reached == []


def starts(sandbox: ChartSandbox) -> bool:
    """Whether its worker draws a first chart in time."""
    with suppress(SandboxError):
        sandbox.check()
        return True
    return False


def test_without_walls_attacks_get_through(host: Host) -> None:
    """What says that the others can fail."""
    chosen = [each for each in ATTACKS if each.name in ("files of ours", "seeing others", "devices")]
    assert len(chosen) == 3
    for attack in chosen:
        program = attack.answer.replace("SECRET_FOLDER", str(host.folder))
        bare = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
        assert "Breach" in bare.stderr, attack.name
