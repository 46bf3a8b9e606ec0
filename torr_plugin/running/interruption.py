"""Interrupt a run: the first Ctrl-C or SIGTERM lets requests in flight finish, the second ends it at once."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from .pending_request import PendingRequest, RequestSource

SIGNALS = (signal.SIGINT, signal.SIGTERM)
FINISHING = "finishing what is in flight; again to stop at once"


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during a run: what was answered is stored in ``run``, and the same command resumes it."""

    def __init__(self, run: Path) -> None:
        self.run = run
        super().__init__(f"what was answered is kept in {run}")


@dataclass(slots=True)
class StopRequest:
    """Whether the run is to stop soon; once set, it stays set."""

    requested: bool = False


class StoppableSource:
    """A source that is done as soon as a stop is requested."""

    def __init__(self, source: RequestSource, stop: StopRequest) -> None:
        self._source, self._stop = source, stop

    def take(self, most: int) -> list[PendingRequest]:
        """The source's next requests."""
        return [] if self._stop.requested else self._source.take(most)

    @property
    def done(self) -> bool:
        """Whether no further request will come."""
        return self._stop.requested or self._source.done

    @property
    def stopped(self) -> bool:
        """Whether a stop is requested, so that engines drop waiting requests."""
        return self._stop.requested


@contextmanager
def stoppable(say: Callable[[str], object]) -> Iterator[StopRequest]:
    """Turn the first SIGINT (Ctrl-C) or SIGTERM (a scheduler's warning) into a request to stop.

    The second raises :class:`KeyboardInterrupt`. Only the main thread receives signals; in any other thread
    this does nothing.

    Args:
        say: called once, with a message, when the stop is requested.
    """
    stop = StopRequest()
    if threading.current_thread() is not threading.main_thread():
        yield stop
        return

    def received(number: int, frame: object) -> None:
        if stop.requested:
            raise KeyboardInterrupt
        stop.requested = True
        _announce(say)

    before = {number: signal.signal(number, received) for number in SIGNALS}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)  # None: set by C code


def _announce(say: Callable[[str], object]) -> None:
    """Say it from a signal handler, which may interrupt another write to the same stream."""
    try:
        say(FINISHING)
    except RuntimeError:  # "reentrant call" of the stream's buffer
        with suppress(OSError):
            os.write(2, f"{FINISHING}\n".encode())
