"""P-values corrected for how many there are, by Holm's procedure: of ratings."""

from __future__ import annotations

import numpy as np

from ..core.statistics import Floats


def holm_adjusted(p_values: Floats) -> Floats:
    """P-values corrected by Holm's step-down procedure (Holm 1979): rejected at a level if not above it.

    The probability that any true hypothesis is rejected is at most that level, however they depend on one
    another.

    Args:
        p_values: (hypotheses,); a NaN stays one, and counts as one of the hypotheses.
    """
    filled = np.nan_to_num(p_values, nan=1.0)
    order = np.argsort(filled, kind="stable")
    adjusted = np.empty(len(filled))
    adjusted[order] = np.maximum.accumulate(filled[order] * (len(filled) - np.arange(len(filled))))
    found: Floats = np.where(np.isnan(p_values), np.nan, np.minimum(adjusted, 1.0))
    return found
