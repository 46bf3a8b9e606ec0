"""The progress that a run reports, summed up."""

from __future__ import annotations

from torr_plugin.running.progress import Progress


class SummedProgress(Progress):
    def __init__(self) -> None:
        self.total = self.done = 0

    def start(self, model: str, total: int, done: int) -> None:
        self.total += total
        self.done += done

    def grow(self, model: str, n: int) -> None:
        self.total += n

    def advance(self, model: str, n: int, failed: int, tokens: int = 0) -> None:
        self.done += n
        assert self.done <= self.total
