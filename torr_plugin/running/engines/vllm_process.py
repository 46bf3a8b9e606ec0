"""vLLM's own processes: safe from the terminal's Ctrl-C, ended with this process, noticed when they die.

vLLM computes in a child process. Ctrl-C in a terminal reaches every process of the foreground group, and
vLLM's would end at once, with all requests in flight; so the child and its workers get a process group of
their own. A child whose parent was killed does not notice while it waits for requests; so it checks.

vLLM raises ``EngineDeadError`` if the process reports its own failure. One that was killed (out of memory)
reports nothing: vLLM's monitor thread notices, yet a caller that waits for output keeps waiting. So a thread
of ours puts the error into the queue where the caller waits.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from multiprocessing import parent_process
from typing import Any

_SECONDS_BETWEEN_CHECKS = 1.0
# vLLM's function while ours replaces it; a forked child finds it here
_vllms: list[Any] = []


@contextmanager
def vllm_in_own_process_group(model: str) -> Iterator[None]:
    """Let the engine processes that vLLM starts lead their own process group; for other models do nothing."""
    core = _engine_core() if model.startswith("vllm") else None
    if core is None:
        yield
        return
    found = core.__dict__["run_engine_core"]
    _vllms.append(core.run_engine_core)
    core.run_engine_core = staticmethod(run_engine_core)
    try:
        yield
    finally:
        core.run_engine_core = found
        _vllms.pop()


def _engine_core() -> Any:
    try:
        from vllm.v1.engine.core import EngineCoreProc
    except ImportError:  # not installed (reported elsewhere), or another version
        return None
    return EngineCoreProc if hasattr(EngineCoreProc, "run_engine_core") else None


def run_engine_core(*args: Any, **kwargs: Any) -> None:
    """Replaces vLLM's function of this name in its child process, and calls it."""
    lead_process_group()
    if _vllms:
        _vllms[-1](*args, **kwargs)
        return
    from vllm.v1.engine.core import EngineCoreProc

    EngineCoreProc.run_engine_core(*args, **kwargs)


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


class EngineDeathWatch:
    """Watches one engine process until closed."""

    def __init__(self, core: Any) -> None:
        client: Any = getattr(core, "engine_core", None)
        self._resources: Any = getattr(client, "resources", None)
        self._outputs: Any = getattr(client, "outputs_queue", None)
        self._closed = threading.Event()
        if hasattr(self._resources, "engine_dead") and hasattr(self._outputs, "put_nowait"):
            threading.Thread(target=self._watch, daemon=True, name="torr-engine-watch").start()

    def close(self) -> None:
        """Stop watching."""
        self._closed.set()

    def _watch(self) -> None:
        while not self._closed.wait(_SECONDS_BETWEEN_CHECKS):
            if self._resources.engine_dead:
                from vllm.v1.engine.exceptions import EngineDeadError

                self._outputs.put_nowait(EngineDeadError())
                return
