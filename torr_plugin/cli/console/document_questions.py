"""Questions about documents as a person reads of them: recall, and what a review accepted."""

from __future__ import annotations

from collections.abc import Sequence
from shlex import quote
from typing import TYPE_CHECKING

from ...analysis.number_format import format_interval
from ...core.errors import counted
from ...synthesis.filings.questions.question import LEVELS
from ..command import say
from .tables import print_rows, say_in_columns

if TYPE_CHECKING:
    from ...synthesis.document_questions import RecallRow
    from ...workflows.synth_qa import AcceptedQuestions


def show_recall(rows: Sequence[RecallRow]) -> None:
    """Show TableQuest's Table 4, and the same by level."""
    print_rows(
        [
            {
                "answers": each.answers,
                "questions": each.count,
                "share": f"{each.share:.1%}",
                "recall": format_interval(each.recall, each.low, each.high),
                "words and numbers": format_interval(each.words, each.words_low, each.words_high),
            }
            for each in rows
        ],
        left=["answers", "recall", "words and numbers"],
    )
    say_in_columns(
        "recall: the share of an answer's tokens that are in the sentence quoted for it, or else in its "
        "evidence; words and numbers: without other tokens, numbers by their size; answers: their number of "
        "tokens, or the level; intervals of 95 %, a document being a cluster. A number that is worked out "
        "stands in no evidence."
    )


def show_accepted_questions(found: AcceptedQuestions, *, there: bool) -> None:
    """Show what was made of a review; ``there``: whether TORR_DATA names the mirror."""
    show_recall(found.recall)
    left_out = {
        "rejected": found.rejected,
        "not reviewed": 0 if found.unreviewed_taken else found.unreviewed,
        "dropped by the filter": found.dropped,
    }
    say(f"{found.accepted:,} accepted, {found.changed:,} changed")
    if found.unreviewed_taken:
        say(f"{counted(found.unreviewed, 'question')} taken that nobody reviewed (--all-kept)")
    say(f"left out: {', '.join(f'{count:,} {why}' for why, count in left_out.items())}")
    levels = ", ".join(f"{count:,} {level}" for level, count in found.questions.items())
    say(f"{found.folder}: {counted(found.documents, 'document')}, {levels}")
    variable = "" if there else f"TORR_DATA={quote(str(found.folder.parent))} "
    cards = ",".join(f"tablequest.{level}" for level in found.questions)
    some = "" if len(found.questions) == len(LEVELS) else f" --cards {cards}"
    say(f"Next: {variable}torr run tablequest{some}")
