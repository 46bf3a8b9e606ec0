"""What stands apart is out of the terminal's way and ends with its parent; tests/serial tries vLLM itself."""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import sys
import threading
import types
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from torr_plugin.running.engines import vllm
from torr_plugin.running.engines.vllm import EngineDeathWatch, run_engine_core, vllm_in_own_process_group

from ...timing import PATIENCE, until

PARENT = """
import multiprocessing, os, signal, sys, time
from torr_plugin.running.engines import vllm

def child():
    vllm._SECONDS_BETWEEN_CHECKS = 0.05
    vllm.lead_process_group()
    os.write(1, b"noise\\n")
    print(os.getpid(), file=open(sys.argv[1], "w"), flush=True)
    time.sleep(1000)

if __name__ == "__main__":
    signal.signal(signal.SIGINT, lambda *_: os.write(1, b"stopped\\n"))
    made = multiprocessing.get_context("spawn").Process(target=child)
    made.start()
    made.join()
"""


@pytest.fixture
def family(tmp_path: Path) -> Iterator[tuple[subprocess.Popen[bytes], psutil.Process]]:
    """A parent in a group of its own, and its child that stands apart."""
    script, number = tmp_path / "parent.py", tmp_path / "child"
    script.write_text(PARENT)
    parent = subprocess.Popen(
        [sys.executable, str(script), str(number)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    try:
        until(lambda: number.exists() and number.read_text().endswith("\n"))
        child = psutil.Process(int(number.read_text()))
        yield parent, child
        if alive(child):
            child.kill()
    finally:
        parent.kill()
        parent.communicate()


def alive(process: psutil.Process) -> bool:
    """Whether it is there; what has no parent any more may stay a zombie for ever, as in a container."""
    try:
        return process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def test_apart(family: tuple[subprocess.Popen[bytes], psutil.Process]) -> None:
    parent, child = family
    assert os.getpgid(child.pid) == child.pid
    os.killpg(parent.pid, signal.SIGINT)  # as a terminal's Ctrl-C
    assert parent.stdout is not None
    assert parent.stdout.readline() == b"stopped\n"  # and none of the child's noise
    assert alive(child)
    parent.kill()
    until(lambda: not alive(child))


class Core:
    """Stands in for vLLM's class of the engine's process."""

    ran: tuple[str, ...] = ()

    @staticmethod
    def run_engine_core(*args: str) -> None:
        Core.ran = args


@pytest.fixture
def _vllm(monkeypatch: pytest.MonkeyPatch) -> None:
    module = types.ModuleType("vllm.v1.engine.core")
    module.EngineCoreProc = Core  # type: ignore[attr-defined]
    for name in ("vllm", "vllm.v1", "vllm.v1.engine"):
        monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
    monkeypatch.setitem(sys.modules, "vllm.v1.engine.core", module)
    monkeypatch.setattr(vllm, "lead_process_group", lambda: None)


@pytest.mark.usefixtures("_vllm")
def test_vllms_own_function_is_run_and_put_back() -> None:
    own = Core.__dict__["run_engine_core"]
    with vllm_in_own_process_group():
        assert Core.run_engine_core is run_engine_core
        Core.run_engine_core("forked")  # a forked child has our function in the class
        assert Core.ran == ("forked",)
    assert Core.__dict__["run_engine_core"] is own
    run_engine_core("spawned")  # a spawned one imports vLLM as it is
    assert Core.ran == ("spawned",)


class Resources:
    engine_dead = False


class Client:
    def __init__(self) -> None:
        self.resources, self.outputs_queue = Resources(), queue.Queue[Exception]()


class EngineDeadError(Exception):
    pass


def test_a_caller_that_waits_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    module = types.ModuleType("vllm.v1.engine.exceptions")
    module.EngineDeadError = EngineDeadError  # type: ignore[attr-defined]
    for name in ("vllm", "vllm.v1", "vllm.v1.engine"):
        monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
    monkeypatch.setitem(sys.modules, "vllm.v1.engine.exceptions", module)
    monkeypatch.setattr(vllm, "_SECONDS_BETWEEN_CHECKS", 0.01)
    client = Client()
    watch = EngineDeathWatch(types.SimpleNamespace(engine_core=client))
    client.resources.engine_dead = True
    assert isinstance(client.outputs_queue.get(timeout=PATIENCE), EngineDeadError)
    watch.close()


def test_an_engine_of_another_make_is_not_watched() -> None:
    before = threading.active_count()
    EngineDeathWatch(types.SimpleNamespace()).close()
    assert threading.active_count() == before
