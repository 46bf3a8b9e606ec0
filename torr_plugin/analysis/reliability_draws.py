"""Reliability: how far rankings from few configurations and examples agree (ToRR, section 5, Fig. 6b, 7)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..core.statistics import Floats, Integers, ratio_or_nan, table_count
from .rankings import centred_ranks, kendall_w

STEPS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000)
"""Numbers of configurations, and from 5 on of examples, at which curves have points, besides all."""


def steps(least: int, most: int) -> list[int]:
    """Those of ``STEPS`` from ``least`` on that are less than ``most``, and ``most``; none up to 0."""
    return [*(step for step in STEPS if least <= step < most), most] if most else []


@dataclass(frozen=True)
class Draws:
    """Random orders; a draw uses the first k configurations and the first n examples.

    One order serves all k and n: each draw is as random as with an order of its own, and curves are smooth.

    Attributes:
        configurations: (repeats x rankings x configurations), each row an order.
        examples: (repeats x rankings x examples), likewise.
    """

    configurations: Integers
    examples: Integers


def random_orders(rng: np.random.Generator, size: int, repeats: int, rankings: int) -> Integers:
    """(repeats x rankings x size), each row an order of 0..size-1."""
    rows: Integers = np.broadcast_to(np.arange(size, dtype=np.int64), (repeats * rankings, size))
    orders: Integers = rng.permuted(rows, axis=1).reshape(repeats, rankings, size)
    return orders


def table_orders(rng: np.random.Generator, clusters: Integers, repeats: int, rankings: int) -> Integers:
    """Random orders of examples in which those of a table stand together, as a smaller study has them.

    Args:
        rng: draws the orders.
        clusters: the number of each example's table, from 0 on, (examples,).
        repeats: of the rankings.
        rankings: a repeat.

    Returns:
        (repeats x rankings x examples).
    """
    orders = random_orders(rng, len(clusters), repeats, rankings)
    tables = table_count(clusters)
    if tables == len(clusters):
        return orders
    places = random_orders(rng, tables, repeats, rankings)
    of_examples = np.take_along_axis(places, clusters[orders], axis=2)
    sorted_: Integers = np.take_along_axis(orders, np.argsort(of_examples, axis=2, kind="stable"), axis=2)
    return sorted_


def cell_sums(scores: Floats) -> tuple[Floats, Floats]:
    """Sums over examples, and over how many, (configurations x models) each.

    Args:
        scores: (models x configurations x examples); NaN is a hole.
    """
    counts = scores.shape[2] - np.isnan(scores).sum(axis=2).astype(float)
    return np.nansum(scores, axis=2).T, counts.T


def prompt_means(sums: Floats, counts: Floats, orders: Integers) -> Floats:
    """Mean scores over the first k configurations of each order and all examples.

    Args:
        sums: of scores, (configurations x models). Every score drawn counts alike.
        counts: how many, likewise.
        orders: (repeats x rankings x configurations).

    Returns:
        (configurations = k from 1 on x repeats x rankings x models).
    """
    chosen = orders.transpose(2, 0, 1)
    totals = sums[chosen]
    np.cumsum(totals, axis=0, out=totals)
    most = counts.max(initial=0)
    if not most or (counts < most).any():
        return ratio_or_nan(totals, np.cumsum(counts[chosen], axis=0))
    taken = most * np.arange(1, len(totals) + 1)
    means: Floats = totals / taken[:, None, None, None]
    return means


def example_means(scores: Floats, draws: Draws, ks: Sequence[int], ns: Sequence[int]) -> Floats:
    """Mean scores over the first k configurations and the first n examples of each order.

    Args:
        scores: (models x configurations x examples); NaN is a hole. Every score drawn counts alike.
        draws: the orders.
        ks: numbers of configurations, increasing.
        ns: numbers of examples.

    Returns:
        (ns x ks x repeats x rankings x models); NaN where a draw holds no score of a model.
    """
    present = ~np.isnan(scores)
    whole = bool(present.all())
    filled = scores if whole else np.where(present, scores, 0.0)
    of_configurations, of_examples = _places(draws.configurations), _places(draws.examples)
    taken = (of_configurations[:, None] < np.asarray(ks)[:, None]).astype(float)
    found = np.empty((len(ns), len(ks), *draws.configurations.shape[:2], len(scores)))
    for row, n in enumerate(ns):
        drawn = (of_examples < n).astype(float)
        sums = _resampled_sums(filled, drawn, taken)
        if whole:
            means = sums / (n * np.asarray(ks))[:, None, None]
        else:
            means = ratio_or_nan(sums, _resampled_sums(present.astype(float), drawn, taken))
        found[row] = means.reshape(found.shape[1:])
    return found


def _places(orders: Integers) -> Integers:
    """The place of each thing in each order, (repeats * rankings x things)."""
    repeats, rankings, things = orders.shape
    places: Integers = np.argsort(orders, axis=-1).reshape(repeats * rankings, things).astype(np.int64)
    return places


def _resampled_sums(scores: Floats, drawn: Floats, taken: Floats) -> Floats:
    """Sums over drawn examples and taken configurations, (ks x draws x models).

    Args:
        scores: (models x configurations x examples).
        drawn: which examples are, (draws x examples), 0 or 1.
        taken: which configurations are, (draws x ks x configurations), likewise.
    """
    models, configurations, examples = scores.shape
    flat = scores.swapaxes(0, 1).reshape(configurations * models, examples)
    cells = (drawn @ flat.T).reshape(len(drawn), configurations, models)
    sums: Floats = (taken @ cells).swapaxes(0, 1)
    return sums


def disjoint_means(sums: Floats, counts: Floats, orders: Integers, k: int) -> Floats:
    """Mean scores over k configurations each, no configuration in two rankings, and all examples.

    Args:
        sums: of scores, (configurations x models). Every score drawn counts alike.
        counts: how many, likewise.
        orders: (repeats x rankings x configurations); the first order of each repeat is cut into pieces of k.
        k: at most half the configurations.

    Returns:
        (repeats x pieces x models); the pieces are as many as fit, at most the orders' rankings.
    """
    pieces = min(orders.shape[1], orders.shape[2] // k)
    chosen = orders[:, 0, : pieces * k].reshape(len(orders), pieces, k)
    return ratio_or_nan(sums[chosen].sum(axis=2), counts[chosen].sum(axis=2))


def draws_w(means: Floats) -> Floats:
    """W of each repeat's rankings.

    Args:
        means: (... x rankings x models).

    Returns:
        (...); NaN where a model has no mean, all tie, or there are fewer than two models or rankings.
    """
    if min(means.shape[-2:]) < 2:
        return np.full(means.shape[:-2], np.nan)
    unknown = np.isnan(means).any(axis=(-2, -1))
    if not unknown.any():
        return kendall_w(centred_ranks(means))
    return np.where(unknown, np.nan, kendall_w(centred_ranks(np.nan_to_num(means))))
