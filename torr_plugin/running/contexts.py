"""From a prompt to what a model of lm-eval is given: a text or what its chat template makes, and pictures.

MERGED: Whether a model is asked in chat messages or in plain text.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..core.errors import ModelError
from ..prompts.message import images_of, merged, spoilt
from .answer import one_line
from .registry import baselines
from .requirements import requirements_of

if TYPE_CHECKING:
    from lm_eval.api.model import LM

    from ..prompts.message import Prompt
    from ..recipes import ModelEntry

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


BY_TEMPLATE = "by template"


def recorded_chat(model: str, chat: bool | str | None) -> bool | str | None:
    """A chat setting as study.yaml has it; nothing wished is said in words where a template decides.

    Versions that wrote nothing (null) there asked these models in plain text.
    """
    return BY_TEMPLATE if chat is None and not _always_alike(model) else chat


def chat_as_asked(model: str, recorded: bool | str | None) -> bool | str | None:
    """How a model was asked that study.yaml names with this chat setting."""
    return False if recorded is None and not _always_alike(model) else recorded


def _always_alike(model: str) -> bool:
    """Whether a model is asked in one way whatever its template: baselines, and what takes messages alone."""
    need = requirements_of(model)
    return model in baselines() or (need is not None and need.kind == "server" and "chat" in model)


def asked_in_messages(entry: ModelEntry, lm: LM) -> bool:
    """As the entry says; else where the model takes nothing but messages or has a template of its own.

    Raises:
        ModelError: the entry wishes what the model cannot do.
    """
    only = any("Chat" in kind.__name__ for kind in type(lm).__mro__)
    if entry.chat is False and only:
        raise ModelError(
            f"model {entry.label!r}: {entry.model!r} takes chat messages alone; "
            f"leave out 'chat: false' (--no-chat)"
        )
    if only or entry.chat is False:
        return only
    if entry.chat is None and not _has_template(lm):
        return False
    failed = _failed(lm)
    if failed is None:
        _log.info("model %r is asked through its chat template", entry.label)
        return True
    if entry.chat:
        raise ModelError(
            f"model {entry.label!r} has no usable chat template: {failed}; leave out 'chat: true' (--chat)"
        )
    _log.warning("model %r is asked in plain text: its chat template fails (%s)", entry.label, failed)
    return False


def _has_template(lm: LM) -> bool:
    """Whether a loaded model's own tokenizer or processor brings a chat template.

    A library's stand-in for a tokenizer without one does not count: a base model would be asked in a form
    that it never saw.
    """
    if any(kind.__name__ == "TemplateAPI" for kind in type(lm).__mro__) and not _templates_here(lm):
        return False
    return any(
        bool(getattr(getattr(lm, name, None), "chat_template", None)) for name in ("tokenizer", "processor")
    )


def _templates_here(server: Any) -> bool:
    """Whether lm-eval's model of a server applies a tokenizer's template before it sends the text."""
    local = getattr(server, "tokenizer_backend", None) == "huggingface"
    return local and bool(getattr(server, "tokenized_requests", False))


def _failed(lm: Any) -> str | None:
    """Why the template cannot be applied; None where it can."""
    applied = getattr(lm, "chat_applied", None)  # lm-eval's models of pictures remember that one was
    try:
        lm.apply_chat_template([{"role": "user", "content": "?"}])
    except Exception as error:  # templates are programs of their own
        if applied is not None:
            lm.chat_applied = applied
        return one_line(error)
    return None


def pil_images(images: Sequence[bytes]) -> list[Any]:
    """Pictures as lm-eval's models take them: RGB images of Pillow, on white where they are transparent."""
    return [_opened(image) for image in images]


def _opened(image: bytes) -> Any:
    from io import BytesIO

    from PIL import Image

    with Image.open(BytesIO(image)) as read:
        if "A" not in read.getbands() and "transparency" not in read.info:
            return read.convert("RGB")
        layers = read.convert("RGBA")
    paper = Image.new("RGBA", layers.size, "white")
    return Image.alpha_composite(paper, layers).convert("RGB")
