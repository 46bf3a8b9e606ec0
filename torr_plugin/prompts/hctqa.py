"""The design ``hctqa``: a system turn that sets the task, a user turn with table and question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from .design import Design, Shown, designs, user_message
from .message import Message, Prompt

if TYPE_CHECKING:
    from ..catalog import Card, Template

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


designs.add(HctQaDesign())
