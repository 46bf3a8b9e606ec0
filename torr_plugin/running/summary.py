"""What a run came to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Summary:
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
