"""How many requests to ask at once: so many that a shard is written every few seconds."""

from __future__ import annotations

from dataclasses import dataclass

FIRST = 64
FEWEST = 32
MOST = 4096
SECONDS = 5.0
_GROWTH = 4


@dataclass
class Pace:
    """The size of the next batch, from how long the last ones took.

    A batch is what a killed run loses, so it is to take about ``seconds``; a fast model must not leave
    thousands of small files, nor a slow engine be fed so little at once that it idles.
    """

    size: int = FIRST
    seconds: float = SECONDS
    fewest: int = FEWEST

    def record(self, requests: int, seconds: float) -> None:
        """Take note of a batch that was answered."""
        wanted = requests / max(seconds, 1e-6) * self.seconds
        self.size = int(min(max(wanted, self.fewest), MOST, self.size * _GROWTH))
