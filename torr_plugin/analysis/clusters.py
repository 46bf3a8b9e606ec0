"""Means over examples that share tables: variance between tables, degrees of freedom, design effect."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .statistics import Floats, Integers


@dataclass(frozen=True)
class ClusteredMeans:
    """Means over examples, (rows,) each.

    Attributes:
        mean: over the examples that have a value.
        variance: of that mean, between clusters.
        freedom: clusters less 1.
        count: examples.
        design_effect: the variance over that of as many independent examples; NaN where these do not vary.
    """

    mean: Floats
    variance: Floats
    freedom: Floats
    count: Floats
    design_effect: Floats


def clustered_means(values: Floats, clusters: Integers) -> ClusteredMeans:
    """Means with the variance G / (G - 1) sum over g of (sum over e in g of (x_e - mean))**2 / n**2.

    The linearized variance of a mean of clusters of any sizes (Cochran, "Sampling Techniques", 1977, section
    11.7; Liang and Zeger 1986); with a cluster an example it is the usual one.

    Args:
        values: (rows x examples); NaN where an example has none.
        clusters: of each example, 0 to G - 1.
    """
    present = ~np.isnan(values)
    counts = present.sum(axis=1).astype(float)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = np.where(present, values, 0.0).sum(axis=1) / counts
    residuals = np.where(present, values - mean[:, None], 0.0)
    order = np.argsort(clusters, kind="stable")
    starts = np.flatnonzero(np.diff(clusters[order], prepend=-1))
    sums = np.add.reduceat(residuals[:, order], starts, axis=1)
    there = np.add.reduceat(present[:, order].astype(float), starts, axis=1) > 0
    groups = there.sum(axis=1).astype(float)
    with np.errstate(divide="ignore", invalid="ignore"):
        variance = groups / (groups - 1) * (sums**2).sum(axis=1) / counts**2
        independent = (residuals**2).sum(axis=1) / (counts - 1) / counts
        effect = np.where(independent > 0, variance / independent, np.nan)
    return ClusteredMeans(mean, variance, groups - 1, counts, effect)
