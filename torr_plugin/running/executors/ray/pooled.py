"""What a pool of replicas keeps: its rules, nodes, replicas, models, and requests that are sent together."""

from __future__ import annotations

import math
from collections import Counter, deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from ...pending_request import PendingRequest, RequestSource

_LITTLE = 1e-6
_FOLLOWING = 512  # requests a replica, where more than were counted come


@dataclass(frozen=True, slots=True)
class PoolRules:
    """Times are in seconds.

    Attributes:
        chunk: requests sent at once, and those that a model needs to get one more replica.
        characters: about the most text and pictures sent at once.
        loads: how often in a row loading may fail, while no replica of the model is there.
        loads_a_node: how often a replica may die while loading on a node before the model avoids that node.
        deaths: how often in a row replicas may die without any answer in between.
        memory_kills: the kill for want of memory at which a chunk's requests are suspected.
        avoid: how long a model avoids a node where its replica died.
        silence: a replica without an answer for so long counts as hung,
        unheard: one without a report as frozen.
        wait_for_nodes: how long a model waits for a node that is large enough.
        report_after: a longer wait is reported.
    """

    chunk: int = 256
    characters: int = 16_000_000
    loads: int = 3
    loads_a_node: int = 2
    deaths: int = 30
    memory_kills: int = 3
    avoid: float = 600.0
    silence: float = 1800.0
    unheard: float = 120.0
    wait_for_nodes: float = 600.0
    report_after: float = 60.0


@dataclass(frozen=True, slots=True)
class ClusterNode:
    """A machine of the cluster, and all that it has (not what is free): by Ray's names, ``CPU``, ``GPU``."""

    id: str
    name: str
    resources: Mapping[str, float]

    def could_hold(self, needs: Mapping[str, float]) -> bool:
        """Whether a replica would fit if the node were free."""
        return all(number <= self.resources.get(name, 0) + _LITTLE for name, number in needs.items())


class RequestChunk:
    """Requests that are sent together; ``left`` are those without an answer.

    ``deaths`` replicas died, ``memory_kills`` more were killed, while they had these.
    """

    def __init__(self, requests: Iterable[PendingRequest], deaths: int = 0, memory_kills: int = 0) -> None:
        self.left = {request.key: request for request in requests}
        self.size, self.deaths, self.memory_kills = len(self.left), deaths, memory_kills

    def after_death(self) -> list[RequestChunk]:
        """What to ask now: the same once more, then halves; nothing where one killed twice, once alone."""
        deaths, requests = self.deaths + 1, list(self.left.values())
        if deaths > 1 and self.size == 1:
            return []
        half = math.ceil(len(requests) / 2) if deaths > 1 else len(requests)
        parts = requests[:half], requests[half:]
        return [RequestChunk(part, deaths, self.memory_kills) for part in parts if part]


@dataclass(eq=False)
class PooledReplica:
    """A process with a model on a node, or one that waits for a node."""

    number: int
    model: PooledModel
    avoids: frozenset[str]
    since: float  # of its state; once it is ready, of the last answer
    state: Literal["pending", "loading", "ready"] = "pending"
    node: str = ""
    heard: float = 0.0
    room: int = 1
    chunks: list[RequestChunk] = field(default_factory=list)
    recalled: bool = False

    @property
    def outstanding(self) -> int:
        """How many requests it has."""
        return sum(len(chunk.left) for chunk in self.chunks)


@dataclass(eq=False)
class PooledModel:
    """A model of the run: what a replica needs, its requests, and its history.

    ``count`` is about how many requests the source will give, ``most`` how many replicas it may have.
    """

    number: int
    name: str
    needs: Mapping[str, float]
    source: RequestSource
    count: int
    most: int = 1
    load_seconds: float = 3600.0
    ended: bool = False
    fresh_left: bool = True  # whether the source had a request at the last look
    failed_loads: int = 0
    deaths: int = 0  # without an answer in between
    why: str = ""
    replicas: list[PooledReplica] = field(default_factory=list)
    again: deque[RequestChunk] = field(default_factory=deque)
    suspects: deque[RequestChunk] = field(default_factory=deque)
    waits_since: float | None = None
    reported: bool = False
    _taken: int = 0
    load_deaths: Counter[str] = field(default_factory=Counter)
    avoided: dict[str, float] = field(default_factory=dict)

    @property
    def to_come(self) -> bool:
        """Whether requests are left to send, now or later; none once the run is to stop."""
        known = self.again or self.suspects
        return not self.source.stopped and bool(known or not self.source.done)

    @property
    def outstanding(self) -> int:
        """How many requests its replicas have."""
        return sum(replica.outstanding for replica in self.replicas)

    @property
    def left(self) -> int:
        """About how many requests are left to send.

        How many follow from answers nobody knows: enough to keep the replicas busy, while there are any.
        """
        known = sum(len(chunk.left) for chunk in (*self.again, *self.suspects))
        if self.source.done:
            return known
        more = self.count - self._taken
        if more < 1:
            more = _FOLLOWING * max(len(self.placed), 1) if self.fresh_left else 1
        return known + more

    @property
    def pending(self) -> list[PooledReplica]:
        """Its replicas that wait for a node."""
        return [replica for replica in self.replicas if replica.state == "pending"]

    @property
    def placed(self) -> list[PooledReplica]:
        """Its replicas that are on a node."""
        return [replica for replica in self.replicas if replica.state != "pending"]

    def take(self, most: int, characters: int) -> RequestChunk | None:
        """The next requests, in order: those to ask again first."""
        if self.again:
            return self.again.popleft()
        found: list[PendingRequest] = []
        weight = 0
        while len(found) < most and weight < characters and not self.source.done:
            more = self.source.take(min(most - len(found), 32))
            if not more:
                break
            found += more
            weight += sum(map(_weight, more))
        self._taken += len(found)
        self.fresh_left = bool(found)
        return RequestChunk(found) if found else None

    def good_nodes(self, nodes: Iterable[ClusterNode], now: float, rules: PoolRules) -> set[str]:
        """Of these nodes those where it can load, without those where a replica died lately, if it can."""
        able = {node.id for node in nodes if self.load_deaths[node.id] < rules.loads_a_node}
        return {node for node in able if self.avoided.get(node, now) <= now} or able


def _weight(request: PendingRequest) -> int:
    return sum(len(turn.content) + sum(map(len, turn.images)) for turn in request.prompt)
