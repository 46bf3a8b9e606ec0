"""Interrupt a run: the first Ctrl-C or SIGTERM lets requests in flight finish, the second ends it at once."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from .pending_request import StopRequest

SIGNALS = (signal.SIGINT, signal.SIGTERM)
FINISHING = "finishing what is in flight; again to stop at once"


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during a run: what was answered is stored in ``run``, and the same command resumes it."""

    def __init__(self, run: Path) -> None:
        self.run = run
        super().__init__(f"what was answered is kept in {run}")


@contextmanager
def interruptible(run: Path) -> Iterator[None]:
    """Turn a :class:`KeyboardInterrupt` into an :class:`Interrupted` that names the directory."""
    try:
        yield
    except Interrupted:
        raise
    except KeyboardInterrupt:
        raise Interrupted(run) from None


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
