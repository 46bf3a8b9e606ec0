"""``progress.json``: the state of the process that writes a run, for others to read at any time.

It has what the stored answers lack: the step of the study, rates, models that could not be loaded, notes. It
is optional: runs of an earlier version, or from Python, have none.
"""

from __future__ import annotations

import json
import os
import socket
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from ...core.atomic_files import write_atomically
from ...core.errors import RunError
from ..progress import Progress

WINDOW_SECONDS = 120.0


@dataclass
class Throughput:
    """Requests and tokens a second over the last two minutes.

    The answers of a batch came since the batch before. The start of the first batch is unknown, as a
    model may have waited for others; so a rate needs two batches.

    Attributes:
        now: seconds on a clock that only goes forward.
        window: seconds that count.
    """

    now: Callable[[], float] = time.monotonic
    window: float = WINDOW_SECONDS
    _batches: deque[tuple[float, int, int]] = field(default_factory=deque)

    def add(self, requests: int, tokens: int) -> None:
        """Record that requests were answered just now, with so many tokens."""
        self._batches.append((self.now(), requests, tokens))
        while len(self._batches) > 2 and self._batches[-1][0] - self._batches[1][0] >= self.window:
            self._batches.popleft()

    def a_second(self) -> tuple[float, float]:
        """Requests and tokens a second; 0 while unknown."""
        if len(self._batches) < 2:
            return 0.0, 0.0
        (began, _, _), *counted = self._batches
        seconds = max(self.now() - began, 1e-9)
        return sum(each[1] for each in counted) / seconds, sum(each[2] for each in counted) / seconds


@dataclass
class ModelProgress:
    """How far one model is: the numbers that are reported."""

    total: int
    done: int
    failed: int = 0
    tokens: int = 0
    rate: Throughput = field(default_factory=Throughput)

    def add(self, requests: int, failed: int, tokens: int) -> None:
        """Record that more requests are stored."""
        self.done += requests
        self.failed += failed
        self.tokens += tokens
        self.rate.add(requests, tokens)

    @property
    def seconds_left(self) -> float | None:
        """At the present rate; None while nothing is known, or nothing is left."""
        speed, _ = self.rate.a_second()
        left = self.total - self.done
        return left / speed if speed and left > 0 else None


PROGRESS_FILE = "progress.json"
SECONDS = 2.0
MOST_BYTES = 16_000_000

StudyStep = Literal["asking", "scoring", "analysing", "done"]


class RecordedProgress:
    """Reports to another progress, and every few seconds to the file.

    Args:
        directory: the run; it need not be there before the first model begins.
        shown: another progress to report to.
        seconds: between two writings.
    """

    def __init__(self, directory: Path, shown: Progress, *, seconds: float = SECONDS) -> None:
        self._directory, self._shown, self._seconds = directory, shown, seconds
        self._models: dict[str, ModelProgress] = {}
        self._step: StudyStep = "asking"
        self._unloaded: dict[str, str] = {}
        self._notes: list[str] = []
        self._next = 0.0

    def start(self, model: str, total: int, done: int) -> None:
        """See :class:`Progress`."""
        self._models[model] = ModelProgress(total, done)
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

    def step(self, step: StudyStep) -> None:
        """Report the next step of the study."""
        self._step = step
        self._write()

    def tell(self, *, unloaded: Mapping[str, str], notes: Sequence[str]) -> None:
        """Report models that could not be loaded, and notes."""
        self._unloaded, self._notes = dict(unloaded), list(notes)
        self._write()

    def _write(self) -> None:
        self._next = time.monotonic() + self._seconds
        content = {
            "host": socket.gethostname(),
            "pid": os.getpid(),
            "step": self._step,
            "models": {label: _model_record(each) for label, each in self._models.items()},
            "unloaded": self._unloaded,
            "notes": self._notes,
        }
        data = json.dumps(content, ensure_ascii=False).encode("utf-8", "replace")
        try:
            write_atomically(self._directory / PROGRESS_FILE, data)
        except RunError:  # for display only: the store reports a full disk
            return


def _model_record(each: ModelProgress) -> dict[str, Any]:
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
    """The contents of the file; empty where there is none that can be read."""
    path = directory / PROGRESS_FILE
    try:
        with path.open("rb") as file:
            content = json.loads(file.read(MOST_BYTES))
    except (OSError, ValueError, RecursionError):
        return {}
    return content if isinstance(content, dict) else {}
