"""Ranks of all models at once, and the tiers of those that no test separates."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .statistics import Booleans, Floats, Integers


def separated(values: Floats, errors: Floats, samples: Floats, level: float) -> Booleans:
    """Which models' differences exclude 0, all pairs at once: entry [a, b] where a is better than b.

    The max-t bootstrap with step-downs over shared resamples (Romano and Wolf 2005; Mogstad, Romano, Shaikh
    and Wilhelm, "Inference for ranks", Review of Economic Studies 2024, section 3): a difference over its
    standard error is compared with the quantile of the largest such deviation among the pairs that are not
    yet separated.

    Args:
        values: (models,), larger is better.
        errors: standard errors of the differences, (models x models); 0 or NaN: never separated.
        samples: resampled values, (models x resamples).
        level: the probability that no pair is separated wrongly.
    """
    first, second = np.triu_indices(len(values), k=1)
    usable = errors[first, second] > 0
    first, second = first[usable], second[usable]
    found = np.zeros((len(values), len(values)), dtype=bool)
    if not len(first):
        return found
    scale = errors[first, second]
    t = (values[first] - values[second]) / scale
    deviations = np.abs(
        (samples[first] - samples[second] - (values[first] - values[second])[:, None]) / scale[:, None]
    )
    order = np.argsort(-np.abs(t), kind="stable")
    # the largest deviation among each pair and those less separated than it
    largest = np.maximum.accumulate(deviations[order[::-1]], axis=0)[::-1]
    critical = np.quantile(largest, level, axis=1)
    rejected = order[np.logical_and.accumulate(np.abs(t[order]) > critical)]
    better = t[rejected] > 0
    found[first[rejected], second[rejected]] = better
    found[second[rejected], first[rejected]] = ~better
    return found


def rank_bounds(better: Booleans) -> Integers:
    """The places each model may take, (models x 2): behind all that are better, before all that it beats."""
    return np.stack([1 + better.sum(axis=0), len(better) - better.sum(axis=1)], axis=1)


def tiers(ranked: Sequence[int], better: Booleans) -> list[list[int]]:
    """Models in tiers, in the order of the ranking; the first that a tier's best beats begins the next."""
    found: list[list[int]] = []
    for model in ranked:
        if found and not better[found[-1][0], model]:
            found[-1].append(model)
        else:
            found.append([model])
    return found
