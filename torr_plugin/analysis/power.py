"""The difference between two models that a paired test would find."""

from __future__ import annotations

import numpy as np
from scipy.special import chdtri, nctdtrinc, stdtrit

from ..core.statistics import Floats

POWER = 0.8
"""How often the test finds a difference of that size."""

_LARGE = 1_000.0  # a quantile of t


def least_detectable(error: Floats, freedom: Floats, alpha: float) -> Floats:
    """The least true difference that a two-sided t test finds with a power of ``POWER``.

    The sum of two quantiles of Student's t, times the standard error (Bloom, "Minimum detectable effects",
    Evaluation Review 19, 1995).

    Args:
        error: standard errors of the difference.
        freedom: degrees of freedom.
        alpha: of the test.
    """
    found: Floats = error * (stdtrit(freedom, 1 - alpha / 2) + stdtrit(freedom, POWER))
    return found


def surely_detectable(error: Floats, freedom: Floats, alpha: float) -> Floats:
    """The same by the noncentral t: exact where the level is low and the degrees of freedom are few."""
    limit = stdtrit(freedom, 1 - alpha / 2)
    exact = nctdtrinc(freedom, 1 - POWER, np.minimum(limit, _LARGE))
    # with a larger one scipy may not return, and only the error of the standard error counts
    found: Floats = error * np.where(
        limit < _LARGE, exact, limit * np.sqrt(chdtri(freedom, 1 - POWER) / freedom)
    )
    return found


_MOST = 1e9
"""Times as many examples as there are."""


def examples_factor(error: Floats, freedom: Floats, difference: float, alpha: float) -> Floats:
    """How many times as many examples it takes for a t test to find a true difference with that power.

    The smallest f with :func:`least_detectable` (error / sqrt(f), f freedom) at most the difference, by
    bisection: it falls as f rises. Below 1 where there are more examples than it takes.

    Args:
        error: standard errors of the difference.
        freedom: degrees of freedom.
        difference: the true one, above 0.
        alpha: of the test.

    Returns:
        Of the shape of the errors; NaN where there is no error, infinite from a billion times on.
    """
    low, high = np.full(error.shape, -np.log(_MOST)), np.full(error.shape, np.log(_MOST))
    for _ in range(60):
        middle = (low + high) / 2
        factor = np.exp(middle)
        found = least_detectable(error / np.sqrt(factor), freedom * factor, alpha) <= difference
        low, high = np.where(found, low, middle), np.where(found, middle, high)
    out = np.where(high >= np.log(_MOST), np.inf, np.exp(high))
    return np.where(np.isnan(error) | np.isnan(freedom), np.nan, out)
