"""The ratings of a study's battles, made once a site."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from ...analysis import AnalysisError
from ...analysis.options import Settings
from ...analysis.ratings import RatingOptions, Ratings, rate

MANY_VERDICTS, FEWER_RESAMPLES = 500_000, 200
"""From so many verdicts on a site takes fewer resamples; `torr rate` is there for more."""

MOST_JUDGES = 10
"""Each with ratings of its own."""


@dataclass(frozen=True)
class RatedBattles:
    """What a study's battles say of its models.

    Attributes:
        found: the ratings; None where they cannot be made.
        problem: why not, in a line; else "".
        judges: their names.
        by_judge: the ratings by each judge's verdicts alone; empty of a single judge, and without a judge
            whose verdicts give none.
        verdicts: how many a judge was asked for.
    """

    found: Ratings | None
    problem: str
    judges: tuple[str, ...]
    by_judge: Mapping[str, Ratings]
    verdicts: int


def rate_battles(battles: pd.DataFrame, settings: Settings) -> RatedBattles:
    """Rate the models of a study's battles; resamples, level and seed are those of the study's analysis."""
    resamples = settings.resamples if len(battles) <= MANY_VERDICTS else FEWER_RESAMPLES
    options = RatingOptions(resamples=max(2, resamples), level=settings.level, seed=settings.seed)
    found, problem = _rated(battles, options)
    judges = tuple(dict.fromkeys(battles["judge"]))
    return RatedBattles(
        found=found,
        problem=problem,
        judges=judges,
        by_judge=_by_judge(battles, judges, options) if len(judges) > 1 else {},
        verdicts=len(battles),
    )


def _rated(battles: pd.DataFrame, options: RatingOptions) -> tuple[Ratings | None, str]:
    try:
        return rate(battles, options), ""
    except AnalysisError as error:
        return None, str(error)


def _by_judge(battles: pd.DataFrame, judges: Sequence[str], options: RatingOptions) -> dict[str, Ratings]:
    found = {}
    for judge in judges[:MOST_JUDGES]:
        try:
            found[judge] = rate(battles[battles["judge"] == judge].drop(columns="level"), options)
        except AnalysisError:
            continue  # all of its verdicts are unclear, say
    return found
