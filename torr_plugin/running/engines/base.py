"""What an engine is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from ..contexts import Context, Failure


@dataclass(frozen=True, slots=True)
class Generated:
    """What a model wrote.

    ``finish_reason`` is the engine's word for why it ended: ``stop``, ``length`` where it was cut at
    ``max_tokens``, ...; ``cached_tokens`` are those of the prompt that a prefix cache had. None: not told.
    """

    text: str
    finish_reason: str | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Task:
    """A request under way: a number of the caller's, what is asked, and lm-eval's generation arguments."""

    number: int
    context: Context
    generation: Mapping[str, Any]


Finished: TypeAlias = "tuple[int, Generated | Failure]"


class Engine(Protocol):
    """Generates; keeps as many requests under way as it can use.

    Driven by one thread: ``add`` up to ``room`` tasks, ``step`` until they are finished, ``add`` more between
    the steps.
    """

    def room(self) -> int:
        """How many more tasks it can use now; 0 while it is full."""

    def add(self, tasks: Sequence[Task]) -> None:
        """Take tasks, in their order."""

    def step(self) -> list[Finished]:
        """Work for a while, at most some seconds, and give what is finished, in any order.

        A task that fails is given as its :class:`Failure`; one failure costs no other task.

        Raises:
            Exception: the engine itself is broken and can answer nothing more.
        """

    def abandon(self) -> list[Finished]:
        """Stop at once: what is finished of the tasks under way; the others are forgotten."""

    def close(self) -> None:
        """Let go of what it holds."""


def recalled(engine: Engine) -> list[int]:
    """The tasks that an engine has taken and not begun with, forgotten by it; called when a run is to stop.

    Only an engine that lets tasks wait (for a server's rate limit, say) has this, as a method ``recall``.
    """
    recall = getattr(engine, "recall", None)
    return list(recall()) if recall else []
