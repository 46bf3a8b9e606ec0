"""The interface of a design, and the steps of a strategy."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from string import Formatter
from typing import TYPE_CHECKING, Any, TypeAlias

from ..core.errors import RecipeError
from .message import Message, Prompt

if TYPE_CHECKING:
    from ..catalog import Card, Template
    from ..tables import Table


@dataclass(frozen=True, slots=True)
class Step:
    """One call of a strategy.

    Attributes:
        name: the key of its answer, for later steps.
        after: the steps whose answers its prompt uses; empty for a first step.
        max_tokens: the longest answer; the study's ``max_tokens`` if that is larger or this is None.
        until: stop texts of its answer; None for the study's.
    """

    name: str
    after: tuple[str, ...] = ()
    max_tokens: int | None = None
    until: tuple[str, ...] | None = None

    def changes(self, generation: Mapping[str, Any]) -> dict[str, Any] | None:
        """The parameters that differ from the study's ``generation``, or None."""
        changed: dict[str, Any] = {}
        if self.max_tokens is not None and self.max_tokens > (generation.get("max_tokens") or 0):
            changed["max_tokens"] = self.max_tokens
        if self.until is not None and list(self.until) != list(generation.get("until") or ()):
            changed["until"] = list(self.until)
        return changed or None


Steps: TypeAlias = "tuple[Step, ...]"

SEPARATOR = "+"
"""Between the parts of a composed design's name, see :meth:`Design.over`."""

NOTES = "Notes:"
"""Where a model's notes begin, in a prompt that asks for them."""

ONE_STEP: Steps = (Step("answer"),)
"""The steps of a design of a single call."""


def first_steps(steps: Sequence[Step]) -> list[int]:
    """The stages (indexes) of the steps that use no earlier answers."""
    return [stage for stage, step in enumerate(steps) if not step.after]


def check_steps(design: str, steps: Sequence[Step]) -> None:
    """Refuse steps that do not form a graph with one end.

    Each step is listed after those whose answers it uses, so that there is no cycle. The last one's answer is
    scored, and every other step leads to it.

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
            f"design {design!r}: found a step called {step.name!r}, which is empty or the name of another; "
            "expected a name that differs"
        )
    for name in step.after:
        if name not in before:
            raise RecipeError(
                f"design {design!r}: step {step.name!r} comes after {name!r}, which is not before it; "
                f"expected any of {', '.join(sorted(before)) or 'none, as it is the first'}"
            )
    if step.max_tokens is not None and step.max_tokens < 1:
        raise RecipeError(
            f"design {design!r}: step {step.name!r} has max_tokens {step.max_tokens}; expected at least 1"
        )


@dataclass(frozen=True, slots=True)
class Configuration:
    """A serializer, a perturbation and a design, by name: one way to show a table to a model."""

    serializer: str
    perturbation: str
    design: str

    @property
    def id(self) -> str:
        """The three joined by ``/``, e.g. ``html/transpose/default``."""
        return f"{self.serializer}/{self.perturbation}/{self.design}"

    @classmethod
    def of(cls, text: str) -> Configuration:
        """Parse an id; ``Configuration.of(c.id) == c``.

        Raises:
            RecipeError: the text is not three names joined by ``/``; they need not be registered.
        """
        parts = text.split("/")
        if len(parts) != 3 or not all(parts):
            raise RecipeError(
                f"configuration {text!r} has {len(parts)} part(s); expected serializer/perturbation/design, "
                "e.g. html/transpose/default"
            )
        return cls(*parts)


@dataclass(frozen=True, slots=True)
class Shown:
    """An example rendered in one configuration, with the template filled in.

    ``target`` is the answer that a demonstration shows; a design leaves it out for the asked example.
    ``serializer`` is the name of the table's format. ``images`` are PNG files, one for each ``<image>`` in
    ``source``, in order; a design puts them into :attr:`Message.images <torr_plugin.prompts.Message.images>`
    of the turn with the source. ``written`` is the table as it stands in ``source``: its text, or its
    pictures' marks; ``table`` is the value that was written, perturbed. Of an example on a document
    ``written`` is the document, and ``table`` the one of its tables that the question is about.
    """

    instruction: str
    source: str
    target_prefix: str
    target: str
    images: tuple[bytes, ...] = ()
    serializer: str = ""
    written: str = ""
    table: Table | None = None


class Design(ABC):
    """How a prompt is put together from an instruction, demonstrations and the asked example.

    ``name`` is its part of configuration ids. A design is a pure function of its arguments, without state or
    randomness. One that ``carries`` composes nothing, but sends the prompt that the data set provides.

    ``steps`` are its calls of the model, see :class:`Step`; the last one's answer is scored. A design of one
    call implements :meth:`compose` alone. One of several also implements :meth:`follow`, and :meth:`begin`
    if it has more than one first step.

    ``base`` is the design that analyses compare it with, None where there is none.
    """

    name: str
    base: str | None = None
    carries: bool = False
    steps: Steps = ONE_STEP

    def check(self, card: Card, configuration: Configuration) -> None:  # noqa: B027 - most designs fit all
        """Refuse a card or configuration that the design does not support; called before anything runs.

        Raises:
            RecipeError: card, configuration, what was found and what is expected.
        """

    def template(self, card: Card) -> Template:
        """The template to use for a card; the card's own by default."""
        return card.template

    def marked(self, table: str) -> str:
        """A table's text, alone or in a document, with marks around it; by default as it is."""
        return table

    def source(self, template: Template, table: str, fields: Mapping[str, str]) -> str:
        """The example's part of a prompt: the template's input format with table and fields filled in.

        ``fields`` hold the ``document``, written, where an example has one.
        """
        return template.input_format.format(**fields, table=self.marked(table))

    @abstractmethod
    def compose(self, asked: Shown, demonstrations: Sequence[Shown]) -> Prompt:
        """Build the messages that show ``demonstrations``, in this order, and ask ``asked``."""

    def begin(self, step: Step, asked: Shown, demonstrations: Sequence[Shown]) -> Prompt:
        """Build the prompt of a first step."""
        return self.compose(asked, demonstrations)

    def follow(
        self, step: Step, asked: Shown, demonstrations: Sequence[Shown], answers: Mapping[str, str]
    ) -> Prompt:
        """Build the prompt of a later step from the ``answers`` of earlier ones, by step name.

        An answer can be any text, empty or very long.

        Raises:
            RecipeError: the design has no such step.
        """
        raise RecipeError(f"the design {self.name!r} asks once; it has no prompt for step {step.name!r}")

    def ask(self, asked: Shown, request: str) -> Prompt:
        """Build the prompt that asks for notes on the table before the task; see :meth:`over`.

        By default that of :meth:`compose` without demonstrations, the request below the example.
        """
        source = f"{asked.source}\n\n{request}"
        return self.compose(replace(asked, source=source, target_prefix=NOTES), ())

    def over(self, below: Design) -> Design:
        """The design ``NAME+BELOW``: what this one adds to prompts, added to those of another.

        Raises:
            RecipeError: this design adds nothing to others, as most.
        """
        raise RecipeError(
            f"design {self.name!r} cannot stand before {SEPARATOR}{below.name}; expected one that adds to "
            "other designs' prompts, such as 'table_size'"
        )

    def final_answer(self, answer: str) -> str:
        """The part of the last step's answer that is scored: all of it, unless a design says otherwise."""
        return answer

    @property
    def scores_whole_answer(self) -> bool:
        """Whether all of an answer is scored, as with most designs; see :meth:`final_answer`."""
        return type(self).final_answer is Design.final_answer

    def compared_with(self, among: Collection[str]) -> str | None:
        """The design that analyses compare this one with in a study that has those ``among``; ``base``."""
        return self.base


