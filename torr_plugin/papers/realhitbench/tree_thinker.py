"""TreeThinker: ask a model for the tree of a table's headers, then reason along it to an answer."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ...prompts import DefaultDesign, Design, Prompt, Shown, Step
from ...prompts.design import NOTES, Steps, refuse_documents, user_message
from ...prompts.message import spoil
from ...tables.header_tuples import header_tuples, tree_text

if TYPE_CHECKING:
    from ...catalog import Card
    from ...prompts import Configuration

NAME = "tree_thinker"
TREE, ANSWER = "tree", "answer"
MOST_TOKENS = 4096
LONGEST_TREE = 40_000
"""The most characters of a model's tree that are passed on."""

FINAL = "Final Answer:"

ROLE = "You analyse tables whose headers stand on several levels."

# after Table 17 of the paper, in our own words
TREE_TASK = """\
Work out how the headers of this table are organised. There is no question to answer yet.

1. Describe the table in a few sentences: what its column headers and its row headers mean, which of them \
cover others (merged cells, indentation and rows that hold a label alone show it), and which stand for \
totals, averages or other summaries.
2. List every header as a tuple (axis and level, start, end, label), one on each line. In (R0, 1, 2, City), \
R marks a header of rows and 0 the outermost level, and it covers the rows 1 to 2; C marks a header of \
columns. Count the rows and columns of the whole table from 0, headers included: below a single header row \
the values begin in row 1. Copy the labels as they stand. Leave out the corner above the row headers.
3. Join the tuples into two trees, one of rows and one of columns. Each has a ROOT on level -1. The parent \
of a tuple is the one with the same letter on the nearest level above it whose range contains its own, or \
else ROOT; a tuple that starts and ends at the same place is a leaf. Write the trees as indented lists.
4. Compare the trees with the table once more: every header is there once, below its right parent."""

# after Table 18
_REASONING = """\
Work in this order:
Keywords: the words of the task above that matter.
Headers: {headers}
Cells: the cells where these headers meet. Totals, averages and other summaries in the table may save you a \
calculation; merged or nested headers apply to everything below them.
Then, in as many rounds as you need:
Thought: what to do next, given the results so far.
Action: one single step, such as a look-up, a calculation or a comparison.
Result: what it gives, and whether that settles the task.
Check task, table and results once more before you finish. Then write, as the last thing:
Final Answer: the answer alone, in the form that the task asks for, with the table's own spelling of what is \
in the table. Whatever the task says about how to write the answer holds for this part only; an answer of \
several lines, such as a program, goes on below."""
REASONING = _REASONING.format(headers="the headers of rows and columns that each keyword means.")
TREE_REASONING = _REASONING.format(
    headers="for each keyword the headers of rows and columns that it means, as tuples from the trees."
)

MODEL_TREE = "The headers of this table, as you organised them before (mend what is wrong):"
GOLD_TREE = (
    "The headers of this table as trees of tuples (axis and level, start, end, label); rows and columns of "
    "the whole table are counted from 0:"
)

# in Markdown's bold or not
_MARK = (
    r"(?P<bold>[*_]{0,3})final answer(?: is)?(?P<rest>[*_]{0,3} ?[:\uff1a](?:[*_]{1,3}(?=\s|\Z))?)[ \t]{0,8}"
)
_HEADING = r"[*_]{0,3}final answer[*_]{0,3}[ \t]{0,8}$"  # a line of its own
_AT_LINE_START = re.compile(rf"^[ \t>#-]{{0,8}}(?:{_MARK}|{_HEADING})", re.I | re.M)
_ANYWHERE = re.compile(_MARK, re.I)


class TreeThinker(Design):
    """Base of the designs that reason before they answer (RealHiTBench, section 4 and Tables 17 and 18).

    Demonstrations show the answers alone, as the data sets have no reasoning. What follows the last
    ``Final Answer:`` is scored.
    """

    steps: Steps = (Step(ANSWER, max_tokens=MOST_TOKENS, until=()),)

    def check(self, card: Card, configuration: Configuration) -> None:
        """Refuse cards that show documents; see :meth:`Design.check`."""
        refuse_documents(self, card, configuration)

    def compose(self, asked: Shown, demonstrations: Sequence[Shown]) -> Prompt:
        """The example and the order of work, without a tree."""
        return reasoning_prompt(asked, demonstrations, "", "")

    def ask(self, asked: Shown, request: str) -> Prompt:
        """The example and the request, without the order of work."""
        text = "\n\n".join(filter(None, [ROLE, asked.instruction, asked.source, request, NOTES]))
        return (user_message(text, asked, ()),)

    def final_answer(self, answer: str) -> str:
        """The text after the last ``Final Answer:``, if any; those that begin a line come before others."""
        marks = list(_AT_LINE_START.finditer(answer)) or list(_ANYWHERE.finditer(answer))
        if not marks:
            return answer
        mark = marks[-1]
        final = answer[mark.end() :].strip()
        is_all_bold = (mark["rest"] or "").strip() in (":", "\uff1a")
        return final.removesuffix(mark["bold"]).rstrip() if is_all_bold else final


