"""Whether a model is asked in chat messages or in plain text."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from ..core.errors import ModelError
from .answer import one_line
from .needs import need_of
from .registry import baselines

if TYPE_CHECKING:
    from lm_eval.api.model import LM

    from ..recipes import ModelEntry

_log = logging.getLogger(__name__)
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
    need = need_of(model)
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
