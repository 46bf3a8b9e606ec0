"""The designs ``suc``: role, format explanation, partition marks, question first; and with each left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal, TypeAlias

from ...core.errors import RecipeError
from ...prompts import Design, Shown
from ...prompts.design import user_message
from ...prompts.message import text_format
from ...tables import serializers

if TYPE_CHECKING:
    from ...catalog import Card, Template
    from ...prompts import Configuration, Prompt

ROLE = "You are an expert in reading tables: you find your way in any table, however it is written down."
BEGIN, END = "<<< the table begins", "the table ends >>>"
_SUC = "suc"
_PLACES = ("{table}", "{document}")


Element: TypeAlias = Literal["role", "explanation", "marks", "question_first", "demonstrations"]
"""One of the paper's input designs."""

_WORDS: Mapping[Element, str] = {
    "role": "without the role, so that it begins with the instruction",
    "explanation": "without the explanation of the format, which the table alone shows",
    "marks": "without the lines that say where a table begins and ends",
    "question_first": "with the question after the table (the paper's 'w/o change order')",
    "demonstrations": "without demonstrations, whatever the study's shots (the paper's 'w/o 1-shot')",
}

_WHOLE = "SUC's prompt with all its parts: role, format explanation, marks around tables, question first."


class SucDesign(Design):
    """Role, format explanation, marks around tables, question first: SUC's input designs, in our words.

    After Sui et al. (WSDM 2024, section 3.4 and Table 3). All of them, as in the first row of that table, but
    those in ``without``: one user message with role, instruction, an explanation of the format, the
    demonstrations, the example. With ``question_first`` the
    last paragraph of the card's input format, the question, comes first (the paper's "change order").
    ``marks`` put a line before and after each table.
    """

    def __init__(self, name: str, *without: Element) -> None:
        self.name, self.without = name, without
        self.base = _SUC if without else "default"
        left_out = " and ".join(_WORDS[each] for each in without)
        self.__doc__ = f"The prompt of 'suc' {left_out}." if without else _WHOLE

    def check(self, card: Card, configuration: Configuration) -> None:
        """Refuse a serializer without an explanation, if the design explains formats.

        Raises:
            RecipeError: the configuration and what is expected.
        """
        name = text_format(configuration.serializer)
        if "explanation" in self.without or not name or serializers.get(name).explanation:
            return
        known = ", ".join(each for each in serializers.text_names() if serializers.get(each).explanation)
        raise RecipeError(
            f"configuration {configuration.id}: design {self.name!r} explains formats, and has no words for "
            f"{name!r}; expected one of {known}, or a serializer with an 'explanation'"
        )

    def template(self, card: Card) -> Template:
        """The card's template, with the question first if the design says so."""
        if "question_first" in self.without:
            return card.template
        *rest, asked = card.template.input_format.split("\n\n")
        if not rest or any(place in asked for place in _PLACES):
            return card.template
        return replace(card.template, input_format="\n\n".join([asked, *rest]))

    def marked(self, table: str) -> str:
        """A table's text between marks if the design says so."""
        return table if "marks" in self.without else f"{BEGIN}\n{table}\n{END}"

    def compose(self, asked: Shown, demonstrations: Sequence[Shown]) -> Prompt:
        """One user message."""
        shown = () if "demonstrations" in self.without else demonstrations
        parts = [
            "" if "role" in self.without else ROLE,
            asked.instruction,
            self._explanation(asked.serializer),
            *(f"{each.source}\n\n{each.target_prefix}{each.target}" for each in shown),
            f"{asked.source}\n\n{asked.target_prefix}",
        ]
        return (user_message("\n\n".join(filter(None, parts)), asked, shown),)

    def _explanation(self, serializer: str) -> str:
        if "explanation" in self.without or not serializer:
            return ""
        text = serializers.get(serializer).explanation
        return f"How the table is written: {text}" if text else ""


SUC_DESIGNS = (
    SucDesign(_SUC),
    SucDesign("suc_no_role", "role"),
    SucDesign("suc_no_explanation", "explanation"),
    SucDesign("suc_no_marks", "marks"),
    SucDesign("suc_question_last", "question_first"),
    SucDesign("suc_no_demonstration", "demonstrations"),
)
