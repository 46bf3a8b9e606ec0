"""The rules of a dispatcher, and the commands that it gives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from ..pending_request import PendingRequest


@dataclass(frozen=True, slots=True)
class DispatchRules:
    """Times are in seconds.

    Attributes:
        batch_seconds: how much work is sent at once; an actor has twice as much outstanding.
        first: requests sent at once while nothing is known of a model's speed.
        fewest: the smallest batch, except at the end.
        most: the largest batch.
        characters: about the most text and pictures sent at once.
        requests_per_actor: a model gets one actor per so many pending requests.
        load_deaths: how often in a row loading may end an actor.
        deaths_without_answer: how often in a row actors may die without any answer in between.
        losses: how often in a row a model may lose its nodes without any answer in between.
        silence: an actor without an answer for so long counts as hung ...
        silence_factor: ... if that is also so many times what its outstanding requests should take.
        wait_for_nodes: how long a model waits for a node that is large enough, after the last one has gone.
        idle: how long an actor is kept for further requests while other models wait.
        report_after: a longer wait is reported.
    """

    batch_seconds: float = 5.0
    first: int = 64
    fewest: int = 32
    most: int = 4096
    characters: int = 16_000_000
    requests_per_actor: int = 256
    load_deaths: int = 3
    deaths_without_answer: int = 30
    losses: int = 20
    silence: float = 600.0
    silence_factor: float = 20.0
    wait_for_nodes: float = 600.0
    idle: float = 60.0
    report_after: float = 60.0


@dataclass(frozen=True, slots=True)
class StartActor:
    """Start an actor of a model (``job``, its number in the order given) on a node."""

    actor: int
    job: int
    node: str


@dataclass(frozen=True, slots=True)
class SendRequests:
    """Send an actor requests; they are answered one by one, in any order."""

    actor: int
    requests: list[PendingRequest]


@dataclass(frozen=True, slots=True)
class StopActor:
    """End an actor: with ``kill`` at once, else after it has closed its engine."""

    actor: int
    kill: bool = False


@dataclass(frozen=True, slots=True)
class FailRequests:
    """Requests that get an error in place of an answer."""

    job: int
    keys: tuple[str, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class FailJob:
    """A model that cannot be asked any more; its answers are kept, the rest stays open."""

    job: int
    reason: str


Command: TypeAlias = "StartActor | SendRequests | StopActor | FailRequests | FailJob"
