"""Whose turn it is: requests in their order, those that failed once they may be asked again."""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(slots=True)
class Ask:
    """A request and how often it was asked.

    Attributes:
        number: the caller's; smaller ones go first.
        body: what is sent.
        failures: tries that came to nothing because the server failed.
        refusals: those for which it had no room.
    """

    number: int
    body: bytes
    failures: int = 0
    refusals: int = 0


class Turns:
    """Requests that are not under way.

    Attributes:
        closed_until: nobody's turn comes before; a server that says to wait says so to all.
    """

    def __init__(self) -> None:
        self._ready: list[tuple[int, Ask]] = []
        self._later: list[tuple[float, int, Ask]] = []
        self.closed_until = 0.0

    def __len__(self) -> int:
        return len(self._ready) + len(self._later)

    def add(self, asks: Iterable[Ask]) -> None:
        """These may be asked at once."""
        for ask in asks:
            heapq.heappush(self._ready, (ask.number, ask))

    def put_off(self, ask: Ask, until: float) -> None:
        """This one is to wait by itself."""
        heapq.heappush(self._later, (until, ask.number, ask))

    def close(self, until: float) -> None:
        """All are to wait."""
        self.closed_until = max(self.closed_until, until)

    def next(self, now: float) -> Ask | None:
        """The next one, if there is one whose turn it is."""
        if now < self.closed_until:
            return None
        while self._later and self._later[0][0] <= now:
            self.add([heapq.heappop(self._later)[2]])
        return heapq.heappop(self._ready)[1] if self._ready else None

    def when(self) -> float | None:
        """When to look again, all others being under way; None where nothing waits."""
        if not len(self):
            return None
        first = 0.0 if self._ready else self._later[0][0]
        return max(first, self.closed_until)

    def clear(self) -> list[int]:
        """The numbers of all that wait, which are forgotten."""
        numbers = [number for number, _ in self._ready] + [number for _, number, _ in self._later]
        self._ready, self._later = [], []
        return sorted(numbers)
