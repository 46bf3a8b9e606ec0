"""What an engine is, what it takes (plain text or a chat template's, and images), and what it gives back."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from ...core.errors import ModelError, described
from ...prompts.message import images_of, merged, spoilt
from ..models import ModelClass, baselines, requirements_of

if TYPE_CHECKING:
    from lm_eval.api.model import LM

    from ...prompts.message import Prompt
    from ...recipes import ModelEntry


_log = logging.getLogger(__name__)
BY_TEMPLATE = "by template"
TEMPLATED = "apply_chat_template"
"""The field of what a model is sent that says whether its chat template was applied."""


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


class Contexts:
    """Makes contexts for one model; warns once where a system turn moves into the user's."""

    def __init__(self, lm: LM, *, chat: bool) -> None:
        self._lm, self._chat, self._merges = lm, chat, False
        self._class = ModelClass(type(lm))

    def of(self, prompt: Prompt) -> Context | Failure:
        """What the model is given for a prompt, or why it cannot be asked."""
        images = images_of(prompt)
        refusal = self._too_many_images(len(images))
        if refusal:
            return Failure(refusal)
        if not images and self._class.multimodal and not self._class.server:
            prompt = spoilt(prompt)
        made = self._templated(prompt) if self._chat else plain_text(prompt)
        return made if isinstance(made, Failure) else Context(made, images)

    def _templated(self, prompt: Prompt) -> Any:
        """What the chat template makes; a system turn that it refuses or drops goes into the user's turn."""
        system = [turn.content for turn in prompt if turn.role == "system"]
        if system and self._merges:
            return self._applied(merged(prompt))
        made = self._applied(prompt)
        if not system or (not isinstance(made, Failure) and _holds(made, system)):
            return made
        instead = self._applied(merged(prompt))
        if isinstance(instead, Failure):
            return made
        _log.warning("the model takes no system turn: its text stands before the user's")
        self._merges = True
        return instead

    def _applied(self, prompt: Prompt) -> Any:
        try:
            return self._lm.apply_chat_template(
                [{"role": turn.role, "content": turn.content} for turn in prompt]
            )
        except Exception as error:  # templates are programs of their own
            return Failure(described(error))

    def _too_many_images(self, count: int) -> str | None:
        if not count:
            return None
        if not self._class.multimodal:
            return "the prompt shows a picture, and the model sees text only"
        most = getattr(self._lm, "max_images", None)
        if isinstance(most, int) and count > most:
            return f"the prompt has {count} pictures, the model takes {most}: raise its argument max_images"
        return None


def plain_text(prompt: Prompt) -> str:
    """A prompt as one text: the turns, a blank line between two."""
    return "\n\n".join(turn.content for turn in prompt)


def _holds(made: Any, texts: list[str]) -> bool:
    """Whether a template's text has the system's in it; messages for a server are trusted."""
    return not isinstance(made, str) or all(text.strip() in made for text in texts)


def recorded_chat(model: str, chat: bool | str | None) -> bool | str | None:
    """A model's chat setting for study.yaml; ``by template`` where neither user nor model decides."""
    if chat is not None or _always_alike(model):
        return chat
    return BY_TEMPLATE


def _always_alike(model: str) -> bool:
    """Whether a template makes no difference: baselines, and servers that take messages only."""
    need = requirements_of(model)
    return model in baselines() or (need is not None and need.kind == "server" and "chat" in model)


def uses_chat(entry: ModelEntry, lm: LM) -> bool:
    """Whether to use chat messages: what the entry says, else whether the model has a chat template.

    Raises:
        ModelError: the model cannot do what the entry says.
        ImportError: the model's tokenizer needs a package that is not installed.
    """
    only = ModelClass(type(lm)).chat_only
    if entry.chat is False and only:
        raise ModelError("the model takes chat messages only; leave out 'chat: false' (--no-chat)")
    if only or entry.chat is False:
        return only
    if entry.chat is None and not _has_template(lm):
        return False
    failure = _template_failure(lm)
    if failure is None:
        _log.info("model %r is asked through its chat template", entry.label)
        return True
    if entry.chat:
        raise ModelError(f"the model has no usable chat template: {failure}; leave out 'chat: true' (--chat)")
    _log.warning("model %r is asked in plain text: its chat template fails (%s)", entry.label, failure)
    return False


def _has_template(lm: LM) -> bool:
    """Whether a loaded model's own tokenizer or processor brings a chat template.

    A library's stand-in for a tokenizer without one does not count: a base model would be asked in a form
    that it never saw.
    """
    if ModelClass(type(lm)).server and not _applies_template(lm):
        return False
    return any(
        bool(getattr(getattr(lm, name, None), "chat_template", None)) for name in ("tokenizer", "processor")
    )


def _applies_template(server: Any) -> bool:
    """Whether lm-eval's model of a server applies a tokenizer's template before it sends the text."""
    local = getattr(server, "tokenizer_backend", None) == "huggingface"
    return local and bool(getattr(server, "tokenized_requests", False))


def _template_failure(lm: Any) -> str | None:
    """Why the template cannot be applied; None where it can."""
    applied = getattr(lm, "chat_applied", None)  # lm-eval's models of pictures remember that one was
    try:
        lm.apply_chat_template([{"role": "user", "content": "?"}])
    except ImportError:  # reported by the caller, with the command that installs the package
        raise
    except Exception as error:  # templates are programs of their own
        if applied is not None:
            lm.chat_applied = applied
        return described(error)
    return None


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
