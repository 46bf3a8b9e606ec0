"""Which models get the next actors, and where."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .cluster import Free, Needs, Node


@dataclass(frozen=True, slots=True)
class Wish:
    """A model that can use ``more`` actors beside the ``there`` it has, for ``backlog`` requests."""

    job: int
    needs: Needs
    there: int
    more: int
    backlog: int


def allocate(wishes: Sequence[Wish], nodes: Mapping[str, Node], free: Free) -> list[tuple[int, str]]:
    """Job and node of each actor to start now; ``free`` is left with what they hold.

    Every model gets one actor before any gets a second, the largest first, so that small ones do not break
    up the nodes. A model that finds no room keeps a node: nothing else is started there until it has room,
    which comes since the work of those that hold it ends; so none starves, and smaller models still use the
    other nodes. What is left goes to the models with most requests an actor.
    """
    found: list[tuple[int, str]] = []
    kept: set[str] = set()
    for wish in sorted(
        (wish for wish in wishes if not wish.there),
        key=lambda wish: (-wish.needs.gpus, -wish.needs.cpus, wish.job),
    ):
        node = free.best(wish.needs, kept)
        if node is None:
            kept |= _to_keep(wish.needs, nodes, free, kept)
            continue
        free.take(node, wish.needs)
        found.append((wish.job, node))
    return found + _further(wishes, found, free, kept)


def _to_keep(needs: Needs, nodes: Mapping[str, Node], free: Free, kept: set[str]) -> set[str]:
    """The node that a model without room waits for: of those large enough the one with most that is free."""
    able = [name for name, node in nodes.items() if node.could_hold(needs) and name not in kept]
    return set(sorted(able, key=lambda name: (-free.gpus[name], -free.cpus[name], name))[:1])


def _further(
    wishes: Sequence[Wish], started: Sequence[tuple[int, str]], free: Free, kept: set[str]
) -> list[tuple[int, str]]:
    """Second and further actors, one after the other."""
    first = {job for job, _ in started}
    there = {wish.job: wish.there + (wish.job in first) for wish in wishes}
    most = {wish.job: wish.there + wish.more for wish in wishes}
    open_wishes = [wish for wish in wishes if there[wish.job]]
    found: list[tuple[int, str]] = []
    while open_wishes := [wish for wish in open_wishes if there[wish.job] < most[wish.job]]:
        wish = max(open_wishes, key=lambda wish: (wish.backlog / there[wish.job], -wish.job))
        node = free.best(wish.needs, kept)
        if node is None:
            open_wishes.remove(wish)
            continue
        free.take(node, wish.needs)
        there[wish.job] += 1
        found.append((wish.job, node))
    return found
