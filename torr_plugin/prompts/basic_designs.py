"""The designs of one call: ``default``, ``torr`` (unitxt's bytes) and ``hctqa`` (system and user turn)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ..catalog.unitxt_card import unitxt_template
from .design import Design, Shown, user_message
from .message import Message, Prompt

if TYPE_CHECKING:
    from ..catalog import Card, Template


def pieces(asked: Shown, demonstrations: Sequence[Shown]) -> Iterator[str]:
    r"""What stands between breaks: ``{instruction} | {source} | {prefix}{target}\n\n{source} | {prefix}``."""
    yield asked.instruction
    before = ""
    for shown in demonstrations:
        yield before + shown.source
        before = f"{shown.target_prefix}{shown.target}\n\n"
    yield before + asked.source
    yield asked.target_prefix


class DefaultDesign(Design):
    """Instruction, demonstrations, the example and the answer's prefix in one user message.

    A line break stands between two parts unless one is there already or nothing precedes. The layout is that
    of unitxt's default format and so of ToRR; see the design ``torr`` for unitxt's very bytes.
    """

    name = "default"

    def compose(self, asked: Shown, demonstrations: Sequence[Shown]) -> Prompt:
        """One user message."""
        text = ""
        for part in pieces(asked, demonstrations):
            text += part if not text or text.endswith("\n") else "\n" + part
        return (user_message(text, asked, demonstrations),)


_BREAK = "\\N"
_CUT = "\n(\\N)"


class TorrDesign(Design):
    r"""As ``default``, with the words and bytes of unitxt 1.26, which the published figures of ToRR rest on.

    A card that names unitxt's card of the same data is asked in that card's words, read from the installed
    catalog; what a demonstration shows as its answer stays the example's.

    unitxt reduces runs of line breaks by the expression ``[\n(\\N)]*(\\N)+``; so every closing ``)``, ``(``,
    ``N``, backslash or line break before such a break is lost: ``... in (2004)`` becomes ``... in (2004``.
    """

    name = "torr"

    def template(self, card: Card) -> Template:
        """The words of unitxt's own card of the data, where it has one; else the card's."""
        return card.template if card.unitxt is None else unitxt_template(card)

    def compose(self, asked: Shown, demonstrations: Sequence[Shown]) -> Prompt:
        """One user message."""
        parts = list(pieces(asked, demonstrations))
        if any("\\" in part and _BREAK in part for part in parts):  # one character is found much sooner
            return (user_message(_reduced(_BREAK + _BREAK.join(parts)), asked, demonstrations),)
        return (user_message(_joined(parts), asked, demonstrations),)


def _joined(parts: Sequence[str]) -> str:
    """What the reduction comes to for parts without the notation, in one pass."""
    text, begun = "", False
    for part in parts:
        text = (text.rstrip(_CUT) + "\n" if begun else "") + part
        begun = begun or bool(part.strip("\n"))
    return text


def _reduced(text: str) -> str:
    """Unitxt's rule for its break notation, for the rare text that holds the notation itself."""
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
    """After the prompts of HCT-QA (appendix D.3.1), in words of the project's own.

    The card's words are not used, so that all cards with an input ``question`` are asked alike.
    Demonstrations (the paper's 1-shot: one fixed example, ``demonstrations: {shots: 1, draw: shared}``) stand
    in the user's turn, each ended by its answer; so a model's last turn holds all pictures, as those of chat
    servers must. A model that takes no system turn gets it before the user's text, see
    :func:`torr_plugin.prompts.message.merged`.
    """

    name = "hctqa"

    def template(self, card: Card) -> Template:
        """The design's own words."""
        return replace(card.template, instruction=INSTRUCTION, input_format=INPUT, target_prefix=PREFIX)

    def compose(self, asked: Shown, demonstrations: Sequence[Shown]) -> Prompt:
        """A system turn and a user turn."""
        shown = [f"{each.source}\n\n{each.target_prefix} {each.target}" for each in demonstrations]
        text = "\n\n".join([asked.instruction, *shown, asked.source, asked.target_prefix])
        return (Message("system", SYSTEM), user_message(text, asked, demonstrations))
