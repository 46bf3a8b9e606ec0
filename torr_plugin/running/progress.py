"""How a run tells how far it is."""

from __future__ import annotations

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


class Silent:
    """Tells nothing."""

    def start(self, model: str, total: int, done: int) -> None:
        """Nothing."""

    def grow(self, model: str, n: int) -> None:
        """Nothing."""

    def advance(self, model: str, n: int, failed: int, tokens: int = 0) -> None:
        """Nothing."""

    def finish(self, model: str) -> None:
        """Nothing."""
