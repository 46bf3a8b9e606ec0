"""Weighted sums of models' figures, with their intervals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..bootstrap import interval
from ..figures import Estimate
from ..labelling import figure

if TYPE_CHECKING:
    from ..types import Floats


def weights(models: int, rows: Sequence[int]) -> Floats:
    """Weights of a mean over some rows; NaN for a mean over none."""
    import numpy as np

    if not rows:
        return np.full(models, np.nan)
    of_rows = np.zeros(models)
    of_rows[list(rows)] = 1 / len(rows)
    return of_rows


def weighted(estimate: Estimate, of_models: Floats, level: float, *, complete: bool = True) -> dict[str, Any]:
    """The sum over models of figure times weight, (models,), with its interval; null where it is NaN."""
    import numpy as np

    used = of_models != 0
    value = float((of_models[used] * estimate.values[used]).sum()) if used.any() else np.nan
    if np.isnan(value):
        return figure(value, np.nan, np.nan, complete=complete)
    low, high = interval(of_models[used] @ estimate.samples[used], level)
    return figure(value, float(low), float(high), complete=complete)
