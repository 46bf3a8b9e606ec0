"""The difference between two models that a paired test would find."""

from __future__ import annotations

import numpy as np
from scipy.special import chdtri, nctdtrinc, stdtrit

from ..core.statistics import Floats

POWER = 0.8
"""The default power: how often a test finds a difference of that size."""

_LARGE = 1_000.0  # a quantile of t


def least_detectable(error: Floats, freedom: Floats, alpha: float, power: float = POWER) -> Floats:
    """The least true difference that a two-sided t test finds with a given power.

    The sum of two quantiles of Student's t, times the standard error (Bloom, "Minimum detectable effects",
    Evaluation Review 19, 1995).

    Args:
        error: standard errors of the difference.
        freedom: degrees of freedom.
        alpha: of the test.
        power: wished.
    """
    found: Floats = error * (stdtrit(freedom, 1 - alpha / 2) + stdtrit(freedom, power))
    return found


def surely_detectable(error: Floats, freedom: Floats, alpha: float, power: float = POWER) -> Floats:
    """The same by the noncentral t: exact where the level is low and the degrees of freedom are few."""
    limit = stdtrit(freedom, 1 - alpha / 2)
    exact = nctdtrinc(freedom, 1 - power, np.minimum(limit, _LARGE))
    # with a larger one scipy may not return, and only the error of the standard error counts
    found: Floats = error * np.where(
        limit < _LARGE, exact, limit * np.sqrt(chdtri(freedom, 1 - power) / freedom)
    )
    return found
