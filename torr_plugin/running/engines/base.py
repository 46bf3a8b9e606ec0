"""What an engine is.

MERGED: Whether a prompt and its answer fit into what a model takes.
MERGED: How many requests to ask at once: so many that a shard is written every few seconds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from ..contexts import Context, Failure


@dataclass(frozen=True, slots=True)
class ModelOutput:
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
class EngineRequest:
    """A request under way: a number of the caller's, what is asked, and lm-eval's generation arguments."""

    number: int
    context: Context
    generation: Mapping[str, Any]


Finished: TypeAlias = "tuple[int, ModelOutput | Failure]"


class Engine(Protocol):
    """Generates; keeps as many requests under way as it can use.

    Driven by one thread: ``add`` up to ``room`` tasks, ``step`` until they are finished, ``add`` more between
    the steps.
    """

    def room(self) -> int:
        """How many more tasks it can use now; 0 while it is full."""

    def add(self, tasks: Sequence[EngineRequest]) -> None:
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


def unstarted_requests(engine: Engine) -> list[int]:
    """The tasks that an engine has taken and not begun with, forgotten by it; called when a run is to stop.

    Only an engine that lets tasks wait (for a server's rate limit, say) has this, as a method ``recall``.
    """
    recall = getattr(engine, "recall", None)
    return list(recall()) if recall else []


def context_overflow(prompt_tokens: int, most: int, context: int) -> Failure | None:
    """Why a prompt cannot be asked whole; None where it can.

    Args:
        prompt_tokens: of the prompt.
        most: tokens that its answer may have.
        context: tokens that the model takes, prompt and answer together.
    """
    if prompt_tokens + most <= context:
        return None
    takes = max(context - most, 0)
    return Failure(
        f"the prompt has {prompt_tokens} tokens, the model takes {takes} with max_tokens {most}",
        prompt_tokens,
    )


FIRST = 64
FEWEST = 32
MOST = 4096
SECONDS = 5.0
_GROWTH = 4


@dataclass
class BatchSize:
    """The size of the next batch, from how long the last ones took.

    A batch is what a killed run loses, so it is to take about ``seconds``; a fast model must not leave
    thousands of small files, nor a slow engine be fed so little at once that it idles.
    """

    size: int = FIRST
    seconds: float = SECONDS
    fewest: int = FEWEST

    def record(self, requests: int, seconds: float) -> None:
        """Take note of a batch that was answered."""
        wanted = requests / max(seconds, 1e-6) * self.seconds
        self.size = int(min(max(wanted, self.fewest), MOST, self.size * _GROWTH))
