"""A run that was interrupted.

MERGED: Stopping a run: the first Ctrl-C or SIGTERM lets what is in flight finish, the second ends it at once.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from .pending_request import PendingRequest, RequestSource


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during a run: what was answered is stored in ``run``, and the same command resumes."""

    def __init__(self, run: Path) -> None:
        self.run = run
        super().__init__(f"what was answered is kept in {run}")


SIGNALS = (signal.SIGINT, signal.SIGTERM)
FINISHING = "finishing what is in flight; again to stop at once"


class StopRequest:
    """The wish that a run ends soon; once there, it stays."""

    def __init__(self) -> None:
        self._requested = False

    @property
    def requested(self) -> bool:
        """Whether somebody asked for it."""
        return self._requested

    def request(self) -> None:
        """Ask for it."""
        self._requested = True


class StoppableSource:
    """A source that gives nothing more, and is done, once a stop is requested."""

    def __init__(self, source: RequestSource, stop: StopRequest) -> None:
        self._source, self._stop = source, stop

    def take(self, most: int) -> list[PendingRequest]:
        """The source's next requests."""
        return [] if self._stop.requested else self._source.take(most)

    @property
    def done(self) -> bool:
        """Whether no request will come any more."""
        return self._stop.requested or self._source.done

    @property
    def stopped(self) -> bool:
        """Whether the run is to stop: what waits inside an engine is not asked any more."""
        return self._stop.requested


@contextmanager
def stoppable(say: Callable[[str], object]) -> Iterator[StopRequest]:
    """While it is open, the first SIGINT (Ctrl-C) or SIGTERM (a scheduler's warning) requests a stop.

    The second raises :class:`KeyboardInterrupt`. Signals reach the main thread alone; in another one nothing
    is changed.

    Args:
        say: told once, when the stop is requested.
    """
    stop = StopRequest()
    if threading.current_thread() is not threading.main_thread():
        yield stop
        return

    def received(number: int, frame: object) -> None:
        if stop.requested:
            raise KeyboardInterrupt
        stop.request()
        _tell(say)

    before = {number: signal.signal(number, received) for number in SIGNALS}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, _restorable(handler))


def _tell(say: Callable[[str], object]) -> None:
    """Say it in a signal's handler, where the stream may be in the midst of another line."""
    try:
        say(FINISHING)
    except RuntimeError:  # "reentrant call" of the stream's buffer, which a handler must not wait for
        with suppress(OSError):
            os.write(2, f"{FINISHING}\n".encode())


def _restorable(handler: Any) -> Any:
    return signal.SIG_DFL if handler is None else handler  # None: set by C, not known to Python
