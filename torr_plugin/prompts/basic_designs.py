"""The designs of one call: ``default``, ``torr`` (unitxt's bytes), ``hctqa`` (two turns), and ``carried``."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, get_args

from ..catalog.unitxt_examples import unitxt_template
from ..core.errors import DataError, RecipeError
from .design import Design, Shown, refuse_documents, user_message
from .message import Message, Prompt, Role

if TYPE_CHECKING:
    from ..catalog import Card, Example, Template
    from .design import Configuration


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
    return tuple(_message(turn, at) for at, turn in enumerate(value))


def _parsed(text: str) -> Any:
    for parse in (json.loads, ast.literal_eval):
        try:
            return parse(text)
        except _WRONG:
            continue
    raise DataError(
        f"the carried prompt starts with {text[:40]!r}; expected a list of messages as JSON or Python literal"
    )


def _message(turn: Any, at: int) -> Message:
    if not isinstance(turn, dict) or not {"role", "content"} <= turn.keys():
        raise DataError(f"message {at} of the carried prompt is not an object with 'role' and 'content'")
    role, content = turn["role"], turn["content"]
    if role not in _ROLES:
        raise DataError(
            f"message {at} of the carried prompt has the role {str(role)[:40]!r}; "
            f"expected {', '.join(_ROLES)}"
        )
    if not isinstance(content, str):
        raise DataError(
            f"message {at} of the carried prompt: found {type(content).__name__}; expected content as text"
        )
    return Message(role, content)
