"""Requests that wait for an answer, where an executor gets them from, and how that is stopped."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    from ..prompts.message import Prompt
    from .answer import Answer


class PendingRequest(NamedTuple):
    """A request's key and prompt.

    ``generation`` are the parameters in which it differs from the study: those of a strategy's step, e.g. its
    ``max_tokens``, and the ``seed`` of a prompt that is asked again; None where they are the study's.
    """

    key: str
    prompt: Prompt
    generation: Mapping[str, Any] | None = None


class RequestSource(Protocol):
    """The requests for a model, in an order in which neighbours share their beginnings.

    Answers may lead to further requests (a strategy of several calls), so there can be none now and more
    later.
    """

    def take(self, most: int) -> list[PendingRequest]:
        """The next requests, at most ``most``; empty where there are none, or none yet."""

    @property
    def done(self) -> bool:
        """Whether no further request will come, whatever the answers are, or the run stops."""

    @property
    def stopped(self) -> bool:
        """Whether the run stops, so that an engine drops the requests that it has not begun."""


class CountedSource(RequestSource, Protocol):
    """The requests of one model, with what is known of their number."""

    def __len__(self) -> int:
        """How many are known."""

    @property
    def refused(self) -> int:
        """How many requests that follow from answers could not be made."""

    @property
    def pending(self) -> int:
        """How many known requests are still open."""

    def is_empty(self) -> bool:
        """Whether there is nothing to ask, now or later, so that no model need be loaded."""

    def answered(self, answers: Sequence[Answer]) -> None:
        """Take answers that were stored, from which further requests may follow."""


@dataclass(slots=True)
class StopRequest:
    """Whether the run is to stop soon; once set, it stays set."""

    requested: bool = False


class ListedRequests:
    """A source of requests that are known beforehand; it is done as soon as a stop is requested.

    Args:
        pending: those that are open.
        stop: whether to stop.
        answered: how many others have an answer.
    """

    refused = 0

    def __init__(
        self, pending: Iterable[PendingRequest], stop: StopRequest | None = None, *, answered: int = 0
    ) -> None:
        requests = list(pending)
        self._left, self.stop = iter(requests), stop or StopRequest()
        self.pending, self._known = len(requests), len(requests) + answered
        self._ended = False

    def __len__(self) -> int:
        """How many requests there are, those with an answer too."""
        return self._known

    def is_empty(self) -> bool:
        """Whether all were answered before."""
        return not self.pending

    def answered(self, answers: Sequence[Answer]) -> None:
        """Nothing follows from answers."""

    def take(self, most: int) -> list[PendingRequest]:
        """The next requests."""
        found = [] if self.stop.requested else list(islice(self._left, most))
        self._ended = len(found) < most
        return found

    @property
    def done(self) -> bool:
        """Whether no further request will come."""
        return self._ended or self.stopped

    @property
    def stopped(self) -> bool:
        """Whether a stop is requested, so that engines drop waiting requests."""
        return self.stop.requested


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
