"""The lowest and the highest of several scores, named, and the range between them.

The best of 35 configurations on some examples is best in part by luck: its score there lies above its own
true score, and the worst one's below. The figures are those of the data, as in the paper; the intervals
allow for the choice. With X = mu + Z, X the scores on the examples at hand and mu the true ones, the
resamples show how Z is spread, as resampled means less the means. As no true score can hide better than the
largest error among all of them,

    max X - max Z  <=  mu of the best on the data  <=  max mu  <=  max X - Z of the truly best,

and so on for the worst and the range (a basic bootstrap with all configurations in every resample; the
named one stands in for the truly best in the last term). So an interval holds, at its level and whatever the
truth, both the true score of the named configuration and that of the truly best one; a range whose lower
bound is 0 may be luck alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core.statistics import ROUNDING, Floats, Integers
from .bootstrap import percentile_bounds


@dataclass(frozen=True)
class BestAndWorst:
    """Lowest and highest of each row's scores.

    ``worst_index`` and ``best_index`` say which they are, (rows,), -1 for a row without scores; ``worst``,
    ``best`` and ``range`` are values with lower and upper bounds, (rows x 3), NaN for such a row.
    """

    worst_index: Integers
    best_index: Integers
    worst: Floats
    best: Floats
    range: Floats

    def names(self, things: Sequence[str], row: int) -> dict[str, Any]:
        """The names of a row's worst and best thing; None where it has no score."""
        places = {"worst": self.worst_index[row], "best": self.best_index[row]}
        return {end: things[place] if place >= 0 else None for end, place in places.items()}


def best_and_worst(values: Floats, samples: Floats, level: float) -> BestAndWorst:
    """Which scores are lowest and highest, how far they lie apart, and bounds that allow for the choice.

    Args:
        values: scores, (rows x things); NaN is left out. Of equal ones the first is taken.
        samples: their resamples, (rows x things x resamples).
        level: of the intervals. Their two sides hold at ``(1 + level) / 2`` each.

    Returns:
        The extremes of each row; bounds lie in [0, 1].
    """
    if not values.shape[1]:
        values, samples = np.full((len(values), 1), np.nan), np.full((len(values), 1, 1), np.nan)
    rounded = np.round(values, ROUNDING)
    unknown = np.isnan(values)
    rows, none = np.arange(len(values)), unknown.all(axis=1)
    lowest = np.where(unknown, np.inf, rounded).argmin(axis=1)
    highest = np.where(unknown, -np.inf, rounded).argmax(axis=1)
    errors = samples - values[:, :, None]
    missing = np.isnan(errors)
    least = np.where(missing, np.inf, errors).min(axis=1)
    most = np.where(missing, -np.inf, errors).max(axis=1)
    of_worst, of_best = errors[rows, lowest], errors[rows, highest]
    worst, best = values[rows, lowest], values[rows, highest]
    return BestAndWorst(
        worst_index=np.where(none, -1, lowest),
        best_index=np.where(none, -1, highest),
        worst=_around(worst, of_worst, least, level),
        best=_around(best, most, of_best, level),
        range=_around(best - worst, most - least, of_best - of_worst, level),
    )


def _around(values: Floats, above: Floats, below: Floats, level: float) -> Floats:
    """Value, and bounds: less the errors upwards, less the errors downwards, never beyond the value."""
    _, upwards = percentile_bounds(_finite(above), level)
    downwards, _ = percentile_bounds(_finite(below), level)
    low, high = np.clip(values - upwards, 0.0, values), np.clip(values - downwards, values, 1.0)
    return np.stack([values, low, high], axis=-1)


def _finite(errors: Floats) -> Floats:
    """Resamples without any score are left out."""
    return np.where(np.isfinite(errors), errors, np.nan)
