"""vLLM's process dies: what it answered is kept, and it is said. Last of the tests that share an engine."""

from __future__ import annotations

import os
import signal

import psutil
import pytest

from torr_plugin.core.errors import EngineBrokenError
from torr_plugin.running.model import Model
from torr_plugin.running.pending_request import ListedRequests

from .test_engine import TEXTS, asked

pytestmark = [pytest.mark.vllm, pytest.mark.filterwarnings("default")]


def test_an_engine_that_was_killed_is_noticed(model: Model) -> None:
    """As the kernel does when memory runs out; the engine is gone then."""
    stream = model.stream(ListedRequests(asked([f"{n} {text}" for n in range(40) for text in TEXTS])))
    found = next(stream)
    _kill_engine()
    with pytest.raises(EngineBrokenError, match="model 'tiny': its engine failed"):
        found += [answer for answers in stream for answer in answers]
    assert found
    assert all(each.error is None for each in found)


def _kill_engine() -> None:
    for child in psutil.Process().children(recursive=True):
        if child.status() == psutil.STATUS_ZOMBIE:  # the engine of an earlier test
            continue
        if "EngineCore" in child.name() or "EngineCore" in " ".join(child.cmdline()):
            os.kill(child.pid, signal.SIGKILL)
