"""How many requests a server gets at once, and whether to continue asking it, judged by its replies."""

from __future__ import annotations

import math
from collections import deque

from ...contexts import Failure
from .settings import RetryLimits

_FIRST = 8
_MOST = 128
# what the last attempts came to is judged by so many of them, or by a whole round where that is more
_FEWEST_ATTEMPTS = 20
# up to this share of refusals the server has room
_STRAY = 0.05
_MOST_REFUSED = 0.5
_MOST_REFUSED_ADAPTIVE = 0.25


class AdaptiveConcurrency:
    """Additive increase, multiplicative decrease (D.-M. Chiu, R. Jain, 1989), with TCP's slow start.

    A refusal among answers concerns its own request alone. The limit falls once the server refuses more than
    half of the last attempts (a quarter, where the number is not the user's), and does not grow while it
    refuses more than strays.

    Args:
        most: the upper limit; None: unknown, so begin with few.
        timeout: of a request; an answer that takes a quarter of it shows that more at once would only queue.
    """

    def __init__(self, most: int | None, timeout: float) -> None:
        self._most, self._limit, self._slow = most or _MOST, float(most or _FIRST), timeout / 4
        self._tolerated = _MOST_REFUSED if most else _MOST_REFUSED_ADAPTIVE
        self._starting, self._cut_at = True, float("-inf")
        self._refusals, self._refused = deque[bool](), 0

    @property
    def limit(self) -> int:
        """How many may be in flight now; at least one."""
        return int(self._limit)

    def answered(self, sent: float, now: float, in_flight: int) -> None:
        """Grow after an answer, if the limit was nearly used."""
        self._record(sent, refused=False)
        has_room = now - sent < self._slow and self._refused <= _STRAY * self._window
        if has_room and in_flight + 1 >= self.limit:
            step = 1.0 if self._starting else 1.0 / self._limit
            self._limit = min(self._limit + step, float(self._most))

    def overloaded(self, sent: float, now: float) -> bool:
        """Halve the limit if the server refuses too many, and return whether it does.

        Attempts that were sent before the last cut say nothing of the limit since.
        """
        self._record(sent, refused=True)
        round_or_more = max(len(self._refusals), self.limit)
        if self._refused <= self._tolerated * round_or_more:
            return False
        self._starting, self._limit, self._cut_at = False, max(1.0, self._limit / 2), now
        self._refusals.clear()
        self._refused = 0
        return True

    @property
    def _window(self) -> int:
        return max(_FEWEST_ATTEMPTS, self.limit)

    def _record(self, sent: float, *, refused: bool) -> None:
        if sent < self._cut_at:
            return
        self._refusals.append(refused)
        self._refused += refused
        while len(self._refusals) > self._window:
            self._refused -= self._refusals.popleft()


class UsualSeconds:
    """How long answers usually take: an exponentially weighted mean; none counts more than double."""

    def __init__(self) -> None:
        self._mean = math.inf

    def is_slow(self, seconds: float) -> bool:
        """Whether an answer took ten times as long as usual, and half a second at least; record it."""
        usual = self._mean
        self._mean = seconds if usual == math.inf else 0.95 * usual + 0.05 * min(seconds, 2 * usual)
        return seconds > max(10 * usual, 0.5)


_FEWEST_TRIES = 3


class CircuitBreaker:
    """Becomes ``broken`` when further requests would be wasted, and stays so.

    Refusals that seem to hold for every request (:class:`.replies.Denial`) are held back: after any answer
    they become errors of their own requests, else the run stops. Others are errors at once; many of equal
    words before any answer stop the run as well.

    Attributes:
        broken: why the server was given up, as a line; None while all is well.
        troubles: attempts for which the server is to blame since it last answered.
    """

    def __init__(self, limits: RetryLimits, url: str) -> None:
        self._limits, self._url = limits, url
        self._answered = self._reached = False
        self._held: list[tuple[int, Failure]] = []
        self._denials, self._alike, self._refusal = 0, 0, ""
        self._unreachable_since, self._tries = 0.0, 0
        self._failing_since: float | None = None
        self._given_up = self.troubles = 0
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
        self._answered, self._denials = True, 0
        self.sound()
        return self._released()

    def sound(self) -> None:
        """The server refused one request for its content, so the server works."""
        self._failing_since, self._given_up, self.troubles = None, 0, 0

    def refused(self, number: int, failure: Failure) -> list[tuple[int, Failure]]:
        """The server refused a request; gives the refusals that are errors of their own requests."""
        self._alike = self._alike + 1 if failure.reason == self._refusal else 1
        self._refusal = failure.reason
        if self._answered or self._alike < self._limits.denied:
            return [(number, failure)]
        self.end(
            f"refused {self._alike} requests alike and answered none: {failure.reason}; if that is about a "
            "parameter, give the model another value or leave it out (--gen NAME=null)"
        )
        return []

    def denied(self, number: int, reason: str) -> None:
        """The server refused a request for a reason that seems to hold for all."""
        self._held.append((number, Failure(reason)))
        self._denials += 1
        if self._denials >= self._limits.denied and self._answered:
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
        self.troubles += 1
        most = self._limits.lost if self._reached else self._limits.never_reached
        if now - self._unreachable_since >= most and self._tries >= _FEWEST_TRIES:
            self.end(f"cannot be reached for {now - self._unreachable_since:.0f} s ({reason})")

    def failed(self, now: float, reason: str) -> None:
        """An attempt failed, and the server is to blame."""
        self.troubles += 1
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
