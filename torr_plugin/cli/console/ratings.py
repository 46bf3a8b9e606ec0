"""Ratings in the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...analysis import format_ranks
from ...analysis.number_format import ABSENT
from .tables import print_rows, say_in_columns

if TYPE_CHECKING:
    from ...analysis.ratings import Ratings
    from ...analysis.result import Bounds


def show_ratings(found: Ratings) -> None:
    """Show a row a model, best first, and what to know about the ratings."""
    tiers = {model: number for number, tier in enumerate(found.tiers, 1) for model in tier}
    rows = [
        {
            "model": model,
            "Bradley-Terry": _rating(figure),
            "Elo": _rating(found.elo[model]),
            "rank": format_ranks(found.rank_intervals[model]),
            "tier": tiers.get(model, ABSENT),
        }
        for model, figure in found.bradley_terry.items()
    ]
    print_rows(rows, left=["model"])
    for note in found.notes:
        say_in_columns(note)


def _rating(figure: Bounds) -> str:
    """``1164 [1102, 1231]``; a dash for what is not known, or has no bound."""
    value, low, high = (
        ABSENT if each is None else f"{each:.0f}" for each in (figure.value, figure.low, figure.high)
    )
    return value if figure.low == figure.high else f"{value} [{low}, {high}]"