def reasoning_prompt(asked: Shown, demonstrations: Sequence[Shown], heading: str, tree: str) -> Prompt:
    """One user message: instruction, demonstrations, example, tree if there is one, the order of work."""
    parts = [
        ROLE,
        asked.instruction,
        *(f"{each.source}\n\n{FINAL} {each.target}" for each in demonstrations),
        asked.source,
        f"{heading}\n{tree}" if tree else "",
        TREE_REASONING if tree else REASONING,
    ]
    return (user_message("\n\n".join(filter(None, parts)), asked, demonstrations),)


def tree_prompt(asked: Shown) -> Prompt:
    """The table and what to make of its headers, without the question: equal for all questions about it."""
    text = "\n\n".join([ROLE, f"Table:\n{asked.written}", TREE_TASK])
    return (user_message(text, asked, ()),)


def _passed_on(answer: str) -> str:
    """A model's tree as the next prompt holds it."""
    return answer.strip()[:LONGEST_TREE]


class TreeThinkerDesign(TreeThinker):
    """Two calls: the model makes the header trees, then reasons along them.

    The first prompt holds the table and not the question, so that it is asked once for all questions about a
    table. After an empty answer the second is that of ``tree_thinker_no_tree``.
    """

    name = NAME
    base = "default"
    steps = (
        Step(TREE, max_tokens=MOST_TOKENS, until=()),
        Step(ANSWER, after=(TREE,), max_tokens=MOST_TOKENS, until=()),
    )

    def begin(self, step: Step, asked: Shown, demonstrations: Sequence[Shown]) -> Prompt:
        """The prompt that asks for the trees; without demonstrations, which show answers."""
        return tree_prompt(asked)

    def follow(
        self, step: Step, asked: Shown, demonstrations: Sequence[Shown], answers: Mapping[str, str]
    ) -> Prompt:
        """The example with the model's trees and the order of work."""
        return reasoning_prompt(asked, demonstrations, MODEL_TREE, _passed_on(answers[TREE]))


class TreeThinkerNoTreeDesign(TreeThinker):
    """One call: reason along the headers without a tree (Table 4, without tree generation)."""

    name = "tree_thinker_no_tree"
    base = NAME


class TreeThinkerNoReasoningDesign(DefaultDesign):
    """Two calls: the model makes the header trees, then answers directly (Table 4, without reasoning).

    The second prompt is that of ``default`` with the trees below the table and the question.
    """

    name = "tree_thinker_no_reasoning"
    base = NAME
    steps = (Step(TREE, max_tokens=MOST_TOKENS, until=()), Step(ANSWER, after=(TREE,)))

    def check(self, card: Card, configuration: Configuration) -> None:
        """Refuse cards that show documents; see :meth:`Design.check`."""
        refuse_documents(self, card, configuration)

    def begin(self, step: Step, asked: Shown, demonstrations: Sequence[Shown]) -> Prompt:
        """The first prompt of ``tree_thinker``."""
        return tree_prompt(asked)

    def follow(
        self, step: Step, asked: Shown, demonstrations: Sequence[Shown], answers: Mapping[str, str]
    ) -> Prompt:
        """The prompt of ``default`` with the model's trees."""
        tree = _passed_on(answers[TREE])
        source = f"{asked.source}\n\n{MODEL_TREE}\n{tree}\n" if tree else asked.source
        return self.compose(replace(asked, source=source), demonstrations)


class TreeThinkerGoldDesign(TreeThinker):
    """One call: reason along the table's own header trees, as the model would have made them at best."""

    name = "tree_thinker_gold"
    base = NAME

    def compose(self, asked: Shown, demonstrations: Sequence[Shown]) -> Prompt:
        """The example with the trees of the table as it is shown."""
        tree = tree_text(header_tuples(asked.table)) if asked.table else ""
        return reasoning_prompt(asked, demonstrations, GOLD_TREE, spoil(tree) if asked.images else tree)
