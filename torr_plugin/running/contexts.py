"""From a prompt to what a model of lm-eval is given: a text or what its chat template makes, and pictures."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..prompts.message import images_of, merged, spoilt
from .answer import one_line

if TYPE_CHECKING:
    from lm_eval.api.model import LM

    from ..prompts.message import Prompt

_log = logging.getLogger(__name__)


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
    """Makes contexts for one model; says once where a system turn goes into the user's."""

    def __init__(self, lm: LM, *, chat: bool) -> None:
        self._lm, self._chat, self._merges = lm, chat, False

    def of(self, prompt: Prompt) -> Context | Failure:
        """What the model is given, or why it cannot be asked."""
        images = images_of(prompt)
        refusal = _refused_images(self._lm, len(images))
        if refusal:
            return Failure(refusal)
        if not images and _places_pictures(self._lm):
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
            return Failure(one_line(error))


def plain_text(prompt: Prompt) -> str:
    """A prompt as one text: the turns, a blank line between two."""
    return "\n\n".join(turn.content for turn in prompt)


def _holds(made: Any, texts: list[str]) -> bool:
    """Whether a template's text has the system's in it; messages for a server are trusted."""
    return not isinstance(made, str) or all(text.strip() in made for text in texts)


def _places_pictures(lm: LM) -> bool:
    """Whether a model takes :data:`IMAGE` in a text for a picture's place; servers take it as it is."""
    servers = any(kind.__name__ == "TemplateAPI" for kind in type(lm).__mro__)
    return bool(getattr(lm, "MULTIMODAL", False)) and not servers


def _refused_images(lm: LM, count: int) -> str | None:
    """Why a model cannot be asked with so many pictures; None where it can."""
    if not count:
        return None
    if not getattr(lm, "MULTIMODAL", False):
        return "the prompt shows a picture, and the model sees text alone"
    most = getattr(lm, "max_images", None)
    if isinstance(most, int) and count > most:
        return f"the prompt has {count} pictures, the model takes {most}: raise its argument max_images"
    return None
