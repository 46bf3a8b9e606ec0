"""What a design is, and all designs by name."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..tables import Registry
from .message import Prompt

if TYPE_CHECKING:
    from ..catalog import Card, Template


@dataclass(frozen=True, slots=True)
class Shown:
    """An example as a prompt shows it: written in one configuration, the template's places filled.

    ``target`` is the answer as a demonstration gives it; for the example that is asked a design leaves it
    out.
    """

    instruction: str
    source: str
    target_prefix: str
    target: str


class Design(ABC):
    """How a prompt is put together of an instruction, demonstrations and the example that is asked.

    ``name`` is the one in configuration ids. A design is a pure function of what it is given: no state, no
    chance.
    """

    name: str

    def template(self, card: Card) -> Template:
        """The words that a card is asked in; the card's own."""
        return card.template

    def source(self, template: Template, table: str, fields: Mapping[str, str]) -> str:
        """The example's part of a prompt: the template's input format, filled with table and fields."""
        return template.input_format.format(**fields, table=table)

    @abstractmethod
    def compose(self, asked: Shown, demonstrations: Sequence[Shown]) -> Prompt:
        """The messages that ask ``asked`` after showing ``demonstrations`` in this order."""


designs: Registry[Design] = Registry("design")
