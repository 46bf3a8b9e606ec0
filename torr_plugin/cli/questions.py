"""``torr annotate``, ``torr synth qa`` and their ``accept`` as a person reads them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from shlex import quote
from typing import TYPE_CHECKING, Any

from ..analysis.number_format import format_interval
from ..core.errors import counted
from .command import say
from .console import print_rows, say_in_columns, shortened

if TYPE_CHECKING:
    from ..question_writing.annotation.accepting import AcceptedData
    from ..question_writing.annotation.asking import AnnotationReport
    from ..question_writing.document_questions.accepting import AcceptedQuestions
    from ..question_writing.document_questions.asking import SynthesisReport
    from ..question_writing.document_questions.recall import RecallRow
    from ..question_writing.flow import WritingReport


def show_rounds(rounds: Sequence[Mapping[str, Any]]) -> None:
    """Show what rounds of prompts would ask, a row a round and model."""
    rows = [
        {
            "round": row["round"],
            "model": row["model"],
            "prompts": row["prompts"],
            "tokens": f"~{shortened(row['prompt tokens'])}",
            "longest": f"~{row['longest prompt']:,}",
            "answers": shortened(row["answer tokens"]),
            "US dollars": "" if row["cost"] is None else f"{row['cost']:,.2f}",
            "answered": row["answered"],
        }
        for row in rounds
    ]
    print_rows(rows, left=("round", "model"))
    say_in_columns(
        "prompts, tokens, answers and US dollars at most: fewer questions may come, and repeated questions "
        "and equal answers lead to nothing; ~: an estimate, four characters a token; answered: replies of "
        "this model that are there"
    )


def show_annotation(found: AnnotationReport) -> None:
    """Show how many questions there are of each type, and where they are reviewed."""
    rows = [{"type": kind, "questions": count} for kind, count in found.questions.items()]
    print_rows(rows or [{"type": "none", "questions": 0}], left=("type",))
    notes = [
        (found.repeated, "question", "repeated another of the same table and were left out"),
        (found.unanswered, "question", "got no answer"),
        (found.unscored, "answer", "without a score of the judge's"),
    ]
    if _said(found, notes, any_question=bool(found.questions)):
        _say_review(found, f"torr annotate accept {quote(str(found.folder))} --name NAME")


def show_synthesis(found: SynthesisReport) -> None:
    """Show how many questions there are of each level, and what became of the others."""
    rows = [
        {"level": level, "asked for": count["asked"], "written": count["written"], "kept": count["kept"]}
        for level, count in found.levels.items()
    ]
    print_rows(rows, left=("level",))
    say(f"about {counted(found.chunks, 'chunk')} of {counted(found.documents, 'document')}")
    notes = [
        (found.repeated, "question", "repeated another of the same document and were left out"),
        (found.ungrounded, "question", "quoted no sentence of their chunk and were not filtered"),
        *((count, "reply", f"without the form asked for: {what}") for what, count in found.malformed.items()),
    ]
    if _said(found, notes, any_question=any(row["written"] for row in rows)):
        say(f"{found.folder / 'questions.parquet'} has them all, with the filter's reasons")
        if any(row["kept"] for row in rows):
            _show_recall(found.recall)
            _say_review(found, f"torr synth accept {quote(str(found.folder))} --to MIRROR")


def _said(found: WritingReport, notes: Sequence[tuple[int, str, str]], *, any_question: bool) -> bool:
    """Say what went wrong, and give whether there is a question nevertheless."""
    for count, what, why in notes:
        if count:
            say(f"{counted(count, what, 'replies' if what == 'reply' else f'{what}s')} {why}")
    if found.failed:
        say(f"{counted(found.failed, 'request')} failed; --retry-failed sends them again")
    if not any_question:
        say(f"No reply has a question that can be read; the replies are in {found.folder / 'asked'}")
    return any_question


def _say_review(found: WritingReport, then: str) -> None:
    say(f"Review them in {found.folder / 'review.html'}, or in review.csv or review.xlsx beside it")
    say(f"Then: {then}")


def _show_recall(rows: Sequence[RecallRow]) -> None:
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


def show_accepted(found: AcceptedData, next_command: str) -> None:
    """Show what was made of a review; ``next_command`` begins what runs it."""
    rows = [
        {"type": kind, "asked": made.asked, "demonstrations": made.shown, "metric": made.metric}
        for kind, made in found.made.items()
    ]
    print_rows(rows, left=("type", "metric"))
    say(
        f"{found.accepted:,} accepted, {found.changed:,} changed; left out: {found.rejected:,} rejected, "
        f"{found.unreviewed:,} not reviewed"
    )
    kept = {*found.kept, *(path for made in found.made.values() for path in made.kept)}
    for path in (*(made.card for made in found.made.values()), *found.recipes):
        say(f"{path}{' (was there: left as it is)' if path in kept else ''}")
    for path in found.recipes:
        say(f"{next_command}torr run {quote(str(path))}")


def show_accepted_questions(found: AcceptedQuestions, next_command: str) -> None:
    """Show what was made of a review; ``next_command`` begins what reads it."""
    from ..question_writing.document_questions.question import LEVELS

    _show_recall(found.recall)
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
    cards = ",".join(f"tablequest.{level}" for level in found.questions)
    some = "" if len(found.questions) == len(LEVELS) else f" --cards {cards}"
    say(f"{next_command}torr run tablequest{some}")
