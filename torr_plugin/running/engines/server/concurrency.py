"""How many requests are under way at once: more while answers come, half when the server has too many."""

from __future__ import annotations

FIRST = 8
MOST = 128


class Concurrency:
    """Additive increase, multiplicative decrease (D.-M. Chiu, R. Jain, 1989), with TCP's slow start.

    Args:
        most: never more than this.
        first: the limit to begin with.
        slow: seconds from which an answer is so late that more at once would only queue up at the server.
    """

    def __init__(self, most: int, first: int, slow: float) -> None:
        self._most, self._limit, self._slow = most, float(min(first, most)), slow
        self._starting, self._cut_at = True, float("-inf")

    @property
    def limit(self) -> int:
        """How many may be under way now; at least one."""
        return int(self._limit)

    def answered(self, seconds: float, under_way: int) -> None:
        """An answer came after so many seconds; grows where the limit was nearly used."""
        if seconds < self._slow and under_way + 1 >= self.limit:
            step = 1.0 if self._starting else 1.0 / self._limit
            self._limit = min(self._limit + step, float(self._most))

    def overloaded(self, sent: float, now: float) -> None:
        """The server had too many. What was sent before the last cut tells nothing of the limit since."""
        self._starting = False
        if sent >= self._cut_at:
            self._limit, self._cut_at = max(1.0, self._limit / 2), now


def adaptive(timeout: float) -> Concurrency:
    """For a server of which nothing is known."""
    return Concurrency(MOST, FIRST, timeout / 4)


def at_most(count: int, timeout: float) -> Concurrency:
    """As many as the user says, from the start; fewer while the server takes fewer."""
    return Concurrency(count, count, timeout / 4)
