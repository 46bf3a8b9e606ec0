"""How fast answers come, by a clock that never jumps."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

WINDOW_SECONDS = 120.0


@dataclass
class Rate:
    """Requests and tokens a second over the last two minutes.

    The answers of a batch came since the batch before. Since when those of the first one came is not known,
    as a model may have waited for others; so it takes two batches to know a rate.

    Attributes:
        now: seconds on a clock that only goes forward.
        window: seconds that count.
    """

    now: Callable[[], float] = time.monotonic
    window: float = WINDOW_SECONDS
    _batches: deque[tuple[float, int, int]] = field(default_factory=deque)

    def add(self, requests: int, tokens: int) -> None:
        """So many requests were answered just now, with answers of so many tokens."""
        self._batches.append((self.now(), requests, tokens))
        while len(self._batches) > 2 and self._batches[-1][0] - self._batches[1][0] >= self.window:
            self._batches.popleft()

    def a_second(self) -> tuple[float, float]:
        """Requests and tokens a second; 0 while they are not known."""
        if len(self._batches) < 2:
            return 0.0, 0.0
        (began, _, _), *counted = self._batches
        seconds = max(self.now() - began, 1e-9)
        return sum(each[1] for each in counted) / seconds, sum(each[2] for each in counted) / seconds


@dataclass
class Advance:
    """How far one model is: the numbers that a progress is told."""

    total: int
    done: int
    failed: int = 0
    tokens: int = 0
    rate: Rate = field(default_factory=Rate)

    def add(self, requests: int, failed: int, tokens: int) -> None:
        """So many more requests are stored."""
        self.done += requests
        self.failed += failed
        self.tokens += tokens
        self.rate.add(requests, tokens)

    @property
    def seconds_left(self) -> float | None:
        """At the present rate; None while nothing is known, or nothing is left."""
        speed, _ = self.rate.a_second()
        left = self.total - self.done
        return left / speed if speed and left > 0 else None
