"""The state of one actor."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

from ..pending_request import PendingRequest
from .cluster import ActorResources
from .commands import DispatchRules
from .jobs import SuspectRequests

_MEMORY = 30.0
_GROWTH = 4


@dataclass
class ActorState:
    """``outstanding`` are the requests it was sent and has not answered, in that order.

    Attributes:
        appetite: how many requests its engine works on at once.
        suspects: the only requests it gets; ``draining``: it gets nothing until they can be sent.
        heard: when it last gave a sign of life, or was sent requests with none outstanding.
        batch: requests sent at once.
    """

    number: int
    job: int
    node: str
    needs: ActorResources
    heard: float
    state: Literal["loading", "ready", "stopping"] = "loading"
    outstanding: dict[str, PendingRequest] = field(default_factory=dict)
    suspects: SuspectRequests | None = None
    draining: bool = False
    appetite: int = 1
    batch: int = 0
    _answered: float = 0.0
    _seconds: float = 0.0

    @property
    def rate(self) -> float | None:
        """Requests a second, of the last half minute above all; None while unknown."""
        return self._answered / self._seconds if self._seconds > 0 else None

    def sent(self, asked: Iterable[PendingRequest], now: float) -> None:
        """Record requests that were sent to it."""
        if not self.outstanding:
            self.heard = now
        self.outstanding.update((each.key, each) for each in asked)

    def answered(self, keys: Iterable[str], appetite: int, now: float, rules: DispatchRules) -> list[str]:
        """Record answers; return the keys of those that were outstanding."""
        known = [key for key in dict.fromkeys(keys) if self.outstanding.pop(key, None) is not None]
        if not known:
            return known
        seconds = max(now - self.heard, 1e-6)
        kept = math.exp(-seconds / _MEMORY)
        self._answered = self._answered * kept + len(known)
        self._seconds = self._seconds * kept + seconds
        self.heard, self.appetite = now, max(appetite, 1)
        wanted = int(self._answered / self._seconds * rules.batch_seconds)
        self.batch = min(max(wanted, rules.fewest), rules.most, self.batch * _GROWTH or rules.most)
        return known

    def silent_too_long(self, now: float, rules: DispatchRules) -> bool:
        """Whether it counts as hung."""
        if self.state != "ready" or not self.outstanding:
            return False
        expected = len(self.outstanding) / self.rate if self.rate else 0.0
        return now - self.heard > max(rules.silence, rules.silence_factor * expected)
