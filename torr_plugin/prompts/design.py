"""What a design is, and all designs by name."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..core.errors import OWN, RecipeError
from ..tables import Registry
from .message import Message, Prompt
from .steps import ONE_STEP, Step, Steps, check_steps

if TYPE_CHECKING:
    from ..catalog import Card, Template
    from .configured import Configured


@dataclass(frozen=True, slots=True)
class Shown:
    """An example as a prompt shows it: written in one configuration, the template's places filled.

    ``target`` is the answer as a demonstration gives it; for the example that is asked a design leaves it
    out. ``serializer`` is the name of the format that the table is written in. ``images`` are the pictures
    (PNG) that ``source`` has an ``<image>`` for, in order; a design hands them on in :attr:`Message.images
    <torr_plugin.prompts.Message.images>` of the turn that holds the source.
    """

    instruction: str
    source: str
    target_prefix: str
    target: str
    images: tuple[bytes, ...] = ()
    serializer: str = ""


class Design(ABC):
    """How a prompt is put together of an instruction, demonstrations and the example that is asked.

    ``name`` is the one in configuration ids. A design is a pure function of what it is given: no state, no
    chance. One that ``carries`` composes nothing: it sends the prompt that the data set has for an example.

    ``steps`` are the calls that it takes to an answer, see :class:`Step`; the last one's answer is scored.
    A design of one call has :meth:`compose` alone. One of several has :meth:`follow` as well, and
    :meth:`begin` where it begins with more than one.
    """

    name: str
    carries: bool = False
    steps: Steps = ONE_STEP

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

    def begin(self, step: Step, asked: Shown, demonstrations: Sequence[Shown]) -> Prompt:
        """The prompt of a step that comes after no other."""
        return self.compose(asked, demonstrations)

    def follow(
        self, step: Step, asked: Shown, demonstrations: Sequence[Shown], answers: Mapping[str, str]
    ) -> Prompt:
        """The prompt of a step that comes after others, whose ``answers`` it has by their names.

        What a model said is any text, empty or very long.

        Raises:
            RecipeError: the design has no such step.
        """
        raise RecipeError(f"the design {self.name!r} asks once; it has no prompt for step {step.name!r}")


def check_follows(design: Design) -> None:
    """Refuse a design with steps that come after others, but without prompts for them.

    Raises:
        RecipeError: design, step and what is expected.
    """
    later = next((step.name for step in design.steps if step.after), None)
    if later is not None and type(design).follow is Design.follow:
        raise RecipeError(
            f"design {design.name!r}: step {later!r} comes after others, and there is no prompt for it; "
            "expected the design to have a method 'follow'"
        )


def user_message(text: str, asked: Shown, demonstrations: Sequence[Shown]) -> Message:
    """A user's turn that holds demonstrations and the example asked, with the pictures of all in order."""
    shown = (*demonstrations, asked)
    return Message("user", text, tuple([image for each in shown if each.images for image in each.images]))


class _Designs(Registry[Design]):
    """Refuses a design whose steps do not make a strategy."""

    def register(self, name: str, value: Design, *, origin: str = OWN) -> Design:
        check_steps(name, value.steps)
        check_follows(value)
        return super().register(name, value, origin=origin)


designs: Registry[Design] = _Designs("design")
