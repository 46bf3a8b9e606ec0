"""The progress of a run while it works, its file ``progress.json`` for other processes, and its summary.

The file has what the stored answers lack: the step of the study, rates, models that could not be loaded,
notes. It is optional: runs of an earlier version, or from Python, have none.
"""

from __future__ import annotations

import json
import os
import socket
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ..core.atomic_files import write_atomically
from ..core.errors import RunError


@dataclass(frozen=True, slots=True)
class RunSummary:
    """The result of a run, over all models and including earlier attempts.

    Attributes:
        run: the run directory.
        requests: distinct requests, times models, including those that follow from answers so far.
        answered: requests with a prediction.
        failed: requests with an error, which are kept, and repeated only with ``retry_failed``.
        seconds: wall-clock time of this attempt.
        notes: what was found in the directory, and repaired or left as it is, a line each.
        unloaded: models that could not be loaded or broke, with the reason; their open requests are neither
            ``answered`` nor ``failed``.
        reused: answers taken from earlier runs in this attempt.
    """

    run: Path
    requests: int
    answered: int
    failed: int
    seconds: float
    notes: tuple[str, ...] = ()
    unloaded: Mapping[str, str] = field(default_factory=dict)
    reused: int = 0


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
    """How far one model is: ``asked`` in this attempt, ``unloaded`` if it cannot be asked, and why."""

    total: int
    done: int
    failed: int = 0
    asked: int = 0
    unloaded: str | None = None
    ended: bool = False
    rate: Throughput = field(default_factory=Throughput)

    def add(self, requests: int, failed: int, tokens: int) -> None:
        """Record that more requests are stored."""
        self.done += requests
        self.asked += requests
        self.failed += failed
        self.rate.add(requests, tokens)

    @property
    def seconds_left(self) -> float | None:
        """At the present rate; None while nothing is known, or nothing is left."""
        speed, _ = self.rate.a_second()
        left = self.total - self.done
        return left / speed if speed and left > 0 else None

    def record(self) -> ModelRecord:
        """What the file has of it."""
        requests, tokens = self.rate.a_second()
        return ModelRecord.model_construct(
            total=self.total,
            rate=round(requests, 3),
            token_rate=round(tokens, 3),
            seconds_left=self.seconds_left,
        )


class Progress:
    """Shows how far models are, in the process that stores the answers, where several may be asked at once.

    This one shows nothing.
    """

    def show(self, model: str, each: ModelProgress) -> None:
        """Called when a model begins, with answers that were stored, when it breaks and when it ends."""


PROGRESS_FILE = "progress.json"
SECONDS = 2.0
MOST_BYTES = 16_000_000

StudyStep = Literal["asking", "scoring", "analysing", "done"]
Number: TypeAlias = Annotated[float, Field(ge=0, le=1e15, allow_inf_nan=False)]
Count: TypeAlias = Annotated[int, Field(ge=0, le=10**15)]


class ModelRecord(BaseModel):
    """One model in the file; rates are per second."""

    model_config = ConfigDict(strict=True)

    total: Count
    rate: Number
    token_rate: Number
    seconds_left: Number | None


class ProgressRecord(BaseModel):
    """The file's contents; the defaults are those of a run without one."""

    model_config = ConfigDict(strict=True)

    host: str = ""
    pid: int = 0
    step: StudyStep = "asking"
    models: dict[str, ModelRecord] = Field(default_factory=dict)
    unloaded: dict[str, str] = Field(default_factory=dict)
    notes: list[str] = Field(default_factory=list)

    @property
    def writer(self) -> tuple[str, int] | None:
        """Host and process number of who wrote it."""
        return (self.host, self.pid) if self.host else None


class RecordedProgress(Progress):
    """Reports to another progress, and every few seconds to the file.

    Args:
        directory: the run; it need not be there before the first model begins.
        shown: another progress to report to.
        seconds: between two writings.

    Attributes:
        models: those that began, by label.
    """

    def __init__(self, directory: Path, shown: Progress, *, seconds: float = SECONDS) -> None:
        self.models = dict[str, ModelProgress]()
        self._directory, self._shown, self._seconds = directory, shown, seconds
        self._record = ProgressRecord.model_construct(host=socket.gethostname(), pid=os.getpid())
        self._next = time.monotonic()

    def show(self, model: str, each: ModelProgress) -> None:
        """Show it, and write the file where that is due."""
        self.models[model] = each
        self._shown.show(model, each)
        if not each.asked or each.ended or each.unloaded or time.monotonic() >= self._next:
            self._write()

    def step(self, step: StudyStep) -> None:
        """Report the next step of the study."""
        self._record.step = step
        self._write()

    def report(self, notes: Sequence[str]) -> None:
        """Report notes."""
        self._record.notes = list(notes)
        self._write()

    def _write(self) -> None:
        self._next = time.monotonic() + self._seconds
        self._record.models = {label: each.record() for label, each in self.models.items()}
        unloaded = {label: each.unloaded for label, each in self.models.items() if each.unloaded}
        self._record.unloaded = unloaded
        data = json.dumps(self._record.model_dump(), ensure_ascii=False).encode("utf-8", "replace")
        with suppress(RunError):  # for display only: the store reports a full disk
            write_atomically(self._directory / PROGRESS_FILE, data)


def read_progress(directory: Path) -> ProgressRecord:
    """The contents of the file; the defaults where there is none that can be read."""
    try:
        with (directory / PROGRESS_FILE).open("rb") as file:
            return ProgressRecord.model_validate_json(file.read(MOST_BYTES))
    except (OSError, ValidationError):
        return ProgressRecord()
