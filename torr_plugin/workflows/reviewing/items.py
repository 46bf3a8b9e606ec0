"""A question as reviewers are shown it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

if TYPE_CHECKING:
    from markupsafe import Markup

    from ...synthesis.annotation import Alternative

AnswerForm: TypeAlias = Literal["values", "sentence", "code"]


@dataclass(frozen=True)
class ReviewItem:
    """A question, its candidate answer, and what a reviewer needs to judge them.

    Attributes:
        id: of the question.
        about: the figure that it is about, by name.
        group: what the page can choose questions by.
        heading: the line above the question, e.g. type, subtype and who asked.
        question: its text.
        candidate: the answer to accept; empty where there is none.
        form: of the answer.
        alternatives: all distinct answers, the candidate first.
        details: name -> text: steps, evidence, remarks; empty ones are left out.
        shown: the columns of CSV and XLSX to be read, by name; of all items the same.
        row: what JSON lines have.
    """

    id: str
    about: str
    group: str
    heading: str
    question: str
    candidate: str
    form: AnswerForm
    alternatives: tuple[Alternative, ...] = ()
    details: Mapping[str, str] = field(default_factory=dict)
    shown: Mapping[str, str] = field(default_factory=dict)
    row: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class ReviewSheet:
    """All that is to be reviewed.

    Attributes:
        items: the questions.
        columns: the columns of CSV and XLSX to be read.
        figures: name -> what questions are about, as HTML of our own making with all texts escaped.
        groups: name -> title, in order.
        content: the questions as they are stored: another content has other verdicts.
        command: reads the verdicts: ``torr annotate accept``.
        figure: the word for a figure: ``Table``.
        caption: of the list of alternatives.
        criteria: what to look at, as a sentence or several.
        scored: whether alternatives have a judge's score.
    """

    items: Sequence[ReviewItem]
    columns: tuple[str, ...]
    figures: Mapping[str, Markup]
    groups: Mapping[str, str]
    content: bytes
    command: str
    figure: str
    caption: str
    criteria: str
    scored: bool = True
