"""What tells one example from another: how hard it is, and how far scores of it differ."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

HALF = 0.5
"""A score of at least this counts as right where only right and wrong are told apart."""


@dataclass(frozen=True)
class Measures:
    """Of one example; None where no score is there.

    Attributes:
        mean: over models and configurations.
        flipped: mean over models of the highest less the lowest score over configurations, which is what
            robustness subtracts from 1 (ToRR, section 3).
        apart: standard deviation of the models' means over configurations; None of fewer than two models.
        states: a letter a model: ``r`` right in all configurations, ``w`` wrong in all, ``f`` flips between
            them, ``-`` without a score.
    """

    mean: float | None
    flipped: float | None
    apart: float | None
    states: str


def measures(scores: NDArray[np.float32] | None, models: int) -> Measures:
    """The measures of an example's scores (models x configurations, NaN where there is none)."""
    import numpy as np

    if scores is None or not np.isfinite(scores).any():
        return Measures(None, None, None, "-" * models)
    there = np.isfinite(scores)
    asked = np.asarray(there.any(axis=1))
    known, mask = scores[asked].astype(float), there[asked]
    low = np.where(mask, known, np.inf).min(axis=1)
    high = np.where(mask, known, -np.inf).max(axis=1)
    means = np.where(mask, known, 0.0).sum(axis=1) / mask.sum(axis=1)
    letters = iter(np.where(low >= HALF, "r", np.where(high < HALF, "w", "f")))
    return Measures(
        mean=float(known[mask].mean()),
        flipped=float((high - low).mean()),
        apart=float(means.std()) if means.size > 1 else None,
        states="".join(str(next(letters)) if there_is else "-" for there_is in asked.tolist()),
    )
