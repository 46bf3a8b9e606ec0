"""The percentile bootstrap, as matrix products of resample counts with per-example statistics.

Whole tables are drawn, with all of their examples: questions about one table are no independent evidence
(Field and Welsh, "Bootstrapping clustered data", Journal of the Royal Statistical Society B 69, 2007). Where
no table is known, each example is drawn by itself. A resample is a vector of how often each table was drawn;
its mean of a per-example statistic is a product with that vector. So all models and statistics of a data set
share their resamples, and are drawn together.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

import numpy as np

from ..core.seeds import generator
from ..core.statistics import (
    Floats,
    Integers,
    cluster_sums,
    ratio_or_nan,
    resample_counts,
    table_count,
)


def resampled_means(values: Floats, clusters: Integers, rng: np.random.Generator, resamples: int) -> Floats:
    """Means over examples whose tables are drawn with replacement.

    Args:
        values: a statistic an example, (rows x examples); NaN where an example has none.
        clusters: the number of each example's table, from 0 on, (examples,).
        rng: draws the tables, the same for all rows.
        resamples: how many.

    Returns:
        (rows x resamples); NaN where a resample holds no example with a value.
    """
    return counted_means(values, clusters, resample_counts(rng, table_count(clusters), resamples), resamples)


def counted_means(values: Floats, clusters: Integers, draws: Iterable[Floats], resamples: int) -> Floats:
    """As :func:`resampled_means`, of draws made before: see :func:`shared_draws`."""
    present = ~np.isnan(values)
    whole = bool(present.all())
    sums = cluster_sums(np.where(present, values, 0.0), clusters).T
    known = (
        np.bincount(clusters).astype(float)[:, None]
        if whole
        else cluster_sums(present.astype(float), clusters).T
    )
    means = np.empty((len(values), resamples))
    start = 0
    for counts in draws:
        drawn = counts @ known
        means[:, start : start + len(counts)] = ratio_or_nan(counts @ sums, drawn).T
        start += len(counts)
    return means


def shared_draws(seed: int, use: tuple[str, ...], tables: int, resamples: int) -> Iterable[Floats]:
    """How often each table is drawn, blocks of (resamples x tables); always the same for the same use."""
    if tables * resamples > _MOST_KEPT:
        return resample_counts(generator(seed, *use), tables, resamples)
    return _kept_draws(seed, use, tables, resamples)


_MOST_KEPT = 4_000_000
"""Counts of tables, of 8 bytes each."""


@lru_cache(maxsize=16)
def _kept_draws(seed: int, use: tuple[str, ...], tables: int, resamples: int) -> tuple[Floats, ...]:
    return tuple(resample_counts(generator(seed, *use), tables, resamples))


def percentile_bounds(samples: Floats, level: float) -> tuple[Floats, Floats]:
    """The ``(1 - level) / 2`` and ``(1 + level) / 2`` quantiles of resampled figures.

    Efron and Tibshirani, "An introduction to the bootstrap", 1993, section 13.3. Resamples without a figure
    (NaN) are left out; where no resample has one, the bounds are NaN.

    Args:
        samples: (... x resamples).
        level: e.g. 0.95.

    Returns:
        The lower and the upper bounds, (...) each.
    """
    quantiles = [(1 - level) / 2, (1 + level) / 2]
    if not np.isnan(samples).any():
        low, high = np.quantile(samples, quantiles, axis=-1)
        return low, high
    flat = samples.reshape(-1, samples.shape[-1])
    bounds = np.full((2, len(flat)), np.nan)
    for row, drawn in enumerate(flat):
        known = drawn[~np.isnan(drawn)]
        if len(known):
            bounds[:, row] = np.quantile(known, quantiles)
    low, high = bounds.reshape(2, *samples.shape[:-1])
    return low, high
