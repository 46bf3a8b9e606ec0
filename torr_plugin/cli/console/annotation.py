"""``torr annotate`` as a person reads it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

from ...core.errors import counted
from ..command import say
from .progress import shortened
from .tables import print_rows, say_in_columns

if TYPE_CHECKING:
    from ...workflows.annotation import AcceptedData, AnnotationReport


def show_rounds(
    rounds: Sequence[Mapping[str, Any]],
    fewer: str = "fewer questions may come, and equal answers are scored once",
) -> None:
    """Show what rounds of prompts would ask, a row a round and model; ``fewer``: why it can be less."""
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
        f"prompts, tokens, answers and US dollars at most: {fewer}; ~: an estimate, four characters a token; "
        "answered: replies of this model that are there"
    )


def show_annotation(found: AnnotationReport) -> None:
    """Show how many questions there are, and where they are reviewed."""
    print_rows(
        [{"type": kind, "questions": count} for kind, count in found.questions.items()]
        or [{"type": "none", "questions": 0}],
        left=("type",),
    )
    left_out = [
        (found.repeated, "repeated another of the same table and were left out"),
        (found.unanswered, "got no answer"),
    ]
    for count, what in left_out:
        if count:
            say(f"{counted(count, 'question')} {what}")
    if found.unscored:
        say(f"{counted(found.unscored, 'answer')} without a score of the judge's")
    if found.failed:
        say(f"{counted(found.failed, 'request')} failed; --retry-failed sends them again")
    if not found.questions:
        say(f"No reply has a question that can be read; the replies are in {found.folder / 'asked'}")
        return
    say(f"Review them in {found.folder / 'review.html'}, or in review.csv or review.xlsx beside it")
    say(f"Then: torr annotate accept {quote(str(found.folder))} --name NAME")


def show_accepted(found: AcceptedData, mirror: Path, *, there: bool) -> None:
    """Show what was made of a review; ``there``: whether TORR_DATA names the mirror."""
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
    variable = "" if there else f"TORR_DATA={quote(str(mirror))} "
    for path in found.recipes:
        say(f"Next: {variable}torr run {quote(str(path))}")
