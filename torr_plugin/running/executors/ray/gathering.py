"""Answers on their way to the caller: kept some seconds, so that they are not stored in crumbs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...answer import Answer

SECONDS = 5.0
SOON = 0.2
MOST = 4096


class Gathered:
    """The answers of one model that were not given yet; the first are given at once."""

    def __init__(self) -> None:
        self._answers: list[Answer] = []
        self._since = -SECONDS

    def add(self, answers: Iterable[Answer]) -> None:
        """Take note of answers."""
        self._answers += answers

    def due(self, now: float, *, awaited: bool) -> Sequence[Answer]:
        """Those to be given now; sooner where something waits for them."""
        late = now - self._since >= (SOON if awaited else SECONDS)
        if not self._answers or not (late or len(self._answers) >= MOST):
            return ()
        return self.all(now)

    def all(self, now: float) -> Sequence[Answer]:
        """All of them."""
        found, self._answers, self._since = self._answers, [], now
        return found
