"""Rankings: average ranks, ties shared, of many score vectors at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..rounding import ROUNDING

if TYPE_CHECKING:
    from ..types import Floats

_AT_ONCE = 50_000  # scores that are ranked together, so that they stay in the processor's cache


def centred_ranks(scores: Floats) -> Floats:
    """The ranks of the last axis less their mean, the best score highest; ties share their average rank.

    Scores are compared to 12 decimals, so that a rounding error orders nothing.

    Args:
        scores: (... x models), without NaN.

    Returns:
        The same shape; each row adds up to 0, and is all 0 where all its scores tie.
    """
    import numpy as np

    models = scores.shape[-1]
    rows = scores.reshape(-1, models)
    ranks = np.empty(rows.shape)
    step = max(1, _AT_ONCE // models)
    for start in range(0, len(rows), step):
        _rank(rows[start : start + step], ranks[start : start + step])
    return ranks.reshape(scores.shape)


def _rank(scores: Floats, ranks: Floats) -> None:
    """Puts the centred ranks of rows, (rows x models), into ``ranks``."""
    import numpy as np

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
    import numpy as np

    first, last = places.copy(), places.copy()
    first[:, 1:][tied] = -np.inf
    last[:, :-1][tied] = np.inf
    first = np.maximum.accumulate(first, axis=1)
    last = np.minimum.accumulate(last[:, ::-1], axis=1)[:, ::-1]
    result: Floats = (first + last) / 2
    return result
