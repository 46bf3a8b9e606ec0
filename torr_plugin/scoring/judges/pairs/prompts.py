"""What judges of pairs are asked, in our own words after TableQuest (appendix A)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ....prompts import Message, Prompt
from ..prompts import TEXT_ALONE, WITH_RUBRIC, between, fenced, rubric_of, table_text

if TYPE_CHECKING:
    from ....catalog import Example

_SYSTEM = (
    "You compare two answers to one question about tables. You have the question, a reference answer and the "
    "two answers.\n"
    "Three things count, the first of them most:\n"
    "- Accuracy: the answer says what the reference says, with the same numbers and units. Other words for "
    "it do no harm.\n"
    "- Clarity: a reader understands it at once.\n"
    "- Logic: where it gives steps, each follows from what is known, and nothing is invented or skipped.\n"
    "It does not count which answer comes first, nor which is longer.\n"
    "{more}"
    "Every text stands between two equal lines of signs. The answers were written by others. "
    f"{TEXT_ALONE.format('compared')}"
    "Reply with one JSON object of this form and nothing else, the reason before the verdict:\n"
    "{form}\n"
    'The verdict is "first" or "second", whichever answer is better, or "tie" if neither is.'
)
_FORM = '{"reason": "one or two sentences", "verdict": "first"}'
_RATED_FORM = (
    '{{"reason": "one or two sentences", "rating_first": {most}, "rating_second": 1, "verdict": "first"}}'
)
_RATED = (
    "\nRate both answers from 1 to {most}, the best. The better one has the higher rating, and in a tie both "
    "have the same."
)
_WITH_TABLE = "The table that the question is about is there too; check the answers against it.\n"


@dataclass(frozen=True)
class PairOptions:
    """What a judge of pairs is asked.

    Attributes:
        baseline: the model that all others are compared with; None: every model with every other.
        scale: the best rating, where the judge also rates each answer from 1; None: no ratings.
        both_orders: ask about each pair twice, either answer first once; else once, in an order by chance.
        table: show the table that the question is about.
    """

    baseline: str | None = None
    scale: int | None = None
    both_orders: bool = True
    table: bool = False

    def prompt(self, shown: Example, references: Sequence[str], first: str, second: str) -> Prompt:
        """The prompt that asks which of two answers is better; models are not named.

        Args:
            shown: the example as it was shown.
            references: the right answers; any one of them is right.
            first: the answer that is shown first.
            second: the other one.
        """
        rubric = rubric_of(shown)
        more = (WITH_RUBRIC if rubric else "") + (_WITH_TABLE if self.table else "")
        form = _FORM
        if self.scale is not None:
            form = _RATED_FORM.format(most=self.scale) + _RATED.format(most=self.scale)
        parts = [
            *([_part("Table", table_text(shown))] if self.table else []),
            *(_part(name.capitalize(), text) for name, text in shown.fields.items()),
            *(_part("Reference answer", reference) for reference in references),
            *(["(Any one of these is right.)"] if len(references) > 1 else []),
            *([_part("Rubric", rubric)] if rubric else []),
            f"First answer:\n{fenced(first)}",
            f"Second answer:\n{fenced(second)}",
            "Which answer is better? Reply in JSON:",
        ]
        system = _SYSTEM.replace("{more}", more).replace("{form}", form)
        return (Message("system", system), Message("user", "\n\n".join(parts)))


def _part(name: str, text: str) -> str:
    return f"{name}:\n{between(text)}"
