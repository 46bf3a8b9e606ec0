"""What we change in vLLM: fails where a release has moved it; tests/serial tries vLLM itself."""

from __future__ import annotations

import importlib.util
import inspect
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from importlib import metadata
from pathlib import Path
from typing import Any

import psutil
import pytest

from torr_plugin.running.engines import vllm_patches
from torr_plugin.running.engines.vllm_patches import patched_vllm, run_engine_core

from ...conftest import missing
from ...timing import until

PARENT = """
import multiprocessing, os, signal, sys, time
from torr_plugin.running.engines import vllm_patches

def child():
    vllm_patches._SECONDS_BETWEEN_CHECKS = 0.05
    vllm_patches.lead_process_group()
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


@pytest.fixture
def core() -> Any:
    """vLLM's class of the engine's process."""
    if importlib.util.find_spec("vllm") is None:
        missing("vLLM is not installed: tox -e full has it")
    with patched_vllm():
        return importlib.import_module("vllm.v1.engine.core").EngineCoreProc


@pytest.mark.full
@pytest.mark.filterwarnings("default")
def test_the_places_that_are_patched_are_there(core: Any) -> None:
    """What is changed in vLLM and read of it; tests/serial/vllm shows that it still does what we need."""
    with patched_vllm():
        from lm_eval.models import vllm_causallms
    from vllm.v1.engine import core_client, utils

    own = core.__dict__["run_engine_core"]
    assert isinstance(own, staticmethod)
    kinds = [parameter.kind.name for parameter in inspect.signature(own).parameters.values()]
    assert {kinds[0], kinds[-1]} == {"VAR_POSITIONAL", "VAR_KEYWORD"}
    assert "target=EngineCoreProc.run_engine_core" in inspect.getsource(utils)
    assert core_client.BackgroundResources.engine_dead is False
    client = inspect.getsource(core_client.SyncMPClient)
    assert "self.outputs_queue = queue.Queue" in client
    assert "if isinstance(outputs, Exception):" in client
    assert 'version("vllm")' in inspect.getsource(vllm_causallms)


@pytest.mark.full
@pytest.mark.filterwarnings("default")
def test_what_is_changed_is_put_back(core: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vllm_patches, "installed_version", {"vllm": "0.32.0+cpu"}.get)
    for name in ("VLLM_LOGGING_STREAM", "VLLM_NO_USAGE_STATS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("VLLM_LOGGING_LEVEL", "DEBUG")
    found, own = metadata.version, core.__dict__["run_engine_core"]
    with patched_vllm():
        assert core.run_engine_core is run_engine_core
        assert metadata.version("vllm") == "0.32.0+cpu"
        with pytest.raises(metadata.PackageNotFoundError):
            metadata.version("not-a-package-at-all")
        assert os.environ["VLLM_LOGGING_STREAM"] == "ext://sys.stderr"
        assert os.environ["VLLM_NO_USAGE_STATS"] == "1"
        assert os.environ["VLLM_LOGGING_LEVEL"] == "DEBUG"  # the user's wish
    assert (metadata.version, core.__dict__["run_engine_core"]) == (found, own)


@pytest.mark.full
@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("forked", [False, True])
def test_vllms_own_function_is_run_in_the_child(
    forked: bool, core: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A forked child has our function in vLLM's class; a spawned one imports vLLM as it is."""
    ran = list[str]()
    monkeypatch.setattr(vllm_patches, "lead_process_group", lambda: None)
    monkeypatch.setattr(core, "run_engine_core", staticmethod(ran.append))
    with patched_vllm() if forked else nullcontext():
        run_engine_core("begun")
    assert ran == ["begun"]
