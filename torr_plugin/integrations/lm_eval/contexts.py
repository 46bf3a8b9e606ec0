"""What lm-eval sends for a prompt: its text, or what the model's chat template makes of it; and pictures."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ...core.errors import InputError
from ...prompts.message import images_of
from ...running.contexts import Context, Contexts, Failure, pil_images, plain_text

if TYPE_CHECKING:
    from ...prompts import Prompt


class Sending:
    """Makes contexts as ``torr run`` does: through a template with system turns and earlier turns, or plain.

    Args:
        template: lm-eval's ``apply_chat_template`` of the model; None for plain text.
    """

    def __init__(self, template: Callable[..., Any] | None) -> None:
        self._contexts = None if template is None else Contexts(_model_of(template), chat=True)

    def of(self, prompt: Prompt) -> Context:
        """What is sent for a prompt.

        Raises:
            InputError: the model's chat template cannot be applied to it, or it takes no such pictures.
        """
        if self._contexts is None:
            return Context(plain_text(prompt), images_of(prompt))
        made = self._contexts.of(prompt)
        if isinstance(made, Failure):
            raise InputError(f"the prompt cannot be sent with --apply_chat_template: {made.reason}")
        return made


def arguments_of(context: Context, generation: dict[str, Any]) -> tuple[Any, ...]:
    """A request's arguments as lm-eval's ``generate_until`` takes them."""
    if not context.images:
        return context.text, generation
    return context.text, generation, {"visual": pil_images(context.images)}


class _Templated:
    """Stands in for a model of which the template alone is known."""

    def __init__(self, template: Callable[..., Any]) -> None:
        self.apply_chat_template = template


def _model_of(template: Callable[..., Any]) -> Any:
    model = getattr(template, "__self__", None)
    return model if hasattr(model, "apply_chat_template") else _Templated(template)
