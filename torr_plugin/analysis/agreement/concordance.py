"""Kendall's W: how far several rankings of the same models agree."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..types import Floats


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
    import numpy as np

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
    from scipy import special

    return float(special.chdtrc(models - 1, raters * (models - 1) * w)) if models > 1 else float("nan")


def mean_spearman(w: float, raters: int) -> float:
    """The mean of Spearman's correlation over pairs of rankings, (m W - 1) / (m - 1) (Kendall 1948).

    Equal W of 2 and of 10 rankings say different things; equal means of pairs do not. Exact without ties.

    Args:
        w: Kendall's W.
        raters: m, at least 2.
    """
    return (raters * w - 1) / (raters - 1)
