"""What the replies to single requests tell of the server as a whole: whether to go on asking it."""

from __future__ import annotations

from ...contexts import Failure
from .limits import Limits

_FEWEST_TRIES = 3


class Health:
    """Becomes ``broken`` when further requests would only be burnt.

    Refusals that would meet every request alike (:class:`Denied`) are held back until it is known which it
    is: an answer makes them the errors of their own requests, else the run stops.

    Attributes:
        broken: why nothing more can be asked, as a line; None while all is well.
    """

    def __init__(self, limits: Limits, url: str) -> None:
        self._limits, self._url = limits, url
        self._answered = self._reached = False
        self._held: list[tuple[int, Failure]] = []
        self._out_of_reach, self._tries = 0.0, 0
        self._failing_since: float | None = None
        self._given_up = 0
        self.broken: str | None = None

    @property
    def in_doubt(self) -> bool:
        """Whether to send nothing more before those under way are back: the first one was refused."""
        return bool(self._held) and not self._answered

    def reached(self) -> None:
        """The server replied, whatever it said."""
        self._reached, self._tries = True, 0

    def answered(self) -> list[tuple[int, Failure]]:
        """It gave an answer; the refusals that were held back are errors of single requests."""
        self._answered = True
        self.sound()
        return self._released()

    def sound(self) -> None:
        """It refused one request for what that request is, so it works."""
        self._failing_since, self._given_up = None, 0

    def denied(self, number: int, reason: str) -> None:
        """It refused a request for a reason that seems to meet all."""
        self._held.append((number, Failure(reason)))
        if len(self._held) >= self._limits.denied and self._answered:
            self._refused()

    def drained(self) -> list[tuple[int, Failure]]:
        """Nothing is under way: refusals that were held back mean the end if nothing was ever answered."""
        if self.in_doubt:
            self._refused()
        return [] if self.broken else self._released()

    def unreachable(self, now: float, reason: str) -> None:
        """No connection could be made; the request itself is not to blame."""
        if not self._tries:
            self._out_of_reach = now
        self._tries += 1
        most = self._limits.lost if self._reached else self._limits.never_reached
        if now - self._out_of_reach >= most and self._tries >= _FEWEST_TRIES:
            self.end(f"cannot be reached for {now - self._out_of_reach:.0f} s ({reason})")

    def failed(self, now: float, reason: str) -> None:
        """A try came to nothing by the server's fault."""
        if self._failing_since is None:
            self._failing_since = now
        elif now - self._failing_since >= self._limits.silent:
            self.end(f"has answered nothing for {now - self._failing_since:.0f} s; at last: {reason}")

    def given_up(self, reason: str) -> None:
        """A request was asked as often as the limits allow."""
        self._given_up += 1
        if self._given_up >= self._limits.in_a_row:
            self.end(f"failed the last {self._given_up} requests; at last: {reason}")

    def end(self, what: str) -> None:
        """Nothing more can be asked; the first reason counts."""
        self.broken = self.broken or f"the server at {self._url} {what}"

    def _refused(self) -> None:
        self.end(f"refuses all requests: {self._held[0][1].reason}")

    def _released(self) -> list[tuple[int, Failure]]:
        held, self._held = self._held, []
        return held
