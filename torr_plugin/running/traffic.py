"""What a model's server made of its requests besides answering them: counted while a model is asked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import astuple, dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class ServerTraffic:
    """Counts since a model was loaded; all zero for a model that is no server, or one without trouble.

    Beside them, what the model is sent.

    Attributes:
        rate_limited: attempts for which the server had no room (HTTP 429, 503, 529).
        retries: attempts after the first one of their request, whatever the reason.
        pauses: times that nothing was sent for a while, as the server refused too many requests.
        slow: attempts that brought no reply in time.
        sent: the parameters of the first request to a server, or the study's, and whether a chat template is
            applied, as JSON; empty before the first request.
    """

    rate_limited: int = 0
    retries: int = 0
    pauses: int = 0
    slow: int = 0
    sent: str = ""

    def __add__(self, other: ServerTraffic) -> ServerTraffic:
        *ours, sent = astuple(self)
        *theirs, sent_there = astuple(other)
        counts = [a + b for a, b in zip(ours, theirs, strict=True)]
        return ServerTraffic(*[*counts, sent or sent_there])


NO_TRAFFIC = ServerTraffic()
TrafficListener: TypeAlias = Callable[[ServerTraffic], None]


def ignore_traffic(traffic: ServerTraffic) -> None:
    """Do nothing."""


class SummedTraffic:
    """The traffic of several processes of one model, those that ended included; tells a listener the sum."""

    def __init__(self, listener: TrafficListener) -> None:
        self._listener, self._of = listener, dict[int, ServerTraffic]()

    def update(self, process: int, traffic: ServerTraffic) -> None:
        """Record what a process has counted so far."""
        if traffic != self._of.get(process, NO_TRAFFIC):
            self._of[process] = traffic
            self._listener(sum(self._of.values(), NO_TRAFFIC))
