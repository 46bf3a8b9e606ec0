"""All that is changed in vLLM itself, or read of its insides; a test fails where that has moved.

vLLM computes in a child process. Ctrl-C in a terminal reaches every process of the foreground group, and
vLLM's would end at once, with all requests in flight; so the child and its workers get a process group of
their own. A child whose parent was killed does not notice while it waits for requests; so it checks. And a
child that was killed (out of memory) reports nothing: vLLM's monitor thread notices, yet a caller that waits
for output keeps waiting. So a thread of ours puts the error into the queue where the caller waits.
"""

from __future__ import annotations

import importlib.metadata
import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from multiprocessing import parent_process
from typing import Any

from ...core.versions import installed_version

# stdout is for results, stderr for the run's own progress, and no usage statistics are sent
_ENVIRONMENT = {
    "VLLM_LOGGING_STREAM": "ext://sys.stderr",
    "VLLM_LOGGING_LEVEL": "WARNING",
    "VLLM_NO_USAGE_STATS": "1",
}
_SECONDS_BETWEEN_CHECKS = 1.0
# vLLM's function while ours replaces it; a forked child finds it here
_vllms: list[Any] = []


@contextmanager
def patched_vllm() -> Iterator[None]:
    """As lm-eval's class is imported and as it makes an engine, whose processes lead their own process group.

    vLLM's environment is set, unless it is set, and its build for CPUs is found by the usual name.
    """
    for name, value in _ENVIRONMENT.items():
        os.environ.setdefault(name, value)
    version, importlib.metadata.version = importlib.metadata.version, _version
    try:
        from vllm.v1.engine.core import EngineCoreProc

        own = EngineCoreProc.__dict__["run_engine_core"]
        _vllms.append(EngineCoreProc.run_engine_core)
        EngineCoreProc.run_engine_core = staticmethod(run_engine_core)
        try:
            yield
        finally:
            EngineCoreProc.run_engine_core = own
            _vllms.pop()
    finally:
        importlib.metadata.version = version


def _version(distribution_name: str) -> str:
    """A package's version; vLLM's also where its build for CPUs is installed, which has another name."""
    if (found := installed_version(distribution_name)) is None:
        raise importlib.metadata.PackageNotFoundError(distribution_name)
    return found


def run_engine_core(*args: Any, **kwargs: Any) -> None:
    """Replaces vLLM's function of this name in its child process, and calls it."""
    lead_process_group()
    from vllm.v1.engine.core import EngineCoreProc

    (_vllms[-1] if _vllms else EngineCoreProc.run_engine_core)(*args, **kwargs)


def lead_process_group() -> None:
    """Lead a new process group that ends with the parent process, and send stdout to stderr."""
    with suppress(OSError):
        os.setpgid(0, 0)
    with suppress(OSError):
        os.dup2(2, 1)  # stdout is for results
    parent = parent_process()
    if parent is not None and parent.pid is not None:
        threading.Thread(target=_end_with, args=(parent.pid,), daemon=True, name="torr-parent").start()


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_SECONDS_BETWEEN_CHECKS)
    if os.getpgid(0) == os.getpid():
        os.killpg(0, signal.SIGKILL)
    os.kill(os.getpid(), signal.SIGKILL)


def watch_for_death(engine: Any) -> threading.Event:
    """Tell a caller who waits for output that the engine's process is dead, until the event is set."""
    client: Any = getattr(engine, "engine_core", None)
    closed = threading.Event()
    if hasattr(client, "resources"):  # an engine in this process has none
        threading.Thread(target=_watch, args=(client, closed), daemon=True, name="torr-engine-watch").start()
    return closed


def _watch(client: Any, closed: threading.Event) -> None:
    from vllm.v1.engine.exceptions import EngineDeadError

    while not closed.wait(_SECONDS_BETWEEN_CHECKS):
        if client.resources.engine_dead:
            client.outputs_queue.put_nowait(EngineDeadError())
            return
