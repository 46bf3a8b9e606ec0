"""What asking a server once came to."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

from ...contexts import Failure
from ..base import ModelOutput


class Trouble(Enum):
    """Why a request has to be asked again."""

    UNREACHABLE = "no connection can be made"
    OVERLOADED = "the server takes no more for now"
    SLOW = "no reply in time"
    FAULTY = "the server failed, or replied with something else than an answer"


@dataclass(frozen=True, slots=True)
class Again:
    """No answer, but there may be one later; ``wait``: the seconds that the server asks to wait."""

    trouble: Trouble
    reason: str
    wait: float | None = None


@dataclass(frozen=True, slots=True)
class Denied:
    """A refusal that would meet every request alike: a wrong key, path or model, an empty account."""

    reason: str


Outcome: TypeAlias = "ModelOutput | Failure | Again | Denied"
