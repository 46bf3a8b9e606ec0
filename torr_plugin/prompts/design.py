"""What a design is, and all designs by name."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..tables import Registry
from .message import Message, Prompt

if TYPE_CHECKING:
    from ..catalog import Card, Template
    from .configured import Configured


@dataclass(frozen=True, slots=True)
class Shown:
    """An example as a prompt shows it: written in one configuration, the template's places filled.

    ``target`` is the answer as a demonstration gives it; for the example that is asked a design leaves it
    out. ``images`` are the pictures (PNG) that ``source`` has an ``<image>`` for, in order; a design hands
    them on in :attr:`Message.images <torr_plugin.prompts.Message.images>` of the turn that holds the source.
    """

    instruction: str
    source: str
    target_prefix: str
    target: str
    images: tuple[bytes, ...] = ()


class Design(ABC):
    """How a prompt is put together of an instruction, demonstrations and the example that is asked.

    ``name`` is the one in configuration ids. A design is a pure function of what it is given: no state, no
    chance. One that ``carries`` composes nothing: it sends the prompt that the data set has for an example.
    """

    name: str
    carries: bool = False

    def check(self, card: Card, configuration: Configured) -> None:  # noqa: B027 - most designs fit all
        """Refuse a card or configuration that the design cannot ask; called before anything runs.

        Raises:
            RecipeError: card, configuration, what was found and what is expected.
        """

    def template(self, card: Card) -> Template:
        """The words that a card is asked in; the card's own."""
        return card.template

    def source(self, template: Template, table: str, fields: Mapping[str, str]) -> str:
        """The example's part of a prompt: the template's input format, filled with table and fields."""
        return template.input_format.format(**fields, table=table)

    @abstractmethod
    def compose(self, asked: Shown, demonstrations: Sequence[Shown]) -> Prompt:
        """The messages that ask ``asked`` after showing ``demonstrations`` in this order."""


def user_message(text: str, asked: Shown, demonstrations: Sequence[Shown]) -> Message:
    """A user's turn that holds demonstrations and the example asked, with the pictures of all in order."""
    return Message("user", text, tuple(image for shown in (*demonstrations, asked) for image in shown.images))


designs: Registry[Design] = Registry("design")
