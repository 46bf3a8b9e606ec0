"""How a run tells how far it is.

MERGED: What a run came to.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol


class Progress(Protocol):
    """Called in the process that stores the answers; several models may be under way at once."""

    def start(self, model: str, total: int, done: int) -> None:
        """A model begins: ``done`` of ``total`` unique requests were answered in an earlier run."""

    def grow(self, model: str, n: int) -> None:
        """``n`` more requests are to be asked: they follow from answers."""

    def advance(self, model: str, n: int, failed: int, tokens: int = 0) -> None:
        """``n`` more requests are stored, ``failed`` of them with an error; their answers have ``tokens``."""

    def finish(self, model: str) -> None:
        """A model is asked nothing more."""


class NoProgress:
    """Tells nothing."""

    def start(self, model: str, total: int, done: int) -> None:
        """Nothing."""

    def grow(self, model: str, n: int) -> None:
        """Nothing."""

    def advance(self, model: str, n: int, failed: int, tokens: int = 0) -> None:
        """Nothing."""

    def finish(self, model: str) -> None:
        """Nothing."""


@dataclass(frozen=True, slots=True)
class RunSummary:
    """What a run came to, over all models and over earlier attempts.

    Attributes:
        run: the run directory.
        requests: different requests, times models; those that follow from answers are among them, as far as
            the answers before them came.
        answered: those with a prediction.
        failed: those with an error; they are kept, and asked again only if that is wished.
        seconds: wall-clock time of this attempt.
        notes: what was found in the directory and mended or left alone, a line each.
        unloaded: models that could not be loaded or broke, with the reason; what they were not asked is
            missing from ``answered`` and ``failed``.
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
