"""Whether a holder of a run's lock that cannot be seen from this host still gives signs of life."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from .holder import Holder
from .lock import TIMING, held_by


class SignsOfLife:
    """Looks at a run's lock again and again.

    A holder elsewhere counts up in its lock; one that has not done so for as long as another process waits
    before it takes the run over is gone. Nothing is known of it at the first look.

    Args:
        directory: the run.
        silence: so many seconds without a sign.
        now: seconds on a clock that only goes forward.
    """

    def __init__(
        self, directory: Path, silence: float = TIMING.silence, now: Callable[[], float] = time.monotonic
    ) -> None:
        self._directory, self._silence, self._now = directory, silence, now
        self._seen: dict[str, tuple[str, float]] = {}

    def writer(self) -> Holder | None:
        """Who writes the run now; None where nobody, or nobody that lives."""
        found = held_by(self._directory)
        self._seen = {holder.token: self._since(holder.token, text) for holder, text in found}
        living = (holder for holder, _ in found if self._lives(holder))
        return next(living, None)

    def _since(self, token: str, text: str) -> tuple[str, float]:
        """What stands in a lock, and since when it was seen to stand there."""
        before = self._seen.get(token)
        return before if before is not None and before[0] == text else (text, self._now())

    def _lives(self, holder: Holder) -> bool:
        if holder.alive is not None:
            return holder.alive
        return self._now() - self._seen[holder.token][1] < self._silence
