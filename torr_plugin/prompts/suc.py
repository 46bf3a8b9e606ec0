"""The designs ``suc``: role, format explanation, partition marks, question first; and with each left out."""

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
    """Which of the paper's input designs a prompt uses; the first row of its Table 3 uses all."""

    role: bool = True
    explanation: bool = True
    marks: bool = True
    question_first: bool = True
    demonstrations: bool = True


class SucDesign(Design):
    """The input designs of SUC (Sui et al., WSDM 2024, section 3.4 and Table 3), in our own words.

    One user message: role, instruction, an explanation of the format, the demonstrations, the example.
    With ``question_first`` the last paragraph of the card's input format, the question, comes first (the
    paper's "change order"). ``marks`` put a line before and after each table.
    """

    def __init__(self, name: str, parts: SucElements) -> None:
        self.name, self.parts = name, parts

    def check(self, card: Card, configuration: Configured) -> None:
        """Refuse a serializer without an explanation, if the design explains formats.

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
        """The card's template, with the question first if the design says so."""
        if not self.parts.question_first:
            return card.template
        *rest, asked = card.template.input_format.split("\n\n")
        if not rest or _PLACE in asked:
            return card.template
        return replace(card.template, input_format="\n\n".join([asked, *rest]))

    def source(self, template: Template, table: str, fields: Mapping[str, str]) -> str:
        """The example's part of a prompt, with its table between marks if the design says so."""
        marked = f"{BEGIN}\n{table}\n{END}" if self.parts.marks else table
        return template.input_format.format(**fields, table=marked)

    def compose(self, asked: Shown, demonstrations: Sequence[Shown]) -> Prompt:
        """One user message."""
        shown = demonstrations if self.parts.demonstrations else ()
        parts = [
            ROLE if self.parts.role else "",
            asked.instruction,
            self._explanation(asked.serializer),
            *(f"{each.source}\n\n{each.target_prefix}{each.target}" for each in shown),
            f"{asked.source}\n\n{asked.target_prefix}",
        ]
        return (user_message("\n\n".join(filter(None, parts)), asked, shown),)

    def _explanation(self, serializer: str) -> str:
        text = serializers.get(serializer).explanation if self.parts.explanation and serializer else ""
        return f"How the table is written: {text}" if text else ""


SUC = SucDesign("suc", SucElements())
SUC_NO_ROLE = SucDesign("suc_no_role", SucElements(role=False))
SUC_NO_EXPLANATION = SucDesign("suc_no_explanation", SucElements(explanation=False))
SUC_NO_MARKS = SucDesign("suc_no_marks", SucElements(marks=False))
SUC_QUESTION_LAST = SucDesign("suc_question_last", SucElements(question_first=False))
SUC_NO_DEMONSTRATION = SucDesign("suc_no_demonstration", SucElements(demonstrations=False))
