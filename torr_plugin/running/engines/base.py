"""What an engine is, what it takes, and what it gives back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import Any, Protocol, TypeAlias


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a request has no answer; ``prompt_tokens`` where they were counted."""

    reason: str
    prompt_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Context:
    """What a model is given for one request: ``text`` as its template made it, and pictures (PNG)."""

    text: Any
    images: tuple[bytes, ...] = ()


def pil_images(images: Sequence[bytes]) -> list[Any]:
    """PNGs as the Pillow images that lm-eval's models take: RGB, on white where they are transparent."""
    from PIL import Image  # part of an extra

    found = []
    for image in images:
        with Image.open(BytesIO(image)) as read:
            layers = read.convert("RGBA")
        paper = Image.new("RGBA", layers.size, "white")
        found.append(Image.alpha_composite(paper, layers).convert("RGB"))
    return found


@dataclass(frozen=True, slots=True)
class ModelOutput:
    """What a model generated.

    ``finish_reason`` is the engine's word for why it ended: ``stop``, ``length`` where it was cut off at
    ``max_tokens``, ...; ``reasoning`` are thoughts that the engine tells from the text, which may hold more.
    Of the prompt, ``cached_tokens`` came from a prefix cache and ``cache_write_tokens`` were put there for a
    price of their own; ``reasoning_tokens`` are a part of the completion's. ``served_by`` is the model that a
    server's reply names. None: unknown.
    """

    text: str
    finish_reason: str | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached_tokens: int | None = None
    cache_write_tokens: int | None = None
    reasoning_tokens: int | None = None
    reasoning: str | None = None
    served_by: str | None = None


@dataclass(frozen=True, slots=True)
class EngineRequest:
    """One request for an engine: the caller's number, the context, and lm-eval's generation arguments."""

    number: int
    context: Context
    generation: Mapping[str, Any]


Finished: TypeAlias = "tuple[int, ModelOutput | Failure]"


class Engine(Protocol):
    """Generates; keeps as many requests in flight as it can use.

    One thread drives it: ``add`` up to ``room`` requests, ``step`` until they are finished, ``add`` more
    between the steps.
    """

    def room(self) -> int:
        """How many more requests it can take now; 0 while it is full."""

    def add(self, requests: Sequence[EngineRequest]) -> None:
        """Take requests, in their order."""

    def step(self) -> list[Finished]:
        """Work for at most some seconds, and return what is finished, in any order.

        A request that fails comes back as its :class:`Failure`, and costs no other request.

        Raises:
            Exception: the engine itself is broken and can answer nothing more.
        """

    def recall(self) -> list[int]:
        """Drop the requests that it has not begun, and return their numbers; called when a run stops."""

    def abandon(self) -> list[Finished]:
        """Stop at once and return what is finished; the other requests are dropped."""

    def close(self) -> None:
        """Release everything it holds."""


def context_overflow(prompt_tokens: int, most: int, context: int) -> Failure | None:
    """Why a prompt is too long for the model; None where it fits.

    Args:
        prompt_tokens: the length of the prompt.
        most: the most tokens of its answer.
        context: the most tokens of prompt and answer together.
    """
    if prompt_tokens + most <= context:
        return None
    takes = max(context - most, 0)
    return Failure(
        f"the prompt has {prompt_tokens} tokens, the model takes {takes} with max_tokens {most}",
        prompt_tokens,
    )
