"""The pool of replicas: which model gets one, what it is sent, what follows when it dies.

In: events with their time (a replica was placed, has loaded, has answered, has died; nodes come and go). Out:
calls of :class:`PoolCommands`. Nothing here knows Ray or reads a clock: a fake cluster tests it, and
``benchmarks/cluster.py`` simulates it.
"""

from __future__ import annotations

import math
from collections import Counter, deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeAlias

from ..request_sources import PendingRequest, RequestSource

_LITTLE = 1e-6
_FOLLOWING = 512  # requests a replica, where more than were counted come


@dataclass(frozen=True, slots=True)
class PoolRules:
    """Times are in seconds.

    Attributes:
        chunk: requests sent at once, and those that a model needs to get one more replica.
        characters: about the most text and pictures sent at once.
        loads_a_node: how often a replica may die while loading on a node before the model avoids that node.
        deaths: how often in a row replicas may die without any answer in between.
        memory_kills: the kill for want of memory at which a chunk's requests are suspected.
        avoid: how long a model avoids a node where its replica died.
        silence: a replica without an answer for so long counts as hung.
        ending: a replica that is to end and takes so long is killed.
        wait_for_nodes: how long a model waits for a node that is large enough.
        report_after: a longer wait is reported.
    """

    chunk: int = 256
    characters: int = 16_000_000
    loads_a_node: int = 2
    deaths: int = 30
    memory_kills: int = 3
    avoid: float = 600.0
    silence: float = 1800.0
    ending: float = 15.0
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

    model: PooledModel
    avoids: frozenset[str]
    since: float  # of its state; once it is ready, of the last answer
    state: Literal["pending", "loading", "ready", "ending"] = "pending"
    node: str = ""
    room: int = 1
    chunks: list[RequestChunk] = field(default_factory=list)

    @property
    def outstanding(self) -> int:
        """How many requests it has."""
        return sum(len(chunk.left) for chunk in self.chunks)


@dataclass(eq=False)
class PooledModel:
    """A model of the run: what a replica needs, its requests, and its history.

    ``count`` is about how many requests the source will give, ``most`` how many replicas it may have.
    """

    name: str
    needs: Mapping[str, float]
    source: RequestSource
    count: int
    most: int = 1
    load_seconds: float = 3600.0
    ended: bool = False
    fresh_left: bool = True  # whether the source had a request at the last look
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


_LEAST_SHOWN = 0.01
Death: TypeAlias = Literal["crash", "memory", "loss"]
"""How a replica ended: by itself, by the guard of its node's memory, or with its node."""


class PoolCommands(Protocol):
    """What a pool has done."""

    def start(self, replica: PooledReplica) -> None:
        """Start a replica on any node but those that it avoids, as soon as there is room."""

    def feed(self, replica: PooledReplica, requests: list[PendingRequest]) -> None:
        """Send a replica requests; it answers one by one, in any order."""

    def recall(self, replica: PooledReplica) -> None:
        """Have a replica finish what it has begun, drop the rest, close its engine and end."""

    def kill(self, replica: PooledReplica) -> None:
        """End a replica at once; the pool is told nothing more of it."""

    def fail_request(self, model: PooledModel, key: str, reason: str) -> None:
        """A request gets an error in place of an answer."""

    def fail_model(self, model: PooledModel, reason: str) -> None:
        """A model cannot be asked any more; its answers are kept, the rest stays open."""

    def say(self, message: str) -> None:
        """Tell the user."""


