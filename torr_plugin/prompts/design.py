"""The interface of a design, the steps of one that asks several times, and all designs by name."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from ..core.errors import OWN, RecipeError
from ..tables import Registry
from .message import Message, Prompt

if TYPE_CHECKING:
    from ..catalog import Card, Template


@dataclass(frozen=True, slots=True)
class Step:
    """One call of a strategy.

    Attributes:
        name: by which later steps have its answer.
        after: the steps whose answers its prompt is made of; none for a step that begins.
        max_tokens: how long its answer may be; the study's ``max_tokens`` where that is more, or where None.
        until: the texts at which its answer ends; None for the study's.
    """

    name: str
    after: tuple[str, ...] = ()
    max_tokens: int | None = None
    until: tuple[str, ...] | None = None

    def changes(self, generation: Mapping[str, Any]) -> dict[str, Any] | None:
        """The parameters in which the step differs from the study's ``generation``; None where in none."""
        changed: dict[str, Any] = {}
        if self.max_tokens is not None and self.max_tokens > (generation.get("max_tokens") or 0):
            changed["max_tokens"] = self.max_tokens
        if self.until is not None and list(self.until) != list(generation.get("until") or ()):
            changed["until"] = list(self.until)
        return changed or None


Steps: TypeAlias = "tuple[Step, ...]"

ONE_STEP: Steps = (Step("answer"),)
"""The steps of a design that asks once."""


def first_steps(steps: Sequence[Step]) -> list[int]:
    """The stages (a step's place in the list) of the steps that begin."""
    return [stage for stage, step in enumerate(steps) if not step.after]


def ready_steps(steps: Sequence[Step], answered: Collection[str], begun: Collection[int]) -> list[int]:
    """The stages that can be asked now: what they come after is ``answered``, and they are not ``begun``."""
    return [
        stage
        for stage, step in enumerate(steps)
        if stage not in begun and all(name in answered for name in step.after)
    ]


def check_steps(design: str, steps: Sequence[Step]) -> None:
    """Refuse steps that are no graph with one end.

    Each step stands behind those it comes after, so that there is no circle; the last is what is scored, and
    every other one leads to it.

    Raises:
        RecipeError: design, step, what was found and what is expected.
    """
    if not steps:
        raise RecipeError(f"design {design!r} has no steps; expected at least one")
    names: set[str] = set()
    for step in steps:
        _check_step(design, step, names)
        names.add(step.name)
    used = {name for step in steps for name in step.after}
    for step in steps[:-1]:
        if step.name not in used:
            raise RecipeError(
                f"design {design!r}: no step comes after {step.name!r}, and it is not the last; "
                f"expected every step to lead to the last, {steps[-1].name!r}"
            )


def _check_step(design: str, step: Step, before: Collection[str]) -> None:
    if not step.name or step.name in before:
        raise RecipeError(
            f"design {design!r}: found a step called {step.name!r}, as one before it or by no name; "
            "expected a name of its own"
        )
    for name in step.after:
        if name not in before:
            raise RecipeError(
                f"design {design!r}: step {step.name!r} comes after {name!r}, which does not stand before "
                f"it; expected any of {', '.join(sorted(before)) or 'none, as it is the first'}"
            )
    if step.max_tokens is not None and step.max_tokens < 1:
        raise RecipeError(
            f"design {design!r}: step {step.name!r} has max_tokens {step.max_tokens}; expected at least 1"
        )


class Configured(Protocol):
    """What of a configuration decides a prompt; :class:`torr_plugin.recipes.Configuration` has it."""

    @property
    def serializer(self) -> str:
        """A serializer's name."""

    @property
    def perturbation(self) -> str:
        """A perturbation's name."""

    @property
    def design(self) -> str:
        """A design's name."""

    @property
    def id(self) -> str:
        """The three joined by ``/``."""


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


designs: Registry[Design] = _Designs(
    "design",
    package=__package__,
    lazy={
        "carried": ".carried:CarriedDesign",
        "default": ".basic_designs:DefaultDesign",
        "hctqa": ".basic_designs:HctQaDesign",
        "self_augmented": ".self_augmented:SelfAugmentedDesign",
        "self_augmented_all": ".self_augmented:SelfAugmentedAllDesign",
        "self_augmented_format": ".self_augmented:SelfAugmentedFormatDesign",
        "self_augmented_structure": ".self_augmented:SelfAugmentedStructureDesign",
        "suc": ".suc:SUC",
        "suc_no_demonstration": ".suc:SUC_NO_DEMONSTRATION",
        "suc_no_explanation": ".suc:SUC_NO_EXPLANATION",
        "suc_no_marks": ".suc:SUC_NO_MARKS",
        "suc_no_role": ".suc:SUC_NO_ROLE",
        "suc_question_last": ".suc:SUC_QUESTION_LAST",
        "torr": ".basic_designs:TorrDesign",
    },
)
