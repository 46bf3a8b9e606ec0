"""The ratings of a study's battles, made once a site."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from ...analysis import AnalysisError
from ...analysis.options import Settings
from ...analysis.ratings import RatingOptions, Ratings, rate

MANY_VERDICTS, FEWER_RESAMPLES = 500_000, 200
"""From so many verdicts on a site takes fewer resamples; `torr rate` is there for more."""


@dataclass(frozen=True)
class RatedBattles:
    """What a study's battles say of its models.

    Attributes:
        found: the ratings; None where they cannot be made.
        problem: why not, in a line; else "".
        judges: their names.
        verdicts: how many a judge was asked for.
    """

    found: Ratings | None
    problem: str
    judges: tuple[str, ...]
    verdicts: int


def rate_battles(battles: pd.DataFrame, settings: Settings) -> RatedBattles:
    """Rate the models of a study's battles; resamples, level and seed are those of the study's analysis."""
    resamples = settings.resamples if len(battles) <= MANY_VERDICTS else FEWER_RESAMPLES
    options = RatingOptions(resamples=max(2, resamples), level=settings.level, seed=settings.seed)
    found, problem = None, ""
    try:
        found = rate(battles, options)
    except AnalysisError as error:
        problem = str(error)
    return RatedBattles(found, problem, tuple(dict.fromkeys(battles["judge"])), len(battles))
