"""The progress of a run while it works, and its summary afterwards."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol


class Progress(Protocol):
    """Called in the process that stores the answers; several models may run at once."""

    def start(self, model: str, total: int, done: int) -> None:
        """A model begins: ``done`` of ``total`` unique requests were answered in an earlier run."""

    def grow(self, model: str, n: int) -> None:
        """``n`` more requests follow from answers."""

    def advance(self, model: str, n: int, failed: int, tokens: int = 0) -> None:
        """``n`` more answers are stored, ``failed`` of them errors; they have ``tokens`` in all."""

    def finish(self, model: str) -> None:
        """A model gets no more requests."""


class NoProgress:
    """Shows no progress."""

    def start(self, model: str, total: int, done: int) -> None:
        """Do nothing."""

    def grow(self, model: str, n: int) -> None:
        """Do nothing."""

    def advance(self, model: str, n: int, failed: int, tokens: int = 0) -> None:
        """Do nothing."""

    def finish(self, model: str) -> None:
        """Do nothing."""


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
