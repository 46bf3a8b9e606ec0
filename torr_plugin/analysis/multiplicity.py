"""P-values corrected for how many there are: Holm's for sentences, Benjamini and Hochberg's for colour."""

from __future__ import annotations

import numpy as np

from ..core.statistics import Floats, Integers


def holm_adjusted(p_values: Floats) -> Floats:
    """P-values corrected by Holm's step-down procedure (Holm 1979): rejected at a level if not above it.

    The probability that any true hypothesis is rejected is at most that level, however they depend on one
    another.

    Args:
        p_values: (hypotheses,); a NaN stays one, and counts as one of the hypotheses.
    """
    ordered, order = _ordered(p_values)
    steps = ordered * (len(ordered) - np.arange(len(ordered)))
    return _restored(np.maximum.accumulate(steps), order, p_values)


def benjamini_hochberg(p_values: Floats) -> Floats:
    """P-values corrected by Benjamini and Hochberg's step-up procedure (1995): rejected if not above a level.

    Of the rejected hypotheses, the expected share of true ones is at most that level, for independent tests
    and for those of one study, which depend on one another positively (Benjamini and Yekutieli 2001).

    Args:
        p_values: (hypotheses,); a NaN stays one, and counts as one of the hypotheses.
    """
    ordered, order = _ordered(p_values)
    steps = ordered * len(ordered) / (1 + np.arange(len(ordered)))
    return _restored(np.minimum.accumulate(steps[::-1])[::-1], order, p_values)


def _ordered(p_values: Floats) -> tuple[Floats, Integers]:
    filled = np.nan_to_num(p_values, nan=1.0)
    order: Integers = np.argsort(filled, kind="stable").astype(np.int64)
    return filled[order], order


def _restored(steps: Floats, order: Integers, p_values: Floats) -> Floats:
    """Corrected p-values in the order of the hypotheses."""
    adjusted = np.empty(len(steps))
    adjusted[order] = np.minimum(steps, 1.0)
    result: Floats = np.where(np.isnan(p_values), np.nan, adjusted)
    return result
