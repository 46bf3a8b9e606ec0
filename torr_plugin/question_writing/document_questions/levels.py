"""The levels of questions: what a writer is told of each, and what a filter, with examples of both kinds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from ...synthesis.filings.questions.question import Level


class WorkedVerdict(NamedTuple):
    """A question as an example for the filter, and why to keep or drop it."""

    question: str
    answer: str
    keep: bool
    why: str


@dataclass(frozen=True, slots=True)
class LevelGuide:
    """What is asked for at a level.

    Attributes:
        reader: whom the questions are for.
        task: what a question asks for.
        answer: the form of the answer.
        rules: what else holds of a question.
        examples: for the filter; about a bakery's table of loaves sold, in thousands (shop: 48 in 2021, 61 in
            2022; market stall: 30 and 12).
    """

    reader: str
    task: str
    answer: str
    rules: tuple[str, ...]
    examples: tuple[WorkedVerdict, ...]


GUIDES: dict[Level, LevelGuide] = {
    "extraction": LevelGuide(
        reader="pupils who learn to read tables",
        task="asks for what a single cell of a table says",
        answer="the value of that cell with its unit, and nothing else",
        rules=(
            "It names the row and the column by what they mean, so that one cell alone can be meant.",
            "Nothing has to be computed or compared.",
        ),
        examples=(
            WorkedVerdict(
                "How many loaves did the market stall sell in 2022?",
                "12 thousand",
                True,
                "one cell, named by row and year; the unit is there",
            ),
            WorkedVerdict(
                "How many loaves were sold?",
                "61",
                False,
                "neither place nor year is named, so that several cells could be meant; the unit lacks",
            ),
        ),
    ),
    "calculation": LevelGuide(
        reader="students who learn to calculate with the figures of tables",
        task="asks for a number or a few words that no cell says, but that follow from two or more of them",
        answer="the result with its unit, a number or a few words, no sentence",
        rules=(
            "It says what is to be worked out, and how it is to be rounded if it does not come out even.",
            "The result stands nowhere in the text or the tables.",
        ),
        examples=(
            WorkedVerdict(
                "By what percentage did the shop's sales grow from 2021 to 2022, with one decimal?",
                "27.1%",
                True,
                "13 / 48 = 0.2708; two cells are needed, and the rounding is said",
            ),
            WorkedVerdict(
                "What is the difference between the shop's sales in 2022 and 2021?",
                "14 thousand",
                False,
                "61 - 48 is 13: the answer is wrong",
            ),
        ),
    ),
    "analysis": LevelGuide(
        reader="a course for people who know the field well",
        task="asks to explain, assess or compare what several figures mean, on a part of the text and tables",
        answer="a conclusion in at most three sentences that names the figures it rests on",
        rules=(
            "It cannot be answered by a number alone, nor by copying a sentence of the text.",
            "Figures and text decide the answer; it takes no opinion and no knowledge from elsewhere.",
        ),
        examples=(
            WorkedVerdict(
                "Assess whether the shop made up for what the market stall lost from 2021 to 2022.",
                "No: the shop sold 13 thousand loaves more, the stall 18 thousand fewer, so that sales fell "
                "by 5 thousand.",
                True,
                "several figures are weighed, and they bear the answer out",
            ),
            WorkedVerdict(
                "What should the bakery do next year?",
                "It should open a second shop, as people like fresh bread.",
                False,
                "an opinion that nothing in the tables or the text supports",
            ),
        ),
    ),
}
