"""Ratings, and what verdicts say of the judges, as tables, matrices and sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...analysis import format_interval, format_ranks
from ...analysis.compare import group_numbers
from ...analysis.number_format import ABSENT, NO_WIDTH, format_names
from ...analysis.ratings import Ratings
from ...analysis.ratings.judges import JudgeFigures, JudgeReport, SelfPreference
from ...analysis.ratings.planning import Needed
from ...analysis.ratings.style import StyledRatings
from ...analysis.result import Bounds
from ...core.errors import counted
from ..text import listed, sentence
from ..views import DASH, View, ViewCell, number_cell, percent, shade

MOST_IN_MATRIX = 30
"""Models of the matrix; the table and ratings.json have all of them."""

SHADES = 9
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
    """A row a model, best first: ranks, tier, ratings, and how often it won."""
    tiers = group_numbers(found.tiers)
    style = found.bradley_terry_style
    head = ("Model", "Rank", "Tier", "Bradley-Terry", *(["At equal length"] if style else []), "Elo", "Wins")
    rows = tuple(
        (
            ViewCell(model, "baseline" if model == found.baseline else "", href=links.get(model, "")),
            ViewCell(format_ranks(found.rank_intervals.get(model)), style="num"),
            number_cell(tiers.get(model, ABSENT)),
            _rating_cell(figure, fixed=model == found.baseline),
            *([_rating_cell(style.ratings[model], fixed=model == found.baseline)] if style else []),
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
    return ViewCell(percent(share), f"of {battles:,}", "num")


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


def length_line(style: StyledRatings) -> str:
    """Whether longer answers win, all else equal; claimed where its interval excludes 0."""
    figure = style.covariates["length"]
    worth = " ".join(rating_text(figure))
    if figure.low is None or figure.high is None or figure.low <= 0 <= figure.high:
        return f"Length is not shown to matter: twice the length is worth {worth} points."
    which = "Longer" if figure.low > 0 else "Shorter"
    return f"{which} answers win more often: twice the length is worth {worth} points."


def level_table(found: Ratings, links: Links) -> View:
    """Bradley-Terry ratings of each level beside those of all questions."""
    return _side_by_side(
        {"All": found, **{sentence(name): part for name, part in found.levels.items()}}, links
    )


def judges_table(found: Ratings, by_judge: Mapping[str, Ratings], links: Links) -> View:
    """Bradley-Terry ratings by the verdicts of each judge beside those by the verdicts of all."""
    return _side_by_side(
        {"All judges": found, **{name or "not named": part for name, part in by_judge.items()}}, links
    )


def _side_by_side(parts: Mapping[str, Ratings], links: Links) -> View:
    """A row for each model of the first part, which has all of them."""
    rows = tuple(
        (
            ViewCell(model, href=links.get(model, "")),
            *(
                _rating_cell(part.bradley_terry[model], fixed=model == part.baseline)
                if model in part.bradley_terry
                else DASH
                for part in parts.values()
            ),
        )
        for model in next(iter(parts.values())).bradley_terry
    )
    return View(("Model", *parts), rows)


def pairs_table(found: Ratings) -> View:
    """How much there is of all questions and of each level, and how many pairs of models it tells apart."""
    head = (
        "Questions",
        "Battles",
        "of questions",
        "Ties",
        "Pairs of models",
        "Intervals apart",
        "Told apart",
    )
    rows = tuple(
        (
            ViewCell(sentence(name)),
            number_cell(part.battles),
            number_cell(part.questions),
            ViewCell(percent(part.ties), style="num"),
            number_cell(part.separability.pairs),
            ViewCell(percent(part.separability.value), style="num"),
            ViewCell(percent(part.separability.paired), style="num"),
        )
        for name, part in {"All": found, **found.levels}.items()
    )
    return View(head, rows)


def win_matrix(found: Ratings) -> View:
    """How often the model of a row won against that of a column, and in how many battles; shaded by share."""
    models = list(found.bradley_terry)[:MOST_IN_MATRIX]
    rows = tuple((ViewCell(model), *(_win_cell(found, model, other) for other in models)) for model in models)
    return View(("Model", *models), rows)


def _win_cell(found: Ratings, model: str, other: str) -> ViewCell:
    won = found.win_rates.get(model, {}).get(other)
    if won is None:
        return ViewCell() if model == other else DASH
    return ViewCell(percent(won.value), f"{won.battles:,}", f"shade-{shade(won.value, 0, 1, SHADES, 1)}")


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
