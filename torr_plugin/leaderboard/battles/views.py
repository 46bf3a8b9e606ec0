"""Ratings, and what verdicts say of the judges, as tables and sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...analysis import format_interval, format_percent
from ...analysis.compare import group_numbers
from ...analysis.number_format import ABSENT, NO_WIDTH, format_names
from ...analysis.ratings import Ratings
from ...analysis.ratings.judges import JudgeFigures, JudgeReport
from ...analysis.result import Bounds
from ...core.errors import counted
from ..text import listed
from ..views import DASH, View, ViewCell, number_cell

_MOST_NAMED = 4

Links = Mapping[str, str]
"""Model -> its page, where it has one."""


def rating_text(figure: Bounds) -> tuple[str, str]:
    """``1164`` and ``[1102, 1231]``, as the terminal writes them; a dash for what is infinite or unknown."""
    value, low, high = (
        ABSENT if each is None else f"{each:.0f}" for each in (figure.value, figure.low, figure.high)
    )
    if figure.low is None and figure.high is None:
        return value, ""
    return value, NO_WIDTH if figure.low == figure.high else f"[{low}, {high}]"


def rating_table(found: Ratings, links: Links) -> View:
    """A row a model, best first: its ratings, and how often it won; tied groups by Bradley-Terry."""
    groups = group_numbers(found.tiers)
    head = ("Model", "Group", "Bradley-Terry", "Elo", "Wins")
    rows = tuple(
        (
            ViewCell(model, "baseline" if model == found.baseline else "", href=links.get(model, "")),
            number_cell(groups.get(model, ABSENT)),
            _rating_cell(figure, fixed=model == found.baseline),
            _rating_cell(found.elo[model], fixed=model == found.baseline),
            _wins_cell(found, model),
        )
        for model, figure in found.bradley_terry.items()
    )
    return View(head, rows, rating_lines(found))


def _rating_cell(figure: Bounds, *, fixed: bool) -> ViewCell:
    value, bounds = rating_text(figure)
    return ViewCell(value, "fixed" if fixed else bounds, "num")


def _wins_cell(found: Ratings, model: str) -> ViewCell:
    own = found.win_rates.get(model, {}).values()
    battles = sum(each.battles for each in own)
    share = sum(each.value * each.battles for each in own) / battles if battles else None
    return ViewCell(format_percent(share), f"of {battles:,}", "num")


def rating_lines(found: Ratings) -> tuple[str, ...]:
    """What the tests say: who may be first, and how many pairs of models they tell apart."""
    first = [model for model, ranks in found.rank_intervals.items() if ranks and ranks[0] == 1]
    pairs = found.separability
    told = 0 if pairs.paired is None else round(pairs.paired * pairs.pairs)
    alike = len(first) == len(found.rank_intervals) and not told
    lines = [_first_line(first, alike=alike)] if first and len(found.rank_intervals) > 1 else []
    if pairs.paired is not None:
        some = f"{told:,} of the {pairs.pairs:,} pairs of models are"
        whom = {0: "No two models are", pairs.pairs: "All pairs of models are"}.get(told, some)
        lines.append(f"{whom} told apart by their ratings.")
    return tuple(lines)


def _first_line(first: Sequence[str], *, alike: bool) -> str:
    if len(first) == 1:
        return f"{first[0]} is rated higher than every other model."
    if alike:
        return "No single model is rated highest: none is shown to be rated lower than another."
    names = listed(first) if len(first) <= _MOST_NAMED else format_names(first, _MOST_NAMED)
    return f"No single model is rated highest. No other is shown to be rated higher than {names}."


def judge_table(report: JudgeReport) -> View:
    """A row a judge: how much it judged, and what sways it."""
    head = (
        "Judge",
        "Verdicts",
        "Battles",
        "Without a winner",
        "Ties",
        "Orders disagree",
        "First shown wins",
    )
    rows = tuple(_row(judge, each) for judge, each in report.by_judge.items())
    return View(head, rows, judge_lines(report))


def _row(judge: str, found: JudgeFigures) -> tuple[ViewCell, ...]:
    return (
        ViewCell(judge),
        number_cell(found.verdicts),
        number_cell(found.battles),
        ViewCell(format_percent(found.unclear + found.failed), style="num"),
        ViewCell(format_percent(found.ties), style="num"),
        _share_cell(found.orders_disagree),
        _share_cell(found.first_shown),
    )


def _share_cell(figure: Bounds | None) -> ViewCell:
    """``57%`` and ``[54, 60]``."""
    if figure is None or figure.value is None:
        return DASH
    ends = [f"{100 * end:.0f}" for end in (figure.low, figure.high) if end is not None]
    bounds = f"[{', '.join(ends)}]" if len(ends) == 2 else ""
    return ViewCell(f"{100 * figure.value:.0f}%", bounds, "num")


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
        f"{format_percent(found.same)}. Agreement beyond chance is {ordinal}, where 1 is perfect and 0 is "
        "chance (Krippendorff\N{RIGHT SINGLE QUOTATION MARK}s alpha; a tie lies between the two victories). "
        f"It is {nominal} if all disagreements count alike.",
    )
