"""One request as a model is asked it.

MERGED: Where an executor gets a model's requests from.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    from ..prompts.message import Prompt


class PendingRequest(NamedTuple):
    """A request's key and prompt.

    ``generation`` are the parameters in which a step of a strategy differs from the study, e.g. its
    ``max_tokens``; None where it has the study's.
    """

    key: str
    prompt: Prompt
    generation: Mapping[str, Any] | None = None


class RequestSource(Protocol):
    """The requests that a model is to be asked, in the order in which they share beginnings.

    Answers may bring further requests (a strategy of several calls), so that there can be none for the
    moment and more later. A source that can be stopped has an attribute ``is_stopped`` besides, see
    :func:`is_stopped`.
    """

    def take(self, most: int) -> list[PendingRequest]:
        """The next requests, at most so many; none where there is none for the moment, or none at all."""

    @property
    def done(self) -> bool:
        """Whether no request will come any more, whatever is answered; also when the run is to stop."""


def is_stopped(source: RequestSource) -> bool:
    """Whether the run is to stop, so that what waits inside an engine is not asked any more."""
    return bool(getattr(source, "is_stopped", False))


class ListedRequests:
    """A source of requests that are known beforehand."""

    def __init__(self, pending: Iterable[PendingRequest]) -> None:
        self._pending = iter(pending)
        self._done = False

    def take(self, most: int) -> list[PendingRequest]:
        """The next of them."""
        found = list(islice(self._pending, most))
        self._done = len(found) < most
        return found

    @property
    def done(self) -> bool:
        """Whether all were taken."""
        return self._done
