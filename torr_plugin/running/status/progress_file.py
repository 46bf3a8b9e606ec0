"""``progress.json``: what the process that writes a run says of itself, for others to read at any time.

It holds what the stored answers cannot tell: the step of the study, rates, models that could not be loaded,
notes. A run without it (of an earlier version, or asked from Python) is read all the same.
"""

from __future__ import annotations

import json
import os
import socket
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from ...core.atomic_files import write_atomically
from ...core.errors import RunError
from ..progress import Progress
from .rates import Advance

PROGRESS_FILE = "progress.json"
SECONDS = 2.0
MOST_BYTES = 16_000_000

Step = Literal["asking", "scoring", "analysing", "done"]


class RecordedProgress:
    """Tells another progress, and every few seconds the file.

    Args:
        directory: the run; it need not be there before the first model begins.
        shown: is told all the same.
        seconds: between two writings.
    """

    def __init__(self, directory: Path, shown: Progress, *, seconds: float = SECONDS) -> None:
        self._directory, self._shown, self._seconds = directory, shown, seconds
        self._models: dict[str, Advance] = {}
        self._step: Step = "asking"
        self._unloaded: dict[str, str] = {}
        self._notes: list[str] = []
        self._next = 0.0

    def start(self, model: str, total: int, done: int) -> None:
        """See :class:`Progress`."""
        self._models[model] = Advance(total, done)
        self._write()
        self._shown.start(model, total, done)

    def grow(self, model: str, n: int) -> None:
        """See :class:`Progress`."""
        self._shown.grow(model, n)
        self._models[model].total += n

    def advance(self, model: str, n: int, failed: int, tokens: int = 0) -> None:
        """See :class:`Progress`."""
        self._shown.advance(model, n, failed, tokens)
        self._models[model].add(n, failed, tokens)
        if time.monotonic() >= self._next:
            self._write()

    def finish(self, model: str) -> None:
        """See :class:`Progress`."""
        self._shown.finish(model)
        self._write()

    def step(self, step: Step) -> None:
        """The study goes on to another step."""
        self._step = step
        self._write()

    def tell(self, *, unloaded: Mapping[str, str], notes: Sequence[str]) -> None:
        """What was found while models were asked."""
        self._unloaded, self._notes = dict(unloaded), list(notes)
        self._write()

    def _write(self) -> None:
        self._next = time.monotonic() + self._seconds
        told = {
            "host": socket.gethostname(),
            "pid": os.getpid(),
            "step": self._step,
            "models": {label: _said(each) for label, each in self._models.items()},
            "unloaded": self._unloaded,
            "notes": self._notes,
        }
        data = json.dumps(told, ensure_ascii=False).encode("utf-8", "replace")
        try:
            write_atomically(self._directory / PROGRESS_FILE, data)
        except RunError:  # it is there to be looked at: a full disk is said by the store, whose answers count
            return


def _said(each: Advance) -> dict[str, Any]:
    requests, tokens = each.rate.a_second()
    left = each.seconds_left
    return {
        "total": each.total,
        "done": each.done,
        "failed": each.failed,
        "rate": round(requests, 3),
        "token_rate": round(tokens, 3),
        "seconds_left": None if left is None else round(left, 1),
    }


def read_progress(directory: Path) -> dict[str, Any]:
    """What the file says; nothing where there is none that can be read."""
    path = directory / PROGRESS_FILE
    try:
        with path.open("rb") as file:
            told = json.loads(file.read(MOST_BYTES))
    except (OSError, ValueError, RecursionError):
        return {}
    return told if isinstance(told, dict) else {}
