"""``torr rate``: ratings of models from battles."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from ... import workflows
from ...analysis import format_ranks, ratings
from ...analysis.number_format import ABSENT, format_interval
from ...core.errors import counted
from .. import console
from ..command import check_out, emit, guarded, say, say_in_columns
from .options import Json

if TYPE_CHECKING:
    from ...analysis.ratings import Ratings
    from ...analysis.ratings.judges import JudgeReport
    from ...analysis.result import Bounds


@guarded
def rate(
    battles: Annotated[
        Path,
        Argument(
            metavar="BATTLES",
            help="Parquet, CSV or JSON lines: model_a, model_b, winner (model_a, model_b or tie); question, "
            "config, level, judge and order where known. Or a run with verdicts on pairs.",
        ),
    ],
    out: Annotated[Path, Option(help="Where ratings.json goes.")],
    baseline: Annotated[str | None, Option(help="At 1000; else the one in every battle.")] = None,
    resamples: Annotated[int, Option(min=2, max=100_000, help="Bootstrap resamples of questions.")] = 1000,
    judge: Annotated[str | None, Option(metavar="NAME", help="This judge's verdicts alone.")] = None,
    as_json: Json = False,
) -> int:
    """Rate models from battles: Elo and Bradley-Terry. With intervals, ranks, tiers, win rates, judges."""
    check_out(out, [battles], workflows.judging.RATINGS_FILE, "earlier ratings")
    options = ratings.RatingOptions(resamples, baseline=baseline, judge=judge)
    found = ratings.rate_file(battles, options)
    path = workflows.judging.write_ratings(found, out)
    if as_json:
        emit(found.model_dump(mode="json", exclude_unset=True))
        return 0
    _show(found)
    say(f"All ratings: {path}")
    return 0


def _show(found: Ratings) -> None:
    """A row a model, best first, and what to know about the ratings."""
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
    console.print_rows(rows, left=["model"])
    if found.judges is not None:
        _show_judges(found.judges)
    if found.separability.paired is not None:
        pairs = found.separability.pairs
        told = round(found.separability.paired * pairs)
        console.show_lines([f"{told:,} of {counted(pairs, 'pair')} of models differ"])
    say_in_columns(*found.notes, *(found.judges.notes if found.judges else ()))


def _show_judges(report: JudgeReport) -> None:
    """A row a judge, and how far they agree."""
    rows = [
        {
            "judge": judge,
            "battles": each.battles,
            "unclear": f"{each.unclear + each.failed:.1%}",
            "orders differ": _share(each.orders_disagree),
            "first shown": _share(each.first_shown),
        }
        for judge, each in report.by_judge.items()
    ]
    console.show_lines(["What their verdicts say of the judges:"])
    console.print_rows(rows, left=["judge"])
    agreement = report.agreement
    if agreement is None:
        return
    judges, battles = counted(agreement.judges, "judge"), counted(agreement.battles, "battle")
    alpha = agreement.ordinal
    ordinal = format_interval(alpha.value, alpha.low, alpha.high)
    console.show_lines(
        [f"{judges}, {battles}: all agree on {agreement.same:.0%}; Krippendorff's alpha, ordinal: {ordinal}"]
    )


def _share(figure: Bounds | None) -> str:
    """``57% [54, 60]``; a dash where there is none."""
    if figure is None or figure.value is None:
        return ABSENT
    known = figure.low is not None and figure.high is not None
    bounds = f" [{100 * (figure.low or 0):.0f}, {100 * (figure.high or 0):.0f}]" if known else ""
    return f"{figure.value:.0%}{bounds}"


def _rating(figure: Bounds | None) -> str:
    """``1164 [1102, 1231]``; a dash for what is not known, or has no bound."""
    if figure is None:
        return ABSENT
    value, low, high = (
        ABSENT if each is None else f"{each:.0f}" for each in (figure.value, figure.low, figure.high)
    )
    return value if figure.low == figure.high else f"{value} [{low}, {high}]"
