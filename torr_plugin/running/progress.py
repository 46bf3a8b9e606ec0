"""How a run tells how far it is."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """Called in the process that stores the answers, a model after the other."""

    def start(self, model: str, total: int, done: int) -> None:
        """A model begins: ``done`` of ``total`` unique requests were answered in an earlier run."""

    def advance(self, model: str, n: int, failed: int) -> None:
        """``n`` more requests are stored, ``failed`` of them with an error."""

    def finish(self, model: str) -> None:
        """All requests of a model are stored."""


class Silent:
    """Tells nothing."""

    def start(self, model: str, total: int, done: int) -> None:
        """Nothing."""

    def advance(self, model: str, n: int, failed: int) -> None:
        """Nothing."""

    def finish(self, model: str) -> None:
        """Nothing."""
