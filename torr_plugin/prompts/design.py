"""Designs: how a prompt is put together; the plain ones, and the registry of all."""

from __future__ import annotations

import ast
import json
import re
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from string import Formatter
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias, cast, get_args

from ..catalog.unitxt_examples import unitxt_template
from ..core.errors import OWN, DataError, RecipeError, UnknownNameError
from ..core.registry import Registry
from .message import Message, Prompt, Role

if TYPE_CHECKING:
    from ..catalog import Card, Example, Template
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
    names = [step.name for step in steps]
    used = {name for step in steps for name in step.after}
    if not steps:
        raise RecipeError(f"design {design!r} has no steps; expected at least one")
    for at, (name, step) in enumerate(zip(names, steps, strict=True)):
        missing = [each for each in step.after if each not in names[:at]]
        if not name or name in names[:at]:
            wrong = f"found a step called {name!r}, which is empty or the name of another; expected another"
        elif missing:
            wrong = f"step {name!r} comes after {missing[0]!r}, which is not before it; expected it earlier"
        elif step.max_tokens is not None and step.max_tokens < 1:
            wrong = f"step {name!r} has max_tokens {step.max_tokens}; expected at least 1"
        elif name not in used and at < len(steps) - 1:
            wrong = (
                f"no step comes after {name!r}, and it is not the last; expected every step to lead to the "
                f"last, {names[-1]!r}"
            )
        else:
            continue
        raise RecipeError(f"design {design!r}: {wrong}")


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


DEFAULT = "default"


def pieces(asked: Shown, demonstrations: Sequence[Shown]) -> Iterator[str]:
    r"""Parts to join by breaks: ``{instruction} | {source} | {prefix}{target}\n\n{source} | {prefix}``."""
    yield asked.instruction
    before = ""
    for shown in demonstrations:
        yield before + shown.source
        before = f"{shown.target_prefix}{shown.target}\n\n"
    yield before + asked.source
    yield asked.target_prefix


class DefaultDesign(Design):
    """Instruction, demonstrations, the example and the answer's prefix in one user message.

    Parts are separated by one line break. The layout is that of unitxt's default format and so of ToRR; the
    design ``torr`` reproduces unitxt byte for byte.
    """

    name = DEFAULT

    def compose(self, asked: Shown, demonstrations: Sequence[Shown]) -> Prompt:
        """One user message."""
        text = ""
        for part in pieces(asked, demonstrations):
            text += part if not text or text.endswith("\n") else "\n" + part
        return (user_message(text, asked, demonstrations),)


_BREAK = "\\N"
_CUT = "\n(\\N)"


class TorrDesign(Design):
    r"""The prompts of unitxt 1.26, byte for byte, on which the published figures of ToRR rest.

    A card that names unitxt's card of the same data uses that card's template, read from the installed
    catalog; the answers of demonstrations are still the example's.

    unitxt collapses line breaks with the expression ``[\n(\\N)]*(\\N)+``, which also drops any ``)``, ``(``,
    ``N``, backslash or line break in front of them: ``... in (2004)`` becomes ``... in (2004``.
    """

    name = "torr"

    def template(self, card: Card) -> Template:
        """The template of unitxt's own card of the data, or the card's if there is none."""
        return card.template if card.unitxt is None else unitxt_template(card)

    def compose(self, asked: Shown, demonstrations: Sequence[Shown]) -> Prompt:
        """One user message."""
        parts = list(pieces(asked, demonstrations))
        if any("\\" in part and _BREAK in part for part in parts):  # a single character is faster to find
            return (user_message(_reduced(_BREAK + _BREAK.join(parts)), asked, demonstrations),)
        return (user_message(_joined(parts), asked, demonstrations),)


def _joined(parts: Sequence[str]) -> str:
    """The result of :func:`_reduced` for parts that do not contain the break notation, in one pass."""
    text, begun = "", False
    for part in parts:
        text = (text.rstrip(_CUT) + "\n" if begun else "") + part
        begun = begun or bool(part.strip("\n"))
    return text


def _reduced(text: str) -> str:
    r"""Apply unitxt's rule for its break notation ``\N``, for the rare texts that contain it."""
    text = re.sub(r"^(?:\n|\\N)*\\N", "", text)
    return re.sub(r"[\n(\\N)]*(\\N)+", "\n", text)


SYSTEM = (
    "You read tables and answer questions about them. The tables were laid out for people: headers may stand "
    "on several levels, a heading may cover several columns or rows, and totals may stand among the values. "
    "Work out which headings belong to a value before you use it. Rely on the table alone. When it does not "
    "hold the answer, say No Answer. Write the answer and nothing else: no reasons, no calculation, no code. "
    "Put ` || ` between values where the answer has more than one."
)
INSTRUCTION = (
    "Read the table and answer the question about it. Write the final answer alone, without any explanation."
)
INPUT = "Table:\n{table}\n\nQuestion: {question}"
PREFIX = "Answer:"


class HctQaDesign(Design):
    """A system and a user turn after HCT-QA (appendix D.3.1), in the project's own words.

    The card's template is not used, so that all cards with an input ``question`` get the same wording.
    Demonstrations (the paper's 1-shot is ``demonstrations: {shots: 1, draw: shared}``) are part of the user
    turn, each followed by its answer: chat servers want all pictures in the last turn. For a model without
    system turns, :func:`torr_plugin.prompts.message.merged` puts that text before the user's.
    """

    name = "hctqa"

    def check(self, card: Card, configuration: Configuration) -> None:
        """Refuse cards that show documents; see :meth:`Design.check`."""
        refuse_documents(self, card, configuration)

    def template(self, card: Card) -> Template:
        """The design's own template."""
        return replace(card.template, instruction=INSTRUCTION, input_format=INPUT, target_prefix=PREFIX)

    def compose(self, asked: Shown, demonstrations: Sequence[Shown]) -> Prompt:
        """A system turn and a user turn."""
        shown = [f"{each.source}\n\n{each.target_prefix} {each.target}" for each in demonstrations]
        text = "\n\n".join([asked.instruction, *shown, asked.source, asked.target_prefix])
        return (Message("system", SYSTEM), user_message(text, asked, demonstrations))


