"""Where an executor gets a model's requests from."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import Protocol

from .asked import Asked


class Source(Protocol):
    """The requests that a model is to be asked, in the order in which they share beginnings.

    Answers may bring further requests (a strategy of several calls), so that there can be none for the
    moment and more later. A source that can be stopped has an attribute ``stopped`` besides, see
    :func:`stopped`.
    """

    def take(self, most: int) -> list[Asked]:
        """The next requests, at most so many; none where there is none for the moment, or none at all."""

    @property
    def done(self) -> bool:
        """Whether no request will come any more, whatever is answered; also when the run is to stop."""


def stopped(source: Source) -> bool:
    """Whether the run is to stop, so that what waits inside an engine is not asked any more."""
    return bool(getattr(source, "stopped", False))


class Listed:
    """A source of requests that are known beforehand."""

    def __init__(self, pending: Iterable[Asked]) -> None:
        self._pending = iter(pending)
        self._done = False

    def take(self, most: int) -> list[Asked]:
        """The next of them."""
        found = list(islice(self._pending, most))
        self._done = len(found) < most
        return found

    @property
    def done(self) -> bool:
        """Whether all were taken."""
        return self._done
