"""A cluster that exists in numbers alone: the real pool of replicas on a virtual clock.

Actors load, answer with latencies drawn from a log-normal distribution, crash, hang on poison requests and
lose their nodes. Used by ``cluster.py``, which says what the figures mean.
"""

from __future__ import annotations

import heapq
import math
import random
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from torr_plugin.running.ray.pool import ClusterNode, Death, Pool, PooledModel, PooledReplica
from torr_plugin.running.request_sources import PendingRequest


@dataclass(frozen=True)
class Scenario:
    """Times in seconds.

    Attributes:
        actors: one GPU each, ``per_node`` of them a node.
        requests: an actor's share of the study, times actors in all.
        slots: requests that an engine works on at once.
        latency: mean time of a request; none takes four times as long.
        spread: standard deviation of its logarithm.
        load: time to load the model.
        crash_every: mean time between crashes of an actor; None: it never crashes.
        node_every: mean time between losses of a node; None: none is lost.
        node_back: after so long a lost node is there again.
        poison: share of the requests that kill their actor.
    """

    actors: int
    per_node: int = 8
    requests: int = 2000
    slots: int = 64
    latency: float = 40.0
    spread: float = 0.4
    load: float = 120.0
    crash_every: float | None = None
    node_every: float | None = None
    node_back: float = 600.0
    poison: float = 0.0


@dataclass
class Engine:
    """An actor: what it was sent and what it works on."""

    waiting: list[PendingRequest] = field(default_factory=list)
    busy: dict[str, float] = field(default_factory=dict)
    next: int = 0
    alive: bool = True


class Numbered:
    """Requests that are nothing but keys."""

    stopped = False

    def __init__(self, count: int) -> None:
        self._count, self._given = count, 0

    def take(self, most: int) -> list[PendingRequest]:
        """The next of them."""
        first, self._given = self._given, min(self._given + most, self._count)
        return [PendingRequest(str(number), ()) for number in range(first, self._given)]

    @property
    def done(self) -> bool:
        """Whether all were taken."""
        return self._given >= self._count