class Pool:
    """Runs several models on a cluster: report what happens, and call :meth:`step` now and then.

    ``patient``: whether a node may join that is large enough for a model that fits on none.
    """

    def __init__(
        self,
        models: Sequence[PooledModel],
        commands: PoolCommands,
        rules: PoolRules | None = None,
        *,
        patient: bool = False,
    ) -> None:
        self._models, self._commands, self._rules = list(models), commands, rules or PoolRules()
        self._patient = patient
        self._nodes: dict[str, ClusterNode] = {}
        self._names: dict[str, str] = {}  # also of nodes that are gone

    @property
    def finished(self) -> bool:
        """Whether every model and every replica has ended."""
        return all(model.ended and not model.replicas for model in self._models)

    def set_nodes(self, nodes: Iterable[ClusterNode]) -> None:
        """Set the nodes that are there now."""
        self._nodes = {node.id: node for node in nodes}
        self._names |= {node.id: node.name for node in self._nodes.values()}

    def placed(self, replica: PooledReplica, node: str, now: float) -> None:
        """A replica has its process on a node, and begins to load."""
        replica.state, replica.node, replica.since = "loading", node, now
        replica.model.waits_since = None

    def loaded(self, replica: PooledReplica, room: int, now: float) -> None:
        """A replica has loaded its model; its engine works on ``room`` requests at once."""
        replica.state, replica.room, replica.since = "ready", max(room, 1), now
        replica.model.load_deaths.pop(replica.node, None)

    def failed_to_load(self, replica: PooledReplica, reason: str) -> None:
        """A replica says that it cannot load the model."""
        self._kill(replica)
        self._load_failed(replica, reason, self._rules.loads_a_node)

    def reported(self, replica: PooledReplica, answered: Iterable[str], room: int, now: float) -> list[str]:
        """A replica has answered these; gives those it was asked, each once."""
        known = [key for key in answered if any(chunk.left.pop(key, None) for chunk in replica.chunks)]
        replica.chunks = [chunk for chunk in replica.chunks if chunk.left]
        if known:
            replica.since, replica.room = now, max(room, 1)
            replica.model.deaths = 0
        return known

    def ended(self, replica: PooledReplica) -> None:
        """A replica that was recalled has ended; what it had not begun stays open."""
        replica.chunks = []
        self._kill(replica)

    def died(self, replica: PooledReplica, reason: str, kind: Death, now: float) -> None:
        """A replica has ended, or its engine broke."""
        self._kill(replica)
        model = replica.model
        if replica.state == "ending" and not replica.chunks:
            return
        if replica.state in ("pending", "loading") and kind != "loss":
            self._load_failed(replica, reason, 1)
            return
        reason = self._at(replica, reason)
        self._commands.say(
            f"model {model.name!r}: a replica ended, and its requests are asked again: {reason}"
        )
        model.deaths += 1
        if kind == "loss":
            self._give_back(model, replica.chunks)
        else:
            model.avoided[replica.node] = now + self._rules.avoid
            self._suspect(model, replica.chunks, reason, kind)
        if model.deaths >= self._rules.deaths:
            self._fail(model, f"{model.deaths} replicas died without an answer: {reason}")

    def server_lost(self, replica: PooledReplica, reason: str) -> None:
        """A replica says that no replica of its model can answer any more."""
        self._fail(replica.model, self._at(replica, reason))

    def step(self, now: float) -> None:
        """Do all there is to do now."""
        for model in self._models:
            for replica in list(model.replicas):
                if replica in model.replicas:  # else one before it ended the model
                    self._end_hung(replica, now)
        for model in self._models:
            if not model.ended:
                self._end_or_recall(model, now)
        self._start(now)
        for model in self._models:
            if not model.ended:
                self._feed(model, now)

    def _at(self, replica: PooledReplica, reason: str) -> str:
        return f"node {self._names[replica.node]}: {reason}" if replica.node in self._names else reason

    def _kill(self, replica: PooledReplica) -> None:
        replica.model.replicas.remove(replica)
        self._commands.kill(replica)

    def _fail(self, model: PooledModel, reason: str) -> None:
        model.ended = True
        for replica in list(model.replicas):
            self._kill(replica)
        self._commands.fail_model(model, f"model {model.name!r}: {reason}")

    def _load_failed(self, replica: PooledReplica, reason: str, deaths: int) -> None:
        """Count it against the node; where that is not known against all, so that it ends some time."""
        model = replica.model
        model.why = self._at(replica, reason)
        for node in [replica.node] if replica.node else self._nodes:
            model.load_deaths[node] += deaths
        self._commands.say(f"model {model.name!r}: a replica could not be loaded: {model.why}")

    def _suspect(self, model: PooledModel, chunks: Iterable[RequestChunk], reason: str, kind: Death) -> None:
        """One of the requests may have ended the replica; a lack of memory at first accuses none."""
        for chunk in chunks:
            chunk.memory_kills += kind == "memory"
            if kind == "memory" and chunk.memory_kills < self._rules.memory_kills:
                self._give_back(model, [chunk])
                continue
            model.suspects.extend(rest := chunk.after_death())
            for key in () if rest else chunk.left:
                self._commands.fail_request(model, key, reason)

    def _give_back(self, model: PooledModel, chunks: Iterable[RequestChunk]) -> None:
        for chunk in chunks:
            (model.suspects if chunk.deaths else model.again).append(chunk)

    def _end_hung(self, replica: PooledReplica, now: float) -> None:
        waits, load_seconds = now - replica.since, replica.model.load_seconds
        if replica.state == "loading" and waits > load_seconds:
            self.failed_to_load(replica, f"not loaded after {load_seconds:.0f} s")
        elif replica.state == "ending" and not replica.chunks and waits > self._rules.ending:
            self._kill(replica)
        elif replica.chunks and waits > self._rules.silence:
            self.died(replica, f"no answer for {waits:.0f} s", "crash", now)

    def _end_or_recall(self, model: PooledModel, now: float) -> None:
        """End the replicas that get no further request; those that hold some drop them if the run stops."""
        model.ended = not model.to_come and not model.outstanding
        for replica in list(model.replicas):
            if model.to_come or (replica.chunks and not model.source.stopped):
                continue
            if replica.state in ("pending", "loading"):
                self._kill(replica)
            elif replica.state == "ready":
                replica.state, replica.since = "ending", now
                self._commands.recall(replica)

    def _start(self, now: float) -> None:
        """Start replicas: every model has one before any has two, the largest first.

        So small models do not starve a large one; one that fits on no node that is there holds up nobody.
        """
        models = [model for model in self._models if not model.ended and model.to_come]
        first = [model for model in models if not model.placed]
        first.sort(key=lambda model: (-model.needs.get("GPU", 0), -model.needs.get("CPU", 0)))
        further = [model for model in models if model.placed]
        for model in first:
            while self._place(model, now):
                pass
        if any(self._able(model) for model in first if not model.ended):
            for replica in [each for model in further for each in model.pending]:
                self._kill(replica)
            return
        further.sort(key=lambda model: -model.left / len(model.replicas))
        while further:  # one each, so that they share what is free
            further = [model for model in further if self._place(model, now)]

    def _able(self, model: PooledModel) -> list[ClusterNode]:
        return [node for node in self._nodes.values() if node.could_hold(model.needs)]

    def _place(self, model: PooledModel, now: float) -> bool:
        """Start a replica if the model can use one more; few at once, as there may be no room."""
        able = self._able(model)
        good = model.good_nodes(able, now, self._rules)
        avoids = frozenset(node.id for node in able) - good
        for replica in [each for each in model.pending if each.avoids != avoids]:
            self._kill(replica)
        placed = len(model.placed)
        if not good if placed else not self._may_wait(model, able, good, now):
            return False
        worth = max(math.ceil((model.left + model.outstanding) / self._rules.chunk), len(model.suspects), 1)
        at_once = placed + max(placed, 4) if placed else 1
        if all(replica.state != "ready" for replica in model.replicas):
            # one that loads nowhere is found out in few rounds: as many nodes more are tried as have failed
            failed = sum(deaths >= self._rules.loads_a_node for deaths in model.load_deaths.values())
            worth, at_once = max(worth, 1 + failed), max(at_once, 1 + failed)
        if len(model.replicas) >= min(worth, model.most, at_once):
            return False
        replica = PooledReplica(model, avoids, now)
        model.replicas.append(replica)
        self._commands.start(replica)
        return True

    def _may_wait(
        self, model: PooledModel, able: Sequence[ClusterNode], good: Collection[str], now: float
    ) -> bool:
        """Whether a model without a replica may have one; it fails where no node will ever load it."""
        model.waits_since = now if model.waits_since is None else model.waits_since
        waits = now - model.waits_since
        if able and not good:
            self._fail(model, f"could not be loaded on any node; the last: {model.why}")
            return False
        needs, lacks = in_words(model.needs), "no node has as much free"
        if not able:
            lacks = f"no node of the Ray cluster has as much; {self._largest_for(model.needs)}"
            if not self._patient or waits > self._rules.wait_for_nodes:
                self._fail(model, f"needs {needs} a replica, and {lacks}")
                return False
        if waits > self._rules.report_after and not model.reported:
            model.reported = True
            self._commands.say(f"model {model.name!r} waits for {needs}: {lacks}")
        return True

    def _largest_for(self, needs: Mapping[str, float]) -> str:
        """The node that has most of what a replica needs, and how much that is."""
        has = {
            node.name: {name: node.resources.get(name, 0) for name in needs} for node in self._nodes.values()
        }
        if not has:
            return "there is none"
        name = max(has, key=lambda name: list(has[name].values()))
        return f"the largest, node {name}, has {in_words(has[name]) or 'none of it'}"

    def _feed(self, model: PooledModel, now: float) -> None:
        """Send what there is to send: suspects last, each to a replica that has nothing else.

        Before, a handful of bad requests could end one replica after the other while the rest waits.
        """
        if model.source.stopped:
            return
        ready = [replica for replica in model.replicas if replica.state == "ready"]
        ready.sort(key=lambda replica: replica.outstanding)
        share = math.ceil((model.left + model.outstanding) / max(len(model.placed), 1))
        for replica in ready:
            self._feed_fresh(model, replica, share, now)
        if not model.again and (model.source.done or not model.fresh_left):
            for replica in ready:
                if model.suspects and not replica.chunks:
                    self._send(replica, model.suspects.popleft(), now)

    def _feed_fresh(self, model: PooledModel, replica: PooledReplica, share: int, now: float) -> None:
        """Keep the engine busy with a chunk beyond what it works on; less towards the end."""
        chunk = self._rules.chunk
        most = min(share, max(replica.room, math.ceil(share / 2)), max(replica.room, chunk) + chunk)
        while model.again or not model.source.done:
            missing = max(most, 1) - replica.outstanding
            if missing <= min(chunk, most) // 2:
                return
            if (found := model.take(min(missing, chunk), self._rules.characters)) is None:
                return
            self._send(replica, found, now)

    def _send(self, replica: PooledReplica, chunk: RequestChunk, now: float) -> None:
        if not replica.chunks:
            replica.since = now
        replica.chunks.append(chunk)
        self._commands.feed(replica, list(chunk.left.values()))


def in_words(needs: Mapping[str, float]) -> str:
    """What a replica needs, as ``2 GPU, 1 CPU``; of a kind of accelerator its name alone."""
    return ", ".join(
        f"{number:g} {name}" if number >= _LEAST_SHOWN else name for name, number in needs.items() if number
    )
