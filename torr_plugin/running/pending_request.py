"""Requests that wait for an answer, where an executor gets them from, and how that is stopped."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    from ..prompts.message import Prompt


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


class ListedRequests:
    """A source of requests that are known beforehand."""

    stopped = False

    def __init__(self, pending: Iterable[PendingRequest]) -> None:
        self._pending = iter(pending)
        self.done = False

    def take(self, most: int) -> list[PendingRequest]:
        """The next requests."""
        found = list(islice(self._pending, most))
        self.done = len(found) < most
        return found


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
