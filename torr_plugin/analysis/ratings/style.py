"""Bradley-Terry ratings with the influence of style taken out, such as that of longer answers."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd

from ...core.statistics import Floats
from ..options import AnalysisError
from ..result import FigureResult, Interval, interval_of
from .battles import A_WINS, TIE, Battles
from .fitting import INITIAL, SCALE

MOST_PLACES = 50_000_000
"""Battles times models that are fitted at once, 400 MB."""


class StyledRatings(FigureResult):
    """Ratings at equal style, and what style is worth.

    Attributes:
        ratings: model -> rating, with a mean of 1000 or the baseline at 1000.
        covariates: name -> how many points twice as much of it is worth, about.
    """

    ratings: dict[str, Interval]
    covariates: dict[str, Interval]


def style_differences(frame: pd.DataFrame, names: list[str], where: str) -> Floats:
    """(battles x covariates): (a - b) / (a + b) of the columns ``NAME_a`` and ``NAME_b``, 0 where both are 0.

    Relative differences, as in Arena's style control ("Does style matter?", LMSYS 2024).

    Raises:
        AnalysisError: a column is missing, or holds what is no number of at least 0.
    """
    found = np.empty((len(frame), len(names)))
    for at, name in enumerate(names):
        first, second = (_numbers(frame, f"{name}_{side}", where) for side in "ab")
        total = first + second
        found[:, at] = np.divide(first - second, total, out=np.zeros(len(frame)), where=total > 0)
    return found


def _numbers(frame: pd.DataFrame, column: str, where: str) -> Floats:
    if column not in frame:
        raise AnalysisError(f"{where}: no column {column!r}; expected it for the style to control")
    values: Floats = pd.to_numeric(frame[column], errors="coerce").to_numpy(dtype=float)
    wrong = ~(values >= 0) | np.isinf(values)
    if wrong.any():
        row = int(wrong.argmax())
        raise AnalysisError(
            f"{where}: row {row + 1}, {column}: found {str(frame[column].iloc[row])[:40]!r}; "
            "expected a number of at least 0"
        )
    return values


def styled_ratings(
    battles: Battles, style: Floats, names: list[str], *, level: float, baseline: int | None
) -> StyledRatings:
    """Logistic regression of who wins on the two models and the differences in style.

    A tie is half a win for each. Intervals are Wald's, with the sandwich covariance clustered by question
    (Liang and Zeger 1986).

    Args:
        battles: all of them.
        style: of :func:`style_differences`.
        names: of the covariates.
        level: of the intervals.
        baseline: the number of the model at 1000; None for a mean of 1000.

    Raises:
        AnalysisError: too many battles and models, a single question, a covariate that cannot be told from
            the models, or one that says who wins each battle.
    """
    if len(battles) * len(battles.models) > MOST_PLACES:
        raise AnalysisError(
            f"control of style: found {len(battles):,} battles of {len(battles.models)} models; expected at "
            f"most {MOST_PLACES // 1_000_000} million battles times models"
        )
    result = _fitted(battles, style)
    size = len(battles.models)
    contrasts = np.eye(size) - (np.eye(size)[baseline] if baseline is not None else 1 / size)
    points = SCALE / np.log(10)
    ratings = _intervals(result, contrasts[:, 1:], 0, points, level)
    worth = _intervals(result, np.eye(len(names)), size - 1, points / 3, level)  # twice as much: a third
    shifted = {
        model: interval_of(*(INITIAL + bound for bound in bounds))
        for model, bounds in zip(battles.models, ratings, strict=True)
    }
    return StyledRatings(
        ratings=shifted,
        covariates={name: interval_of(*bounds) for name, bounds in zip(names, worth, strict=True)},
    )


def _fitted(battles: Battles, style: Floats) -> Any:
    """The regression; the first model's strength is 0, those of the others come first."""
    import statsmodels.api as sm
    from statsmodels.tools.sm_exceptions import PerfectSeparationWarning

    count, size = len(battles), len(battles.models)
    places = np.zeros((count, size))
    places[np.arange(count), battles.first] = 1.0
    places[np.arange(count), battles.second] = -1.0
    won = np.select([battles.outcome == A_WINS, battles.outcome == TIE], [1.0, 0.5], 0.0)
    known = np.hstack([places[:, 1:], style])
    _refuse_unknowable(battles, known)
    model = sm.GLM(won, known, family=sm.families.Binomial())
    with warnings.catch_warnings():
        warnings.simplefilter("error", PerfectSeparationWarning)
        try:
            return model.fit(cov_type="cluster", cov_kwds={"groups": battles.question})
        except (PerfectSeparationWarning, np.linalg.LinAlgError):
            raise AnalysisError(
                "control of style: models and style say who won each battle; expected more battles"
            ) from None


def _refuse_unknowable(battles: Battles, known: Floats) -> None:
    """Refuse what has no answer: effects that other columns explain, and standard errors of one cluster."""
    if np.linalg.matrix_rank(known.T @ known, hermitian=True) < known.shape[1]:
        raise AnalysisError(
            "control of style: found a difference that is the same in all battles, or follows from others or "
            "from the models; expected one that varies between battles"
        )
    if not battles.question.any():
        raise AnalysisError("control of style: found one question; expected two or more")


def _intervals(result: Any, contrasts: Floats, offset: int, points: float, level: float) -> list[Floats]:
    """Value and bounds of linear combinations of the parameters from ``offset`` on."""
    from scipy.special import ndtri

    width = contrasts.shape[1]
    values = contrasts @ result.params[offset : offset + width]
    covariance = result.cov_params()[offset : offset + width, offset : offset + width]
    errors = np.sqrt(np.einsum("ij,jk,ik->i", contrasts, covariance, contrasts).clip(0.0))
    reach = ndtri((1 + level) / 2) * errors
    return [*(points * np.stack([values, values - reach, values + reach], axis=1))]
