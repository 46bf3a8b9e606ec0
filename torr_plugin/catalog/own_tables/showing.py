"""Which demonstrations the questions can have: none is about the table that is asked about."""

from __future__ import annotations

from collections.abc import Sequence

from .questions import ASKED, SHOWN, Question


def shots_of(questions: Sequence[Question]) -> int:
    """1 where every question that is asked has a demonstration about another table, else 0."""
    asked, shown = _tables(questions, ASKED), _tables(questions, SHOWN)
    return int(bool(shown) and all(shown - {table} for table in asked))


def notes_of(questions: Sequence[Question]) -> tuple[str, ...]:
    """What a person should know of tables that are both asked about and shown."""
    both = sorted(_tables(questions, ASKED) & _tables(questions, SHOWN))
    if not both:
        return ()
    if not shots_of(questions):
        return (
            f"every demonstration is about the table {both[0]!r}, which is asked about too: there is none "
            "for these questions, so the study shows no demonstrations; take some about another table",
        )
    more = f" and {len(both) - 1} more" if len(both) > 1 else ""
    return (
        f"the table {both[0]!r}{more} is in both splits: it demonstrates nothing to questions about itself, "
        "but tables of their own would be better",
    )


def _tables(questions: Sequence[Question], split: str) -> set[str]:
    return {each.table for each in questions if each.split == split}
