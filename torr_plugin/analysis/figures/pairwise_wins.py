"""How often a format scores higher than another one, ties counting half: 1/2 is no better than the others.

ToRR's share of wins (:func:`.factor_scores.win_rates`) counts a tie for neither, so it grows with how often a
level differs from the rest, also where it then loses more than it wins. Here a level that always ties has
1/2.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...core.statistics import ROUNDING, Booleans, Floats, ratio_or_nan
from ..cube import Cube
from ..estimates import Estimate, resampled
from ..figure import FigureTable
from ..options import Options
from ..shared_examples import Factor, noun
from .factor_cubes import FactorCubes, Groups, level_means
from .factor_scores import WinRates, rate_header, rate_parts, rates_everywhere

METHOD = (
    "share of examples on which one scores higher than another, ties counting half, mean over the others; "
    "percentile bootstrap over examples, or tables"
)


def example_pairwise_wins(scores: Floats) -> Floats:
    """Per model and example, the share of the other levels that each one scores higher than; ties count half.

    Args:
        scores: (models x levels x examples); NaN takes no part.

    Returns:
        The same shape; NaN where a level has no score, or no other has.
    """
    rounded = np.round(scores, ROUNDING)
    present = ~np.isnan(rounded)
    won, others = np.zeros(scores.shape), present.sum(axis=1, keepdims=True) - present
    for level in range(scores.shape[1]):
        own = rounded[:, level : level + 1]
        won[:, level] = ((own > rounded).sum(axis=1) + (own == rounded).sum(axis=1) / 2) - 0.5
    return np.where(present, ratio_or_nan(won, others.astype(float)), np.nan)


def pairwise_wins(compared: FactorCubes, options: Options) -> WinRates:
    """Win rates of serializers or perturbations, with intervals over examples.

    A level's score on an example is the mean over its configurations. A figure of a model and data set is the
    mean over examples, one of a data set over all its models' examples alike; "overall", and a model's over
    all, are unweighted means over data sets, of the levels that all have, compared among themselves.

    Args:
        compared: the levels on equal terms.
        options: resamples, level and seed are used; configurations are taken as given.
    """
    return rates_everywhere(_rates, compared, options)


def _rates(cube: Cube, groups: Groups, options: Options) -> tuple[Estimate, Estimate]:
    """Win rates within the groups of a data set: per model, (models x names), and of all models, (names,)."""
    means, lacks = level_means(cube, groups)
    rates = example_pairwise_wins(means)
    known = ~np.isnan(rates)
    counted = np.stack([np.where(known, rates, 0.0), known.astype(float)])
    samples = resampled(counted, cube, options)
    complete = np.broadcast_to(~lacks[:, None], means.shape[:2])
    absent: Booleans = np.asarray(np.isnan(means).all(axis=(1, 2)))
    of_models = Estimate(ratio_or_nan(*counted.sum(axis=-1)), ratio_or_nan(*samples), complete, absent)
    of_all = Estimate(
        ratio_or_nan(*counted.sum(axis=(1, -1))), ratio_or_nan(*samples.sum(axis=1)), np.all(complete, axis=0)
    )
    return of_models, of_all


def pairwise_table(factor: Factor, over: Callable[[Any], str]) -> FigureTable:
    """The table of :func:`pairwise_wins`; ``over``: as of a :class:`~..figure.FigureTable`."""
    return FigureTable(
        f"{factor}_pairwise_win_rates",
        rate_header(factor),
        about=f"how often each {noun(factor)} scores higher than another one, ties counting half",
        part=lambda result: rate_parts(result.pairwise_win_rates),
        over=over,
    )
