"""Differences between models over the cells that both have: a lost answer is no worse model."""

from __future__ import annotations

from collections.abc import Callable
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


def mean_differences(scores: Floats) -> Floats:
    """The first model's mean score less the second's, an example each, over what both have.

    Args:
        scores: (models x configurations x examples); NaN is a hole.

    Returns:
        (pairs x examples), the pairs in the order of ``numpy.triu_indices``; NaN where two models share no
        configuration.
    """
    return _by_blocks(scores, _mean_differences)


def robustness_differences(scores: Floats) -> Floats:
    """As :func:`mean_differences`, of 1 - (max over c of s - min over c of s)."""
    return _by_blocks(scores, _robustness_differences)


def pair_differences(scores: Floats, first: Integers, second: Integers, statistic: Statistic) -> Floats:
    """A statistic of some models less that of others, (pairs x examples), over what both have.

    Only where one of the two lacks a score that the other has is it computed anew.

    Args:
        scores: (models x configurations x examples).
        first: a model a pair, by number.
        second: its other model.
        statistic: of :data:`~.estimates.STATISTICS`.
    """
    own, present = statistic(scores), ~np.isnan(scores)
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


def _by_blocks(scores: Floats, differences: Callable[[Floats], Floats]) -> Floats:
    """The upper triangle of differences, which are made of some examples at a time."""
    models, _, examples = scores.shape
    upper = np.triu_indices(models, k=1)
    found = np.empty((len(upper[0]), examples))
    step = max(1, _AT_ONCE // models**2)
    for start in range(0, examples, step):
        block = differences(np.moveaxis(scores[:, :, start : start + step], 2, 0))
        found[:, start : start + step] = block[:, upper[0], upper[1]].T
    return np.round(found, ROUNDING)


def _mean_differences(scores: Floats) -> Floats:
    """(examples x models x configurations) -> (examples x models x models), row less column."""
    present = ~np.isnan(scores)
    known = present.astype(float).transpose(0, 2, 1)
    sums = np.where(present, scores, 0.0) @ known  # of the row's model, over what both have
    return ratio_or_nan(sums - sums.transpose(0, 2, 1), known.transpose(0, 2, 1) @ known)


def _robustness_differences(scores: Floats) -> Floats:
    """As :func:`_mean_differences`."""
    ranges = _shared_best(scores) + _shared_best(-scores)
    found: Floats = ranges.transpose(0, 2, 1) - ranges
    return found


def _shared_best(scores: Floats) -> Floats:
    """The row's model's highest score over what the column's model has too, (examples x models x models).

    A hole matters only where it hits the highest score: then the next one is looked at, and so on.
    """
    examples, models, configurations = scores.shape
    order = np.argsort(-scores, axis=2)  # holes last
    present = ~np.isnan(scores)
    found = np.full((examples, models, models), np.nan)
    left = np.indices(found.shape, sparse=True)
    for place in range(configurations):
        example, row, column = left
        best = order[example, row, place]
        hit = present[example, column, best]
        if place == 0:
            found = np.where(hit, scores[example, row, best], np.nan)
            left = np.nonzero(~hit)
            continue
        at = tuple(index[hit] for index in left)
        found[at] = scores[at[0], at[1], best[hit]]
        left = tuple(index[~hit] for index in left)
        if not len(left[0]):
            break
    return found
