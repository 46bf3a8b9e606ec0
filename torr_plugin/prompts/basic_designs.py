"""The designs of one call: ``default``, ``torr`` (unitxt's bytes) and ``hctqa`` (system and user turn)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ..catalog.unitxt_examples import unitxt_template
from .design import Design, Shown, refuse_documents, user_message
from .message import Message, Prompt

if TYPE_CHECKING:
    from ..catalog import Card, Template
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
