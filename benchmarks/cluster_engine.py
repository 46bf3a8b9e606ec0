"""What stands in for a model in ``cluster.py``: waits as long as an answer takes, many at once."""

from __future__ import annotations

import heapq
import os
import random
import time
from collections.abc import Iterator
from typing import Any

from torr_plugin.running.answer import Answer


class Waiting:
    """Answers with the number of its process, ``slots`` requests at once, each after about ``seconds``."""

    def __init__(self, seconds: float = 0.4, slots: int = 16) -> None:
        self._seconds, self._slots = float(seconds), int(slots)
        self._under_way: list[tuple[float, str]] = []
        self.engine = self

    def room(self) -> int:
        """How many more it can take."""
        return self._slots - len(self._under_way)

    def close(self) -> None:
        """Nothing is held."""

    def stream(self, source: Any, on_known: Any) -> Iterator[list[Answer]]:
        """Answers as they come due."""
        chance = random.Random(os.getpid())
        while not source.done or self._under_way:
            now = time.monotonic()
            for asked in source.take(self.room()):
                due = now + self._seconds * chance.lognormvariate(-0.08, 0.4)
                heapq.heappush(self._under_way, (due, asked.key))
            done = []
            while self._under_way and self._under_way[0][0] <= now:
                done.append(Answer(heapq.heappop(self._under_way)[1], str(os.getpid())))
            if done:
                yield done
            else:
                time.sleep(0.01)
