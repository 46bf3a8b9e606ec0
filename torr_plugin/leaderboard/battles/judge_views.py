"""What verdicts say of the judges: whether they agree, and what sways them."""

from __future__ import annotations

from ...analysis import format_interval
from ...analysis.ratings.judges import JudgeFigures, JudgeReport, SelfPreference
from ...analysis.ratings.planning import Needed
from ...analysis.result import Bounds
from ...core.errors import counted
from ..views import DASH, View, ViewCell, number_cell, percent
from .views import rating_text

_FAR = "more than can be predicted"


def judge_table(report: JudgeReport) -> View:
    """A row a judge: how much it judged, and what sways it."""
    owners = any(each.self_preference for each in report.by_judge.values())
    head = (
        "Judge",
        "Verdicts",
        "Battles",
        "Without a winner",
        "Ties",
        "Orders disagree",
        "First shown wins",
        "Twice as long",
        *(["For its own answers"] if owners else []),
    )
    rows = tuple(
        (*_row(judge, each), *([_own_cell(each.self_preference)] if owners else []))
        for judge, each in report.by_judge.items()
    )
    return View(head, rows, judge_lines(report))


def _row(judge: str, found: JudgeFigures) -> tuple[ViewCell, ...]:
    return (
        ViewCell(judge),
        number_cell(found.verdicts),
        number_cell(found.battles),
        ViewCell(percent(found.unclear + found.failed), style="num"),
        ViewCell(percent(found.ties), style="num"),
        _share_cell(found.orders_disagree),
        _share_cell(found.first_shown),
        ViewCell(*rating_text(found.verbosity), "num") if found.verbosity else DASH,
    )


def _share_cell(figure: Bounds | None, form: str = ".0f", unit: str = "%") -> ViewCell:
    """``57%`` and ``[54, 60]``."""
    if figure is None or figure.value is None:
        return DASH
    ends = [format(100 * end, form) for end in (figure.low, figure.high) if end is not None]
    bounds = f"[{', '.join(ends)}]" if len(ends) == 2 else ""
    return ViewCell(f"{100 * figure.value:{form}}{unit}", bounds, "num")


def _own_cell(found: SelfPreference | None) -> ViewCell:
    """What a judge gives its own answers above what the others give them, in points of the win rate."""
    if found is None or (found.difference and found.difference.value is not None):
        return _share_cell(found.difference if found else None, "+.0f", "")
    return ViewCell(percent(found.own.value), "no other judge", "num")


def judge_lines(report: JudgeReport) -> tuple[str, ...]:
    """How far the judges agree."""
    found = report.agreement
    if found is None:
        return ()
    ordinal, nominal = (
        format_interval(each.value, each.low, each.high) for each in (found.ordinal, found.nominal)
    )
    several, who = ("both judges", "they") if found.judges == 2 else ("several judges", "all of them")
    return (
        f"Of {counted(found.battles, 'battle')} that {several} judged, {who} give the same verdict on "
        f"{percent(found.same)}. Agreement beyond chance is {ordinal}, where 1 is perfect and 0 is chance "
        "(Krippendorff\N{RIGHT SINGLE QUOTATION MARK}s alpha; a tie lies between the two victories). It is "
        f"{nominal} if all disagreements count alike.",
    )


def needed_table(needed: list[Needed]) -> View:
    """How many questions a study of these models would need to separate more pairs."""
    rows = tuple(
        (
            ViewCell(percent(each.separability)),
            ViewCell(_FAR, style="num") if each.questions is None else number_cell(each.questions),
            DASH if each.battles is None else number_cell(each.battles),
        )
        for each in needed
    )
    return View(("Intervals apart", "Questions", "Battles"), rows)
