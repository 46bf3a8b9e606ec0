"""The state of a model's part of a run: its requests, its history, its actors."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from ..pending_request import PendingRequest, RequestSource
from .cluster import ActorDemand, ActorResources
from .commands import DispatchRules

_PIECE = 256


@dataclass(frozen=True, slots=True)
class SuspectRequests:
    """Requests one of which may have killed an actor; ``deaths`` actors died while they were outstanding."""

    requests: tuple[PendingRequest, ...]
    deaths: int

    def after_death(self, unanswered: Sequence[PendingRequest]) -> list[SuspectRequests]:
        """The suspects that are left after an actor died of these; none where a single one is guilty.

        Suspects of two deaths are halved. A single request is guilty when it was the only one outstanding at
        two actors that died.
        """
        deaths = self.deaths + 1
        left = tuple(unanswered)
        if deaths < 2 or (len(left) == 1 and len(self.requests) > 1):
            return [SuspectRequests(left, 1)]
        if len(left) == 1:
            return []
        half = (len(left) + 1) // 2
        return [SuspectRequests(part, 0 if len(part) == 1 else 1) for part in (left[:half], left[half:])]


class RequestQueue:
    """The requests of one model that no actor has: new ones, those to ask again, and suspects.

    ``count`` is about how many requests the source will give.
    """

    def __init__(self, source: RequestSource, count: int, characters: int) -> None:
        self._source, self._count, self._characters = source, count, characters
        self._taken = 0
        self._again: deque[PendingRequest] = deque()
        self.suspects: deque[SuspectRequests] = deque()

    @property
    def to_come(self) -> bool:
        """Whether requests are left to send, now or later; none once the run is to stop."""
        return not self._source.stopped and not (self._source.done and not self._again and not self.suspects)

    @property
    def count(self) -> int:
        """About how many requests are left to send; at least 1 while more can come."""
        if self._source.stopped:
            return 0
        known = len(self._again) + sum(len(each.requests) for each in self.suspects)
        if self._source.done:
            return known
        return max(known + self._count - self._taken, 1)

    def take(self, most: int) -> list[PendingRequest]:
        """Take the next requests, in order: at most ``most``, fewer when their text is long."""
        found: list[PendingRequest] = []
        weight = 0
        while len(found) < most and weight < self._characters:
            if not self._again:
                self._again.extend(self._fresh(min(most - len(found), _PIECE)))
            if not self._again:
                break
            found.append(self._again.popleft())
            weight += _weight(found[-1])
        return found

    def give_back(self, requests: Sequence[PendingRequest]) -> None:
        """Put requests back, before all others."""
        self._again.extendleft(reversed(requests))

    def drop_suspects(self) -> list[PendingRequest]:
        """Remove all suspects and return them."""
        found = [request for each in self.suspects for request in each.requests]
        self.suspects.clear()
        return found

    def _fresh(self, most: int) -> list[PendingRequest]:
        if self._source.done:
            return []
        found = self._source.take(most)
        self._taken += len(found)
        return found


def _weight(request: PendingRequest) -> int:
    return sum(len(turn.content) + sum(map(len, turn.images)) for turn in request.prompt)


@dataclass
class JobState:
    """One model: what it needs, its requests, and the history of its actors.

    Attributes:
        number: its place in the order given.
        name: for messages.
        outstanding: how many requests its actors have.
        most: how many actors it may have; fewer once loading fails on some.
        ended: whether all is answered, or it has failed.
        loaded: whether an actor of it was ever ready.
        fitted: whether there ever was a node that could hold an actor of it.
        healthy: whether an answer has come since an actor died.
        fresh_left: whether the source had a request at the last look.
    """

    number: int
    name: str
    needs: ActorResources
    work: RequestQueue
    outstanding: int = 0
    ended: bool = False
    loaded: bool = False
    answered: int = 0
    healthy: bool = True
    fresh_left: bool = True
    load_deaths: int = 0
    deaths_without_answer: int = 0
    given_up: bool = False
    losses: int = 0
    unfit_since: float | None = None
    fitted: bool = False
    waiting_since: float | None = None
    reported: bool = False
    most: int = field(init=False)

    def __post_init__(self) -> None:
        self.most = max(self.needs.actors, 1)

    def demand(self, there: int, searching: int, rules: DispatchRules) -> ActorDemand | None:
        """The further actors it could use; None where it needs none."""
        if self.ended or not self.work.to_come:
            return None
        backlog = self.work.count + self.outstanding
        searches = searching + len(self.work.suspects)  # each waits for loading time and again: side by side
        wanted = min(self.most, max(math.ceil(backlog / rules.requests_per_actor), searches, 1))
        if wanted <= there:
            return None
        return ActorDemand(self.number, self.needs, there, wanted - there, backlog)

    def progressed(self, answers: int) -> None:
        """Record that an actor answered."""
        self.outstanding -= answers
        self.answered += answers
        self.healthy, self.given_up = True, False
        self.deaths_without_answer = self.losses = 0


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

    def sent(self, requests: Iterable[PendingRequest], now: float) -> None:
        """Record requests that were sent to it."""
        if not self.outstanding:
            self.heard = now
        self.outstanding.update((each.key, each) for each in requests)

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
