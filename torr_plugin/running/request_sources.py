"""What a model is asked: requests, and where they come from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
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

    Attributes:
        pending: how many were open at first.
        refused: how many could not be made: none.
        is_exhausted: whether all are handed out.
    """

    refused = 0

    def __init__(
        self, pending: Iterable[PendingRequest], stop: StopRequest | None = None, *, answered: int = 0
    ) -> None:
        requests = list(pending)
        self._left, self.stop = iter(requests), stop or StopRequest()
        self.pending, self._known = len(requests), len(requests) + answered
        self.is_exhausted = False

    def __len__(self) -> int:
        """How many requests there are, those with an answer too."""
        return self._known

    def is_empty(self) -> bool:
        """Whether all were answered before."""
        return not self.pending

    def answered(self, answers: Sequence[Answer]) -> None:
        """Answers were stored; nothing follows from them."""

    def take(self, most: int) -> list[PendingRequest]:
        """The next requests."""
        found = [] if self.stop.requested else list(islice(self._left, most))
        self.is_exhausted = len(found) < most
        return found

    @property
    def done(self) -> bool:
        """Whether no further request will come."""
        return self.is_exhausted or self.stopped

    @property
    def stopped(self) -> bool:
        """Whether a stop is requested, so that engines drop waiting requests."""
        return self.stop.requested
