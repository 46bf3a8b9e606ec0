"""Questions about documents as reviewers are shown them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from math import isnan
from typing import TypeAlias

from markupsafe import Markup

from ...leaderboard.text import visible
from ...synthesis.document_questions import DocumentQuestion, answer_recall
from ...synthesis.filings.questions.question import LEVELS
from ...tables import Table
from ...tables.documents import Block
from ..reviewing import ReviewItem, ReviewSheet
from ..reviewing.folder import as_lines
from ..reviewing.page import table_markup

Context: TypeAlias = "Sequence[tuple[int | None, Block]]"
"""The blocks of a chunk, each table with its number in the document, and other blocks without one."""

_COLUMNS = (
    *("id", "document", "level", "table", "question", "candidate"),
    *("steps", "grounding", "evidence", "reason", "recall", "recall_words"),
)


def review_sheet(
    questions: Sequence[DocumentQuestion], contexts: Mapping[tuple[str, int], Context]
) -> ReviewSheet:
    """What :func:`torr_plugin.workflows.reviewing.write_review` writes of the questions that were kept.

    Args:
        questions: all; those that the filter dropped are left out.
        contexts: document's name and chunk's number -> the chunk, of all kept questions.
    """
    kept = [each for each in questions if each.kept]
    used = dict.fromkeys((each.document, each.chunk) for each in kept)
    return ReviewSheet(
        items=[_item(each) for each in kept],
        columns=_COLUMNS,
        figures={_about(*place): _markup(contexts[place]) for place in used},
        groups={level: level for level in LEVELS},
        content=as_lines(asdict(each) for each in kept),
        command="torr synth accept",
        figure="Text",
        caption="",
        criteria="Source: where in the text does the answer stand, or what does it follow from? Answer: do "
        "you come to the same, with its unit? Level: an extraction takes one cell, a calculation several, an "
        "analysis says what numbers mean. Clarity: is there one reading, without knowing which table was "
        "meant?",
        scored=False,
    )


def _about(document: str, chunk: int) -> str:
    return f"{document}, part {chunk + 1}"


def _markup(context: Context) -> Markup:
    """A chunk, all texts escaped."""
    return Markup("\n").join(
        Markup('<p class="number">{}</p>{}').format(f"Table {number}", table_markup(block))
        if isinstance(block, Table)
        else Markup('<p class="{}">{}</p>').format(block.kind, visible(block.text))
        for number, block in context
    )


def _item(question: DocumentQuestion) -> ReviewItem:
    exact, words = map(_share, answer_recall(question))
    recalls = {"recall": exact, "recall_words": words}
    table = "" if question.table is None else str(question.table)
    steps = "\n".join(question.steps)
    shown = {
        **{name: str(getattr(question, name)) for name in _COLUMNS if hasattr(question, name)},
        "table": table,
        "steps": steps,
        **recalls,
    }
    source = "quoted sentence" if question.grounding else "evidence"
    return ReviewItem(
        id=question.id,
        about=_about(question.document, question.chunk),
        group=question.level,
        heading=" \u00b7 ".join(
            filter(None, [question.level.title(), question.document, table and f"Table {table}"])
        ),
        question=question.question,
        candidate=question.answer,
        form="sentence",
        details={
            "Steps": steps,
            "Quoted sentence": question.grounding,
            "Evidence": question.evidence,
            "Why the filter kept it": question.reason,
            "Recall": exact
            and f"{exact} of the answer's tokens are in the {source}, {words or 'none'} of its words and "
            "numbers",
        },
        shown=shown,
        row={**asdict(question), **{name: float(value) for name, value in recalls.items() if value}},
    )


def _share(value: float) -> str:
    """Two decimals; empty for NaN."""
    return "" if isnan(value) else f"{value:.2f}"
