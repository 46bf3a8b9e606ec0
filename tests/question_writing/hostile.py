"""Questions with texts that would run, break out or become formulas if a file took them for more."""

from __future__ import annotations

from tests.leaderboard.hostile import HTML
from tests.question_writing.made import question
from torr_plugin.question_writing.annotation.question import AnnotatedQuestion
from torr_plugin.question_writing.annotation.question import review_sheet as annotation_sheet
from torr_plugin.question_writing.document_questions.excerpts import DocumentExcerpt
from torr_plugin.question_writing.document_questions.question import review_sheet
from torr_plugin.question_writing.review import Alternative, ReviewSheet
from torr_plugin.tables import Table
from torr_plugin.tables.documents import TextBlock

FORMULAS = (
    "=cmd|' /C calc'!A0",
    "+1+cmd|' /C calc'!A0",
    "-2+3+cmd|' /C calc'!A0",
    "@SUM(1+9)*cmd|' /C calc'!A0",
    " \t=1+1",
    "fine;=1+1",
    "fine\n=1+1",
    "\uff1d1+1",
)
EVIL = "\n".join(HTML)
TABLE = Table.flat(
    [EVIL, "plain"], [["\u202ereversed", "=1+1"], ["</table><script>window.pwned=1</script>", "\x01"]]
)


def hostile_questions() -> list[AnnotatedQuestion]:
    """One question for each kind of formula, all with hostile HTML in every text."""
    return [
        AnnotatedQuestion(
            id=f"evil-fact_checking-{number}",
            table=EVIL,
            type="fact_checking",
            subtype=EVIL,
            question=formula,
            asked_by=EVIL,
            alternatives=(
                Alternative(f"{formula} {EVIL}", (EVIL, "=1+1"), 3, 90.0),
                Alternative("\ud800\x00\u202e", ("c",), 3),
            ),
        )
        for number, formula in enumerate(FORMULAS)
    ]


def hostile_sheets() -> dict[str, ReviewSheet]:
    """What reviewers are shown of hostile texts, about tables and about documents."""
    asked = question(1, EVIL, question=EVIL, answer=EVIL, grounding=EVIL, evidence=EVIL, reason=EVIL)
    chunk = [(None, TextBlock(f"{EVIL}\u202e\x00")), (None, TextBlock(EVIL, "note")), (7, TABLE)]
    return {
        "tables": annotation_sheet(hostile_questions(), {EVIL: TABLE}),
        "documents": review_sheet([asked], [DocumentExcerpt(EVIL, 0, chunk, {})]),
    }
