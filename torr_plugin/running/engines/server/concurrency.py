"""How many requests are in flight at once: more while answers come, half when the server has too many."""

from __future__ import annotations

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
