"""Differences between models over the cells that both have: a lost answer is no worse model."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..core.statistics import ROUNDING, Floats, Integers, ratio_or_nan
from .bootstrap import Statistic
from .cube import Cube


def shared_cells(cube: Cube) -> Cube:
    """The cube with the scores of those cells alone that all of its models have, and NaN elsewhere.

    A model without any score on the data set takes no part. Where no cell is shared, the cube as it is.
    """
    present = ~np.isnan(cube.scores)
    shared = present[present.any(axis=(1, 2))].all(axis=0)
    if not shared.any() or (present == shared).all():
        return cube
    return replace(cube, scores=np.where(shared, cube.scores, np.nan))


def dropped_shares(cube: Cube, shared: Cube) -> Floats:
    """The share of each model's own scores that are not on shared cells, (models,); NaN without a score."""
    own, kept = ((~np.isnan(each.scores)).sum(axis=(1, 2)).astype(float) for each in (cube, shared))
    return ratio_or_nan(own - kept, own)


def pair_differences(
    scores: Floats, first: Integers, second: Integers, statistic: Statistic, own: Floats | None = None
) -> Floats:
    """A statistic of some models less that of others, (pairs x examples), over what both have.

    Only where one of the two lacks a score that the other has is it computed anew.

    Args:
        scores: (models x configurations x examples).
        first: a model a pair, by number.
        second: its other model.
        statistic: of :data:`~.estimates.STATISTICS`.
        own: the statistic of all models' own scores, where it was computed before.
    """
    own, present = statistic(scores) if own is None else own, ~np.isnan(scores)
    found = own[first] - own[second]
    step = max(1, _AT_ONCE // scores[0].size)
    for start in range(0, len(first), step):
        pairs = first[start : start + step], second[start : start + step]
        unlike = (present[pairs[0]] != present[pairs[1]]).any(axis=1)
        pair, example = np.nonzero(unlike)
        each = np.stack([scores[models[pair], :, example] for models in pairs])
        ours, others = statistic(np.where(np.isnan(each).any(axis=0), np.nan, each).swapaxes(1, 2))
        found[start + pair, example] = ours - others
    return np.round(found, ROUNDING)


_AT_ONCE = 4_000_000  # differences held in memory
