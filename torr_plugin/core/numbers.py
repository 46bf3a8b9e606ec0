"""Arrays of numbers: their types, how exact they are, and means of what is there."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Integers: TypeAlias = NDArray[np.int64]
Booleans: TypeAlias = NDArray[np.bool_]

ROUNDING = 12
"""Decimals of all figures and bounds: what lies below is rounding error, and no difference between models."""


def mean_over_examples(values: Floats) -> Floats:
    """(... x examples) -> (...): the mean over the examples that have a value; NaN where none has."""
    present = ~np.isnan(values)
    return ratio_or_nan(np.where(present, values, 0.0).sum(axis=-1), present.sum(axis=-1))


def ratio_or_nan(sums: Floats, counts: Floats) -> Floats:
    """Quotients, NaN where the count is 0."""
    out = np.full(np.broadcast(sums, counts).shape, np.nan)
    result: Floats = np.divide(sums, counts, out=out, where=counts > 0)
    return result
