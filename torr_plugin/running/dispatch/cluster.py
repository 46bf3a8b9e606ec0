"""What a cluster has, and where an actor fits."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

_LITTLE = 1e-6


@dataclass(frozen=True, slots=True)
class Needs:
    """What one actor of a model holds, and how many actors it has at most."""

    cpus: float
    gpus: float
    actors: int

    def __str__(self) -> str:
        """In words: its GPUs where it needs any, else its CPUs."""
        number, unit = (self.gpus, "GPU") if self.gpus else (self.cpus, "CPU")
        return f"{number:g} {unit}{'' if number == 1 else 's'}"


@dataclass(frozen=True, slots=True)
class Node:
    """A machine of the cluster; ``taken`` is what others than this study hold there."""

    name: str
    cpus: float
    gpus: float
    taken_cpus: float = 0.0
    taken_gpus: float = 0.0

    def could_hold(self, needs: Needs) -> bool:
        """Whether an actor would fit if the node were free."""
        return needs.cpus <= self.cpus + _LITTLE and needs.gpus <= self.gpus + _LITTLE


@dataclass
class Free:
    """What is free on each node."""

    cpus: dict[str, float]
    gpus: dict[str, float]

    @classmethod
    def of(cls, nodes: Mapping[str, Node], held: Collection[tuple[str, Needs]]) -> Free:
        """What of the nodes neither others nor our actors hold."""
        free = cls(
            {name: node.cpus - node.taken_cpus for name, node in nodes.items()},
            {name: node.gpus - node.taken_gpus for name, node in nodes.items()},
        )
        for name, needs in held:
            free.take(name, needs)
        return free

    def take(self, node: str, needs: Needs) -> None:
        """Hold an actor's share of a node; nothing where the node is gone."""
        if node in self.cpus:
            self.cpus[node] -= needs.cpus
            self.gpus[node] -= needs.gpus

    def best(self, needs: Needs, without: Collection[str]) -> str | None:
        """The node for an actor: with the fewest GPUs free, so that large models find room, and most CPUs."""
        fits = [
            name
            for name in self.cpus
            if name not in without
            and needs.cpus <= self.cpus[name] + _LITTLE
            and needs.gpus <= self.gpus[name] + _LITTLE
        ]
        return min(fits, key=lambda name: (self.gpus[name], -self.cpus[name]), default=None)


def too_large(model: str, needs: Needs, nodes: Iterable[Node]) -> str:
    """The line for a model that no node can hold."""
    unit = "gpus" if needs.gpus else "cpus"
    largest = max((getattr(node, unit) for node in nodes), default=None)
    if largest is None:
        return f"model {model!r} wants {needs} an actor, no node of the Ray cluster is left"
    return f"model {model!r} wants {needs} an actor, the largest node of the Ray cluster has {largest:g}"
