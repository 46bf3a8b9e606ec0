"""Differences between models over the cells that both have: a lost answer is no worse model."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from .cube import Cube
from .statistics import Floats, example_means, example_robustness, ratio_or_nan


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
        (models x models x examples), row less column; NaN where two models share no configuration.
    """
    present = ~np.isnan(scores)
    if present.all():
        means = example_means(scores)
        return means[:, None] - means
    known = np.moveaxis(present, 2, 0).astype(float)
    filled = np.moveaxis(np.where(present, scores, 0.0), 2, 0)
    sums = filled @ known.transpose(0, 2, 1)  # of the first model, over what both have
    found = ratio_or_nan(sums - sums.transpose(0, 2, 1), known @ known.transpose(0, 2, 1))
    return np.moveaxis(found, 0, 2)


def robustness_differences(scores: Floats) -> Floats:
    """As :func:`mean_differences`, of 1 - (max over c of s - min over c of s)."""
    present = ~np.isnan(scores)
    own = example_robustness(scores)
    found = own[:, None] - own
    uneven = (present != present[:1]).any(axis=(0, 1))  # examples of which models lack different cells
    if uneven.any():
        some, there = scores[:, :, uneven], present[:, :, uneven]
        ranges = np.stack([example_robustness(np.where(other, some, np.nan)) for other in there], axis=1)
        found[:, :, uneven] = ranges - ranges.transpose(1, 0, 2)
    return found
