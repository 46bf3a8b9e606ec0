"""The designs ``suc``: role, format explanation, partition marks, the question first; and each left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ..core.errors import RecipeError
from ..tables import serializers
from .design import Design, Shown, user_message
from .message import is_picture

if TYPE_CHECKING:
    from ..catalog import Card, Template
    from .design import Configured
    from .message import Prompt

ROLE = "You are an expert in reading tables: you find your way in any table, however it is written down."
BEGIN, END = "<<< the table begins", "the table ends >>>"
_PLACE = "{table}"


@dataclass(frozen=True)
class SucElements:
    """Which of the paper's input designs a prompt has; the first row of its Table 3 has all of them."""

    role: bool = True
    explanation: bool = True
    marks: bool = True
    question_first: bool = True
    demonstrations: bool = True


class SucDesign(Design):
    """After the input designs of SUC (Sui et al., WSDM 2024, section 3.4 and Table 3), in our own words.

    The card's words are asked in one user message: the role, the instruction, what the format looks like, the
    demonstrations, the example. With ``question_first`` the last paragraph of the card's input, which is what
    is asked, stands before all others (the paper's "change order"). ``marks`` put a line before and after
    each table.
    """

    def __init__(self, name: str, parts: SucElements) -> None:
        self.name, self.parts = name, parts

    def check(self, card: Card, configuration: Configured) -> None:
        """Refuse a format of which there is nothing to say.

        Raises:
            RecipeError: the configuration and what is expected.
        """
        name = configuration.serializer
        if not self.parts.explanation or is_picture(name) or serializers.get(name).explanation:
            return
        known = ", ".join(each for each in serializers.text_names() if serializers.get(each).explanation)
        raise RecipeError(
            f"configuration {configuration.id}: design {self.name!r} explains formats, and has no words for "
            f"{name!r}; expected one of {known}, or a serializer with an 'explanation'"
        )

    def template(self, card: Card) -> Template:
        """The card's words, what is asked before the rest where the design says so."""
        if not self.parts.question_first:
            return card.template
        *rest, asked = card.template.input_format.split("\n\n")
        if not rest or _PLACE in asked:
            return card.template
        return replace(card.template, input_format="\n\n".join([asked, *rest]))

    def source(self, template: Template, table: str, fields: Mapping[str, str]) -> str:
        """The example's part of a prompt, its table between marks where the design says so."""
        marked = f"{BEGIN}\n{table}\n{END}" if self.parts.marks else table
        return template.input_format.format(**fields, table=marked)

    def compose(self, asked: Shown, demonstrations: Sequence[Shown]) -> Prompt:
        """One user message."""
        shown = demonstrations if self.parts.demonstrations else ()
        parts = [
            ROLE if self.parts.role else "",
            asked.instruction,
            self._explained(asked.serializer),
            *(f"{each.source}\n\n{each.target_prefix}{each.target}" for each in shown),
            f"{asked.source}\n\n{asked.target_prefix}",
        ]
        return (user_message("\n\n".join(filter(None, parts)), asked, shown),)

    def _explained(self, serializer: str) -> str:
        told = serializers.get(serializer).explanation if self.parts.explanation and serializer else ""
        return f"How the table is written: {told}" if told else ""


SUC = SucDesign("suc", SucElements())
SUC_NO_ROLE = SucDesign("suc_no_role", SucElements(role=False))
SUC_NO_EXPLANATION = SucDesign("suc_no_explanation", SucElements(explanation=False))
SUC_NO_MARKS = SucDesign("suc_no_marks", SucElements(marks=False))
SUC_QUESTION_LAST = SucDesign("suc_question_last", SucElements(question_first=False))
SUC_NO_DEMONSTRATION = SucDesign("suc_no_demonstration", SucElements(demonstrations=False))
