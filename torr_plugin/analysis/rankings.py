"""Rankings: average ranks of many score vectors at once, and Kendall's W, how far rankings agree."""

from __future__ import annotations

import numpy as np
from scipy import special

from ..core.statistics import ROUNDING, Floats

_AT_ONCE = 50_000  # scores that are ranked together, so that they stay in the processor's cache


def centred_ranks(scores: Floats) -> Floats:
    """The ranks of the last axis less their mean, the best score highest; ties share their average rank.

    Scores are compared to 12 decimals, so that a rounding error orders nothing.

    Args:
        scores: (... x models), without NaN.

    Returns:
        The same shape; each row adds up to 0, and is all 0 where all its scores tie.
    """
    models = scores.shape[-1]
    rows = scores.reshape(-1, models)
    ranks = np.empty(rows.shape)
    step = max(1, _AT_ONCE // models)
    for start in range(0, len(rows), step):
        _rank(rows[start : start + step], ranks[start : start + step])
    return ranks.reshape(scores.shape)


def _rank(scores: Floats, ranks: Floats) -> None:
    """Puts the centred ranks of rows, (rows x models), into ``ranks``."""
    models = scores.shape[1]
    rounded = np.round(scores, ROUNDING)
    order = np.argsort(rounded, axis=1)
    order += np.arange(len(rounded))[:, None] * models
    ordered = rounded.ravel()[order]
    places = np.broadcast_to(np.arange(models) - (models - 1) / 2, rounded.shape)
    tied = ordered[:, 1:] == ordered[:, :-1]
    some = tied.any(axis=1)
    if some.any():
        places = places.copy()
        places[some] = _shared(places[some], tied[some])
    ranks.reshape(-1)[order] = places


def _shared(places: Floats, tied: Floats) -> Floats:
    """Places with those of each run of ties replaced by the run's mean: (its first + its last) / 2."""
    first, last = places.copy(), places.copy()
    first[:, 1:][tied] = -np.inf
    last[:, :-1][tied] = np.inf
    first = np.maximum.accumulate(first, axis=1)
    last = np.minimum.accumulate(last[:, ::-1], axis=1)[:, ::-1]
    result: Floats = (first + last) / 2
    return result


def kendall_w(ranks: Floats) -> Floats:
    """Kendall's coefficient of concordance, corrected for ties.

    W = SS(sum over raters of the ranks) / (m * sum over raters of SS(their ranks)), SS being the sum of
    squared deviations from the mean over models. Without ties this is 12 S / (m^2 (n^3 - n)), with them
    Kendall's correction (Kendall and Smith 1939; Kendall, "Rank correlation methods", 1948, chapter 6); it is
    Friedman's statistic over m (n - 1).

    Args:
        ranks: (... x m raters x n models), centred: each row adds up to 0.

    Returns:
        (...), from 0 to 1; NaN where every rater ties all models, or there is one model.
    """
    raters = ranks.shape[-2]
    total = ranks.sum(axis=-2)
    between = (total * total).sum(axis=-1)
    within = np.einsum("...rm,...rm->...", ranks, ranks)
    out = np.full(within.shape, np.nan)
    result: Floats = np.divide(between, raters * within, out=out, where=within > 0)
    return result


def friedman_p_value(w: float, raters: int, models: int) -> float:
    """The probability of so great a W among random rankings: Friedman's, chi-squared with n - 1 degrees.

    Args:
        w: Kendall's W of m raters and n models; NaN gives NaN.
        raters: m.
        models: n.
    """
    return float(special.chdtrc(models - 1, raters * (models - 1) * w)) if models > 1 else float("nan")


def mean_spearman(w: float, raters: int) -> float:
    """The mean of Spearman's correlation over pairs of rankings, (m W - 1) / (m - 1) (Kendall 1948).

    Equal W of 2 and of 10 rankings say different things; equal means of pairs do not. Exact without ties.

    Args:
        w: Kendall's W.
        raters: m, at least 2.
    """
    return (raters * w - 1) / (raters - 1)
