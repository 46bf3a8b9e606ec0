"""How many requests a server gets at once, and whether to continue asking it, judged by its replies."""

from __future__ import annotations

from ...contexts import Failure
from .settings import RetryLimits

_FIRST = 8
_MOST = 128


class AdaptiveConcurrency:
    """Additive increase, multiplicative decrease (D.-M. Chiu, R. Jain, 1989), with TCP's slow start.

    Args:
        most: the upper limit; None: unknown, so begin with few.
        timeout: of a request; an answer that takes a quarter of it shows that more at once would only queue.
    """

    def __init__(self, most: int | None, timeout: float) -> None:
        self._most, self._limit, self._slow = most or _MOST, float(most or _FIRST), timeout / 4
        self._starting, self._cut_at = True, float("-inf")

    @property
    def limit(self) -> int:
        """How many may be in flight now; at least one."""
        return int(self._limit)

    def answered(self, seconds: float, in_flight: int) -> None:
        """Grow after an answer that took ``seconds``, if the limit was nearly used."""
        if seconds < self._slow and in_flight + 1 >= self.limit:
            step = 1.0 if self._starting else 1.0 / self._limit
            self._limit = min(self._limit + step, float(self._most))

    def overloaded(self, sent: float, now: float) -> None:
        """Halve the limit, unless the request was sent before the last cut."""
        self._starting = False
        if sent >= self._cut_at:
            self._limit, self._cut_at = max(1.0, self._limit / 2), now


_FEWEST_TRIES = 3


class CircuitBreaker:
    """Becomes ``broken`` when further requests would be wasted, and stays so.

    Refusals that seem to hold for every request (:class:`.replies.Denial`) are held back: after any answer
    they become errors of their own requests, else the run stops.

    Attributes:
        broken: why the server was given up, as a line; None while all is well.
    """

    def __init__(self, limits: RetryLimits, url: str) -> None:
        self._limits, self._url = limits, url
        self._answered = self._reached = False
        self._held: list[tuple[int, Failure]] = []
        self._unreachable_since, self._tries = 0.0, 0
        self._failing_since: float | None = None
        self._given_up = 0
        self.broken: str | None = None

    @property
    def in_doubt(self) -> bool:
        """Whether to send nothing until the requests in flight are back, as the first one was refused."""
        return bool(self._held) and not self._answered

    def reached(self) -> None:
        """The server replied, whatever the reply."""
        self._reached, self._tries = True, 0

    def answered(self) -> list[tuple[int, Failure]]:
        """The server answered; refusals that were held back are errors of single requests."""
        self._answered = True
        self.sound()
        return self._released()

    def sound(self) -> None:
        """The server refused one request for its content, so the server works."""
        self._failing_since, self._given_up = None, 0

    def denied(self, number: int, reason: str) -> None:
        """The server refused a request for a reason that seems to hold for all."""
        self._held.append((number, Failure(reason)))
        if len(self._held) >= self._limits.denied and self._answered:
            self._refuses_all()

    def drained(self) -> list[tuple[int, Failure]]:
        """Nothing is in flight: give the server up if there are refusals and no answer at all."""
        if self.in_doubt:
            self._refuses_all()
        return [] if self.broken else self._released()

    def unreachable(self, now: float, reason: str) -> None:
        """No connection could be made."""
        if not self._tries:
            self._unreachable_since = now
        self._tries += 1
        most = self._limits.lost if self._reached else self._limits.never_reached
        if now - self._unreachable_since >= most and self._tries >= _FEWEST_TRIES:
            self.end(f"cannot be reached for {now - self._unreachable_since:.0f} s ({reason})")

    def failed(self, now: float, reason: str) -> None:
        """An attempt failed, and the server is to blame."""
        if self._failing_since is None:
            self._failing_since = now
        elif now - self._failing_since >= self._limits.silent:
            self.end(f"has answered nothing for {now - self._failing_since:.0f} s; at last: {reason}")

    def given_up(self, reason: str) -> None:
        """A request failed as often as the limits allow."""
        self._given_up += 1
        if self._given_up >= self._limits.in_a_row:
            self.end(f"failed the last {self._given_up} requests; at last: {reason}")

    def end(self, what: str) -> None:
        """Give the server up; the first reason counts."""
        self.broken = self.broken or f"the server at {self._url} {what}"

    def _refuses_all(self) -> None:
        self.end(f"refuses all requests: {self._held[0][1].reason}")

    def _released(self) -> list[tuple[int, Failure]]:
        held, self._held = self._held, []
        return held
