"""What a dispatcher wants done."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from ..pending_request import PendingRequest


@dataclass(frozen=True, slots=True)
class Start:
    """Start an actor of a model (``job``, its number in the order given) on a node."""

    actor: int
    job: int
    node: str


@dataclass(frozen=True, slots=True)
class Feed:
    """Send an actor requests; they are answered one by one, in any order."""

    actor: int
    asked: list[PendingRequest]


@dataclass(frozen=True, slots=True)
class Stop:
    """End an actor: ``kill`` at once, else after it has let go of its engine."""

    actor: int
    kill: bool = False


@dataclass(frozen=True, slots=True)
class Refuse:
    """Requests that get no answer, and why; rows with an error."""

    job: int
    keys: tuple[str, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class Fail:
    """A model that cannot be asked (any more); what was answered is kept, the rest stays open."""

    job: int
    reason: str


Command: TypeAlias = "Start | Feed | Stop | Refuse | Fail"
