"""Ratings in the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...analysis import format_ranks
from ...analysis.number_format import ABSENT, format_interval
from ...analysis.simultaneous_ranks import tier_numbers
from ...core.errors import counted
from .tables import print_rows, say_in_columns, show_lines

if TYPE_CHECKING:
    from ...analysis.ratings import Ratings
    from ...analysis.ratings.judges import JudgeReport
    from ...analysis.ratings.planning import Needed
    from ...analysis.result import Bounds


def show_ratings(found: Ratings) -> None:
    """Show a row a model, best first, and what to know about the ratings."""
    tiers = tier_numbers(found.tiers)
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
    if found.judges is not None:
        _show_judges(found.judges)
    show_lines(_needed(found))
    for note in (*found.notes, *(found.judges.notes if found.judges else ())):
        say_in_columns(note)


def _show_judges(report: JudgeReport) -> None:
    """Show a row a judge, and how far they agree."""
    rows = [
        {
            "judge": judge,
            "battles": each.battles,
            "unclear": f"{each.unclear + each.failed:.1%}",
            "orders differ": _share(each.orders_disagree),
            "first shown": _share(each.first_shown),
            "twice as long": _rating(each.verbosity),
        }
        for judge, each in report.by_judge.items()
    ]
    show_lines(["What their verdicts say of the judges:"])
    print_rows(rows, left=["judge"])
    if report.agreement is None:
        return
    ordinal, nominal = (
        format_interval(*_bounds(each)) for each in (report.agreement.ordinal, report.agreement.nominal)
    )
    show_lines(
        [
            f"{counted(report.agreement.judges, 'judge')}, {counted(report.agreement.battles, 'battle')}: "
            f"all agree on {report.agreement.same:.0%}",
            f"Krippendorff's alpha: {ordinal}, ordinal: a tie lies between the models",
            f"Krippendorff's alpha: {nominal}, nominal: all disagreements are alike",
        ]
    )


def _needed(found: Ratings) -> list[str]:
    """How many questions separate more pairs of models."""
    if not found.needed or found.separability.value is None:
        return []
    now = f"{found.separability.value:.0%} by {counted(found.questions, 'question')}"
    beyond = ", ".join(f"{each.separability:.0%}" for each in found.needed if each.questions is None)
    return [
        f"Pairs of models separated: {now}",
        *(_predicted(each) for each in found.needed if each.questions is not None),
        *([f"{beyond} would take more than can be predicted"] if beyond else []),
    ]


def _predicted(needed: Needed) -> str:
    took = f"{counted(needed.questions or 0, 'question')}, {counted(needed.battles or 0, 'battle')}"
    return f"{needed.separability:.0%} would take about {took}"


def _share(figure: Bounds | None) -> str:
    """``57% [54, 60]``; a dash where there is none."""
    if figure is None or figure.value is None:
        return ABSENT
    bounds = (
        ""
        if figure.low is None or figure.high is None
        else f" [{100 * figure.low:.0f}, {100 * figure.high:.0f}]"
    )
    return f"{figure.value:.0%}{bounds}"


def _bounds(figure: Bounds) -> tuple[float | None, float | None, float | None]:
    return figure.value, figure.low, figure.high


def _rating(figure: Bounds | None) -> str:
    """``1164 [1102, 1231]``; a dash for what is not known, or has no bound."""
    if figure is None:
        return ABSENT
    value, low, high = (
        ABSENT if each is None else f"{each:.0f}" for each in (figure.value, figure.low, figure.high)
    )
    return value if figure.low == figure.high else f"{value} [{low}, {high}]"