class Simulation:
    """Runs one model's study to the end; ``figures`` says what came of it."""

    def __init__(self, scenario: Scenario, seed: int = 0) -> None:
        self.scenario, self.rng = scenario, random.Random(seed)
        total = scenario.actors * scenario.requests
        model = PooledModel("model", {"GPU": 1}, Numbered(total), total, scenario.actors)
        self.pool = Pool([model], self, patient=True)
        self.total, self.now, self.order = total, 0.0, 0
        self.events: list[tuple[float, int, Callable[..., None], tuple[Any, ...]]] = []
        self.engines: dict[PooledReplica, Engine] = {}
        self.where: dict[PooledReplica, str] = {}
        self.waiting: dict[PooledReplica, frozenset[str]] = {}
        self.heard = 0.0
        self.nodes = [f"n{number}" for number in range(math.ceil(scenario.actors / scenario.per_node))]
        self.alive = set(self.nodes)
        self.answered: dict[str, int] = {}
        self.refused: set[str] = set()
        self.failed: list[str] = []
        self.busy_seconds = self.driver = self.first = 0.0
        self.deaths = self.lost_nodes = self.repeated = 0
        self.last: dict[PooledReplica, float] = {}
        self.dirty: dict[PooledReplica, None] = {}
        poisoned = round(total * scenario.poison)
        self.poison = {str(number) for number in self.rng.sample(range(total), poisoned)}

    def run(self) -> dict[str, float]:
        """Run to the end."""
        self._tell_nodes()
        if self.scenario.node_every:
            self._at(self.rng.expovariate(1 / self.scenario.node_every), self._lose_node)
        self._at(0.0, self._tick)
        while self.events and not self.pool.finished:
            self.now, _, act, arguments = heapq.heappop(self.events)
            act(*arguments)
        return self.figures()

    def figures(self) -> dict[str, float]:
        """What came of it; fails where a request was lost or answered twice."""
        done = len(self.answered) + len(self.refused)
        if done != self.total or max(self.answered.values()) > 1 or self.refused != self.poison:
            raise SystemExit(f"{done} of {self.total} requests, {self.failed}: the pool is wrong")
        s = self.scenario
        ideal = s.load + self.total * s.latency / (s.actors * s.slots)
        ends = sorted(self.last.values())
        return {
            "actors": s.actors,
            "requests": self.total,
            "seconds": self.now,
            "ideal_seconds": ideal,
            "utilisation": self.busy_seconds / s.slots / (s.actors * (self.now - s.load)),
            "deaths": self.deaths,
            "nodes_lost": self.lost_nodes,
            "asked_again": self.repeated / self.total,
            "tail_seconds": self.now - ends[len(ends) // 10],
            "driver_us_a_request": self.driver / self.total * 1e6,
        }

    def _at(self, delay: float, act: Callable[..., None], *arguments: Any) -> None:
        self.order += 1
        heapq.heappush(self.events, (self.now + delay, self.order, act, arguments))

    def _timed(self, act: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
        start = time.perf_counter()
        found = act(*arguments, **named)
        self.driver += time.perf_counter() - start
        return found

    def _tell_nodes(self) -> None:
        nodes = [ClusterNode(name, name, {"GPU": self.scenario.per_node}) for name in sorted(self.alive)]
        self._timed(self.pool.set_nodes, nodes)

    def _tick(self) -> None:
        """Actors' reports reach the driver together, as they do on Ray; then the pool decides."""
        for actor in [actor for actor in self.dirty if actor in self.engines]:
            self._report(actor)
        self.dirty.clear()
        if self.now - self.heard >= 10:  # as often as idle actors report
            self.heard = self.now
            for actor in self.engines:
                self._timed(self.pool.reported, actor, [], self.scenario.slots, self.now)
        self._timed(self.pool.step, self.now)
        self._place()
        self._at(0.25, self._tick)

    def start(self, replica: PooledReplica) -> None:
        """See :class:`torr_plugin.running.ray.pool.PoolCommands`, also for the following."""
        self.waiting[replica] = replica.avoids

    def feed(self, replica: PooledReplica, requests: list[PendingRequest]) -> None:
        self.engines[replica].waiting += requests
        self._work(replica)

    def recall(self, replica: PooledReplica) -> None:
        self._at(0.0, self.pool.ended, replica)

    def kill(self, replica: PooledReplica) -> None:
        self.waiting.pop(replica, None)
        self.engines.pop(replica, None)
        self.where.pop(replica, None)

    def fail_request(self, model: PooledModel, key: str, reason: str) -> None:
        self.refused.add(key)

    def fail_model(self, model: PooledModel, reason: str) -> None:
        self.failed.append(reason)

    def say(self, message: str) -> None:
        pass

    def _place(self) -> None:
        """As Ray does: what waits longest goes where there is room."""
        used = Counter(self.where.values())
        for replica, avoid in list(self.waiting.items()):
            free = (name for name in sorted(self.alive - avoid) if used[name] < self.scenario.per_node)
            if (node := next(free, None)) is not None:
                del self.waiting[replica]
                used[node] += 1
                self.engines[replica], self.where[replica] = Engine(), node
                self._timed(self.pool.placed, replica, node, self.now)
                self._at(self.scenario.load * self.rng.uniform(0.8, 1.2), self._loaded, replica)

    def _loaded(self, actor: PooledReplica) -> None:
        if actor not in self.engines:
            return
        self._timed(self.pool.loaded, actor, self.scenario.slots, self.now)
        if self.scenario.crash_every:
            self._at(self.rng.expovariate(1 / self.scenario.crash_every), self._crash, actor)

    def _work(self, actor: PooledReplica) -> None:
        engine = self.engines[actor]
        while engine.next < len(engine.waiting) and len(engine.busy) < self.scenario.slots:
            asked = engine.waiting[engine.next]
            engine.next += 1
            mean = math.log(self.scenario.latency) - self.scenario.spread**2 / 2
            engine.busy[asked.key] = self.now
            drawn = self.rng.lognormvariate(mean, self.scenario.spread)
            seconds = min(drawn, 4 * self.scenario.latency)  # no answer is longer than max_tokens
            self._at(seconds, self._finished, actor, engine, asked.key)

    def _finished(self, actor: PooledReplica, engine: Engine, key: str) -> None:
        if self.engines.get(actor) is not engine:
            return
        if key in self.poison:
            self._crash(actor)
            return
        self.busy_seconds += self.now - engine.busy.pop(key)
        self.answered[key] = self.answered.get(key, 0) + 1
        self.last[actor] = self.now
        engine.__dict__.setdefault("news", []).append(key)
        self.dirty[actor] = None
        self._work(actor)

    def _report(self, actor: PooledReplica) -> None:
        news = self.engines[actor].__dict__.pop("news", [])
        self._timed(self.pool.reported, actor, news, self.scenario.slots, self.now)

    def _crash(self, actor: PooledReplica, kind: Death = "crash") -> None:
        if actor not in self.engines:
            return
        engine = self.engines.pop(actor)
        news = engine.__dict__.pop("news", [])  # what the driver was not told is asked again
        for key in news:
            del self.answered[key]
        self.repeated += len(news) + len(engine.busy)
        self.deaths += 1
        self.where.pop(actor)
        self._timed(self.pool.died, actor, "crashed", kind, self.now)

    def _lose_node(self) -> None:
        if len(self.alive) > 1:
            node = self.rng.choice(sorted(self.alive))
            self.alive.discard(node)
            self.lost_nodes += 1
            self._tell_nodes()
            for actor in [actor for actor in self.engines if self.where[actor] == node]:
                self._crash(actor, "loss")
            self._at(self.scenario.node_back, self._node_back, node)
        self._at(self.rng.expovariate(1 / (self.scenario.node_every or 1)), self._lose_node)

    def _node_back(self, node: str) -> None:
        self.alive.add(node)
        self._tell_nodes()