def refuse_documents(design: Design, card: Card, configuration: Configuration) -> None:
    """Refuse a card that shows documents, for a design that is about one table.

    Raises:
        RecipeError: card, configuration and what is expected.
    """
    if "document" in places(card.template):
        raise RecipeError(
            f"{card.name}: configuration {configuration.id}: the design {design.name!r} is about one table, "
            "and the card shows documents; expected another design, such as 'default'"
        )


@lru_cache(maxsize=256)
def places(template: Template) -> tuple[str, ...]:
    """The inputs that a template shows, in order; none of one that is no format."""
    texts = (template.instruction, template.input_format, template.target_prefix)
    try:
        return tuple([name for text in texts for _, name, _, _ in Formatter().parse(text) if name])
    except ValueError:
        return ()


def check_design(design: Design) -> None:
    """Refuse a design whose steps :func:`check_steps` refuses, or with later steps but without ``follow``.

    So is one that is its own base, or whose base is no name.

    Raises:
        RecipeError: design, step and what is expected.
    """
    check_steps(design.name, design.steps)
    if design.base is not None and (not isinstance(design.base, str) or design.base in ("", design.name)):
        raise RecipeError(
            f"design {design.name!r}: found the base {design.base!r}; "
            "expected the name of another design, or None"
        )
    later = next((step.name for step in design.steps if step.after), None)
    if later is not None and type(design).follow is Design.follow:
        raise RecipeError(
            f"design {design.name!r}: step {later!r} comes after others, and there is no prompt for it; "
            "expected the design to have a method 'follow'"
        )


def user_message(text: str, asked: Shown, demonstrations: Sequence[Shown]) -> Message:
    """A user turn with the given text and the pictures of demonstrations and asked example, in order."""
    shown = (*demonstrations, asked)
    return Message("user", text, tuple([image for each in shown if each.images for image in each.images]))
