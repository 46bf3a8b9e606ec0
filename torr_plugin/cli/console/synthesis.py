"""``torr synth qa`` as a person reads it."""

from __future__ import annotations

from shlex import quote
from typing import TYPE_CHECKING

from ...core.errors import counted
from ..command import say
from .document_questions import show_recall
from .tables import print_rows

if TYPE_CHECKING:
    from ...workflows.synth_qa import SynthesisReport


def show_synthesis(found: SynthesisReport) -> None:
    """Show how many questions there are of each level, and what became of the others."""
    rows = [
        {"level": level, "asked for": count.asked, "written": count.written, "kept": count.kept}
        for level, count in found.levels.items()
    ]
    print_rows(rows, left=("level",))
    say(f"about {counted(found.chunks, 'chunk')} of {counted(found.documents, 'document')}")
    left_out = [
        (found.repeated, "repeated another of the same document and were left out"),
        (found.ungrounded, "quoted no sentence of their chunk and were not filtered"),
    ]
    for count, what in left_out:
        if count:
            say(f"{counted(count, 'question')} {what}")
    for what, count in found.malformed.items():
        say(f"{counted(count, 'reply', 'replies')} without the form asked for: {what}")
    if found.failed:
        say(f"{counted(found.failed, 'request')} failed; --retry-failed sends them again")
    if not any(count.written for count in found.levels.values()):
        say(f"No reply has a question that can be read; the replies are in {found.folder / 'asked'}")
        return
    say(f"{found.folder / 'questions.parquet'} has them all, with the filter's reasons")
    if any(count.kept for count in found.levels.values()):
        show_recall(found.recall)
        say(f"Review them in {found.folder / 'review.html'}, or in review.csv or review.xlsx beside it")
        say(f"Then: torr synth accept {quote(str(found.folder))} --to MIRROR")
