"""An annotation's questions as reviewers are shown them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from ...synthesis.annotation import TYPES, Alternative
from ...tables import Table
from ..reviewing import ReviewItem, ReviewSheet
from ..reviewing.page import table_markup
from .questions import AnnotatedQuestion, questions_as_bytes

_COLUMNS = ("id", "table", "type", "subtype", "question", "candidate", "score", "alternatives")


def review_sheet(questions: Sequence[AnnotatedQuestion], tables: Mapping[str, Table]) -> ReviewSheet:
    """What :func:`torr_plugin.workflows.reviewing.write_review` writes of an annotation."""
    content = questions_as_bytes(questions)
    return ReviewSheet(
        items=[
            _item(each, json.loads(row)) for each, row in zip(questions, content.splitlines(), strict=True)
        ],
        columns=_COLUMNS,
        figures={name: table_markup(table) for name, table in tables.items()},
        groups={name: kind.title.lower() for name, kind in TYPES.items()},
        content=content,
        command="torr annotate accept",
        figure="Table",
        caption="Answers, and why this one is the candidate: the share of models times the judge\u2019s "
        "score",
        criteria="Relevance: would a reader of this table ask it? Completeness: does the question name all "
        "that it takes to answer it? Feasibility: can it be answered from this table alone? Clarity: is "
        "there one reading, and one right answer?",
    )


def alternatives_as_text(alternatives: Sequence[Alternative]) -> str:
    """A line for each answer: the answer, how many models gave it, the judge's score, a chart's values."""
    return "\n".join(
        f"{given.answer} ({len(given.models)} of {given.asked}: {', '.join(given.models)}; judge: "
        f"{'none' if given.score is None else f'{given.score:g}'}"
        f"{f'; shows {given.values}' if given.values else ''})"
        for given in alternatives
    )


def _item(question: AnnotatedQuestion, row: Mapping[str, object]) -> ReviewItem:
    kind = TYPES[question.type]
    score = question.alternatives[0].final if question.alternatives else None
    plain = {name: str(getattr(question, name)) for name in _COLUMNS[:6]}
    return ReviewItem(
        id=question.id,
        about=question.table,
        group=question.type,
        heading=" \u00b7 ".join(
            filter(None, [kind.title, question.subtype, f"asked by {question.asked_by}"])
        ),
        question=question.question,
        candidate=question.candidate,
        form=kind.kind,
        alternatives=question.alternatives,
        shown={
            **plain,
            "score": "" if score is None else f"{score:.1f}",
            "alternatives": alternatives_as_text(question.alternatives),
        },
        row=row,
    )
