"""The five types of questions with their subtypes (RealHiTBench, section 3.3 and appendix B.1)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..review import AnswerForm

VALUES = "a number or a name as short as possible, several with | between them"


@dataclass(frozen=True)
class QuestionType:
    """What questions of a type ask for, in the words of the prompts.

    Attributes:
        name: as options and data have it: ``fact_checking``.
        task: what such a question asks for.
        simple: an easy question of the type; ``hard`` a difficult one.
        subtypes: RealHiTBench's name of each -> what it asks for.
        answer: the form of the final answer.
        kind: ``values``, one ``sentence``, or the ``code`` of a chart.
        rules: further requirements on a question.
        hints: subtype -> what its answer consists of, where that differs within the type.
    """

    name: str
    task: str
    simple: str
    hard: str
    subtypes: Mapping[str, str]
    answer: str = VALUES
    kind: AnswerForm = "values"
    rules: tuple[str, ...] = ()
    hints: Mapping[str, str] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """The name as people write it."""
        return self.name.replace("_", " ").capitalize()


_FACTS = QuestionType(
    name="fact_checking",
    task="finds out what the table says: which cells a condition is about, and what stands there",
    simple="one value looked up under its headings",
    hard="a conclusion from values in several rows and columns that have to be found first",
    subtypes={
        "Value-Matching": "which value, or which row or column, meets a stated condition",
        "Multi-hop Fact Checking": "a fact reached by several look-ups, each of which needs the one before",
        "Inference-based Fact Checking": "a fact that follows from the table but stands in none of its cells",
    },
    rules=("A question that can be answered by yes or no is allowed, but at most one in three.",),
)

_NUMBERS = QuestionType(
    name="numerical_reasoning",
    task="works out a number, or what follows from comparing numbers, from several cells of the table",
    simple="one difference, sum or comparison of two cells",
    hard="several steps of arithmetic over cells that are chosen by a condition",
    subtypes={
        "Multi-hop Numerical Reasoning": "a number from several steps, each of which uses the result before",
        "Counting": "how many rows, columns or groups meet a condition",
        "Ranking": "the order of entries by a value, or who has which place in it",
        "Comparison": "which entries have more or less of something, or by how much",
        "Calculation": "a sum, mean, share, rate or span of time",
    },
    rules=("Say to how many decimals a result is to be rounded if it need not be a whole number.",),
)

_ANALYSIS = QuestionType(
    name="data_analysis",
    task="draws from the table what somebody who has to decide something would want to know",
    simple="a figure that describes one column, such as its mean or its most frequent value",
    hard="how several columns hang together, what stands out, or what is to be expected next, with reasons",
    subtypes={
        "Rudimentary Analysis": "a plain statistic or a visible pattern of a part of the table",
        "Summary Analysis": "what the table is about and its main findings, in brief",
        "Predictive Analysis": "what a value is likely to be later or elsewhere, from the trend in the table",
        "Exploratory Analysis": "whether and how two or more quantities of the table are related",
        "Anomaly Analysis": "which entries depart from the others, or that none does",
    },
    answer="one short paragraph without line breaks",
    kind="sentence",
    hints={
        "Rudimentary Analysis": "The answer is the figure or the name alone.",
        "Summary Analysis": "The answer is two to four sentences: the subject, then findings with numbers.",
        "Predictive Analysis": "The answer begins with the predicted value; one sentence gives the trend.",
        "Exploratory Analysis": "The answer says whether there is a relation, of which direction, and two "
        "numbers that show it.",
        "Anomaly Analysis": "The answer names each entry that stands out with its value and what the others "
        "are like, or says that none does.",
    },
)

_CHARTS = QuestionType(
    name="chart_generation",
    task="asks for a chart of data in the table",
    simple="a chart of one column as it stands",
    hard="a chart of values that have to be selected, summed or converted before they are drawn",
    subtypes={
        "LineChart Generation": "a line chart, of a development",
        "BarChart Generation": "a bar chart, of quantities side by side",
        "ScatterChart Generation": "a scatter chart, of one quantity against another",
        "PieChart Generation": "a pie chart, of the shares of a whole",
    },
    answer="a Python program that draws the chart with matplotlib",
    kind="code",
    rules=("Name the kind of chart, what is on each axis, and which rows and columns it shows.",),
)

_STRUCTURE = QuestionType(
    name="structure_comprehending",
    task="can be answered only by somebody who has understood how the table is built: which heading is part "
    "of which, which rows belong to a group, where one part ends and the next begins",
    simple="a value under a heading that occurs in several groups, one of which is named",
    hard="values of one group only, where the same labels, subtotals or totals occur in others too",
    subtypes={
        "Column Headings": "a value found by headings that are nested above the columns",
        "Row Headings": "a value found by labels that are nested, or set in, at the left",
        "Parts of the Table": "values of one of several parts that are alike",
        "Totals": "what a total or subtotal is made of, without counting anything twice",
    },
    rules=(
        "Name cells by their headings alone, never by their place ('the first row', 'the last column'): the "
        "answer has to stay the same when whole groups of rows or columns change places.",
    ),
)

TYPES: Mapping[str, QuestionType] = {
    each.name: each for each in (_FACTS, _NUMBERS, _ANALYSIS, _CHARTS, _STRUCTURE)
}
"""The types by name."""
