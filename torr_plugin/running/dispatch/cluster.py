"""The nodes of a cluster, and which models get the next actors on them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

_LITTLE = 1e-6


@dataclass(frozen=True, slots=True)
class ActorResources:
    """What one actor of a model holds, and how many actors it has at most."""

    cpus: float
    gpus: float
    actors: int

    def __str__(self) -> str:
        """In words: its GPUs where it needs any, else its CPUs."""
        number, unit = (self.gpus, "GPU") if self.gpus else (self.cpus, "CPU")
        return f"{number:g} {unit}{'' if number == 1 else 's'}"


@dataclass(frozen=True, slots=True)
class ClusterNode:
    """A machine of the cluster; ``taken`` is what others hold there."""

    name: str
    cpus: float
    gpus: float
    taken_cpus: float = 0.0
    taken_gpus: float = 0.0

    def could_hold(self, needs: ActorResources) -> bool:
        """Whether an actor would fit if the node were free."""
        return needs.cpus <= self.cpus + _LITTLE and needs.gpus <= self.gpus + _LITTLE


@dataclass
class FreeResources:
    """What is free on each node."""

    cpus: dict[str, float]
    gpus: dict[str, float]

    @classmethod
    def of(
        cls, nodes: Mapping[str, ClusterNode], held: Collection[tuple[str, ActorResources]]
    ) -> FreeResources:
        """The resources of the nodes that nobody holds."""
        free = cls(
            {name: node.cpus - node.taken_cpus for name, node in nodes.items()},
            {name: node.gpus - node.taken_gpus for name, node in nodes.items()},
        )
        for name, needs in held:
            free.take(name, needs)
        return free

    def take(self, node: str, needs: ActorResources) -> None:
        """Hold an actor's share of a node; nothing where the node is gone."""
        if node in self.cpus:
            self.cpus[node] -= needs.cpus
            self.gpus[node] -= needs.gpus

    def best(self, needs: ActorResources, without: Collection[str]) -> str | None:
        """The node for an actor: with the fewest GPUs free, so that large models find room, and most CPUs."""
        fits = [
            name
            for name in self.cpus
            if name not in without
            and needs.cpus <= self.cpus[name] + _LITTLE
            and needs.gpus <= self.gpus[name] + _LITTLE
        ]
        return min(fits, key=lambda name: (self.gpus[name], -self.cpus[name]), default=None)


def too_large(model: str, needs: ActorResources, nodes: Iterable[ClusterNode]) -> str:
    """The line for a model that no node can hold."""
    unit = "gpus" if needs.gpus else "cpus"
    largest = max((getattr(node, unit) for node in nodes), default=None)
    if largest is None:
        return f"model {model!r} needs {needs} per actor, but no node of the Ray cluster is left"
    return f"model {model!r} needs {needs} per actor, the largest node of the Ray cluster has {largest:g}"


@dataclass(frozen=True, slots=True)
class ActorDemand:
    """A model that can use ``more`` actors beside the ``there`` it has, for ``backlog`` requests."""

    job: int
    needs: ActorResources
    there: int
    more: int
    backlog: int


def place_actors(
    demands: Sequence[ActorDemand], nodes: Mapping[str, ClusterNode], free: FreeResources
) -> list[tuple[int, str]]:
    """Job and node of each actor to start now; ``free`` is left with what they hold.

    Every model gets one actor before any gets a second, the largest first, so that small ones do not break
    up the nodes. A model that finds no room reserves a node, where nothing else is started: the models
    there finish at some time, so none starves, and smaller models still use the other nodes. What is left
    goes to the models with most requests an actor.
    """
    found: list[tuple[int, str]] = []
    kept: set[str] = set()
    for demand in sorted(
        (demand for demand in demands if not demand.there),
        key=lambda demand: (-demand.needs.gpus, -demand.needs.cpus, demand.job),
    ):
        node = free.best(demand.needs, kept)
        if node is None:
            kept |= _to_keep(demand.needs, nodes, free, kept)
            continue
        free.take(node, demand.needs)
        found.append((demand.job, node))
    return found + _further(demands, found, free, kept)


def _to_keep(
    needs: ActorResources, nodes: Mapping[str, ClusterNode], free: FreeResources, kept: set[str]
) -> set[str]:
    """The node that a model without room waits for: of those large enough the one with most free."""
    able = [name for name, node in nodes.items() if node.could_hold(needs) and name not in kept]
    return set(sorted(able, key=lambda name: (-free.gpus[name], -free.cpus[name], name))[:1])


def _further(
    demands: Sequence[ActorDemand], started: Sequence[tuple[int, str]], free: FreeResources, kept: set[str]
) -> list[tuple[int, str]]:
    """Second and further actors, one after the other."""
    first = {job for job, _ in started}
    there = {demand.job: demand.there + (demand.job in first) for demand in demands}
    most = {demand.job: demand.there + demand.more for demand in demands}
    open_demands = [demand for demand in demands if there[demand.job]]
    found: list[tuple[int, str]] = []
    while open_demands := [demand for demand in open_demands if there[demand.job] < most[demand.job]]:
        demand = max(open_demands, key=lambda demand: (demand.backlog / there[demand.job], -demand.job))
        node = free.best(demand.needs, kept)
        if node is None:
            open_demands.remove(demand)
            continue
        free.take(node, demand.needs)
        there[demand.job] += 1
        found.append((demand.job, node))
    return found