LONGEST = 5_000_000
"""Characters of a prompt that a data set carries, at most."""

MOST_TURNS = 1000
_WRONG = (SyntaxError, ValueError, TypeError, MemoryError, RecursionError)
_ROLES = get_args(Role)


class CarriedDesign(Design):
    """Send the data set's own prompt; serializer, demonstrations and the card's template have no effect.

    Perturbations are refused, since a finished prompt cannot be perturbed.
    """

    name = "carried"
    carries = True

    def check(self, card: Card, configuration: Configuration) -> None:
        """See :meth:`Design.check`."""
        if configuration.perturbation != "none":
            raise RecipeError(
                f"{card.name}: configuration {configuration.id}: the design 'carried' sends prompts as they "
                f"are written; found perturbation {configuration.perturbation!r}, expected 'none'"
            )
        if getattr(card.reading, "carried_prompt", None) is None:
            raise RecipeError(
                f"{card.name}: configuration {configuration.id}: the data set carries no prompts; "
                "expected a card with 'carried_prompt' in read_example, or another design"
            )

    def compose(self, asked: Shown, demonstrations: Sequence[Shown]) -> Prompt:
        """Refuse: the prompt comes from the example, see :func:`carried_prompt`.

        Raises:
            RecipeError: always.
        """
        raise RecipeError("the design 'carried' composes no prompt; it needs an example that carries one")


def carried_prompt(example: Example, card: Card) -> Prompt:
    """The prompt that the data set provides for an example.

    Raises:
        DataError: there is none, or it is not a list of messages (card, example, found, expected).
    """
    if example.carried is None:
        raise DataError(f"{card.name}: example {example.id!r} carries no prompt")
    try:
        return parse_prompt(example.carried)
    except DataError as wrong:
        raise DataError(f"{card.name}: example {example.id!r}: {wrong}") from wrong


def parse_prompt(text: str) -> Prompt:
    """Parse a list of messages, written as JSON or as a Python literal, without evaluating code.

    ``[{"role": "system", "content": "..."}, {"role": "user", "content": "..."}]``.

    Raises:
        DataError: not such a list, or longer than ``LONGEST`` characters or ``MOST_TURNS`` messages.
    """
    if len(text) > LONGEST:
        raise DataError(f"the carried prompt has {len(text)} characters; expected at most {LONGEST}")
    value = _parsed(text)
    if not isinstance(value, list | tuple) or not 0 < len(value) <= MOST_TURNS:
        found = f"{len(value)} items" if isinstance(value, list | tuple) else f"a {type(value).__name__}"
        raise DataError(f"the carried prompt is {found}; expected a list of 1 to {MOST_TURNS} messages")
    turns = []
    for at, turn in enumerate(value):
        said = turn if isinstance(turn, dict) else {}
        role, content = said.get("role"), said.get("content")
        if role not in _ROLES or not isinstance(content, str):
            raise DataError(
                f"message {at} of the carried prompt is {str(turn)[:60]!r}; expected an object with 'role', "
                f"one of {', '.join(_ROLES)}, and 'content', a text"
            )
        turns.append(Message(cast("Role", role), content))
    return tuple(turns)


def _parsed(text: str) -> Any:
    for parse in (json.loads, ast.literal_eval):
        try:
            return parse(text)
        except _WRONG:
            continue
    raise DataError(
        f"the carried prompt starts with {text[:40]!r}; expected a list of messages as JSON or Python literal"
    )


class _Designs(Registry[Design]):
    """Finds the papers' designs too, makes composed ones when asked for, and refuses invalid ones."""

    _composed: ClassVar[dict[str, tuple[Design, Design]]] = {}  # with the last part, which may be exchanged

    def register(self, name: str, value: Design, *, origin: str = OWN) -> Design:
        if SEPARATOR in name or "/" in name:
            raise RecipeError(
                f"design {name!r}: found {SEPARATOR!r} or '/' in its name; "
                "they join the parts of designs and of configurations"
            )
        check_design(value)
        return super().register(name, value, origin=origin)

    def get(self, name: str) -> Design:
        """The design called ``name``, registered or composed.

        Raises:
            UnknownNameError: a part of the name is unknown (with the nearest ones).
            RecipeError: the parts do not fit together.
        """
        *parts, last = name.split(SEPARATOR)
        base = super().get(last)
        if not parts:
            return base
        known = self._composed.get(name)
        if known is None or known[1] is not base:
            design = base
            for part in reversed(parts):
                design = super().get(part).over(design)
            known = self._composed[name] = design, base
        return known[0]

    def origin(self, name: str) -> str:
        """The plugin that registered a design; of a composed one, its last part."""
        return super().origin(name.rpartition(SEPARATOR)[2])

    def __contains__(self, name: object) -> bool:
        if super().__contains__(name):
            return True
        if not isinstance(name, str) or SEPARATOR not in name:
            return False
        try:
            self.get(name)
        except (UnknownNameError, RecipeError):
            return False
        return True


designs: Registry[Design] = _Designs(
    "design",
    package=__package__,
    hook="torr_designs",
    lazy={
        "carried": ".design:CarriedDesign",
        "default": ".design:DefaultDesign",
        "hctqa": ".design:HctQaDesign",
        "torr": ".design:TorrDesign",
    },
)
