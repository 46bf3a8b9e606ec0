"""Ratings with resamples: of questions, so that battles about one question stay together."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import ceil, log2

import numpy as np
from scipy.special import stdtr

from ...core.seeds import generator
from ...core.statistics import Floats, resample_counts
from ..bootstrap import percentile_bounds
from .battles import Battles
from .elo_influence import elo_influence
from .fitting import INITIAL, SCALE, Wins, elo

ORDERS = 100
"""Random orders of the battles over which an Elo rating is averaged, of a few thousand battles."""

_MOST_UPDATES = 10_000_000
"""Elo updates for the averaged rating."""


@dataclass(frozen=True)
class Rated:
    """Ratings of models.

    Attributes:
        values: (models,); see :meth:`.fitting.Wins.bradley_terry` for inf and NaN.
        samples: (models x resamples).
        low, high: bounds, (models,).
        orders: over how many orders of the battles it is averaged; 0 where the order does not matter.
        order_spread: the standard deviation between single orders, in points; its largest over models.
    """

    values: Floats
    samples: Floats
    low: Floats
    high: Floats
    orders: int = 0
    order_spread: float = 0.0


@dataclass(frozen=True)
class QuestionDraws:
    """How many resamples of questions, their seed, and the level of the intervals."""

    resamples: int
    seed: int
    level: float


def bradley_terry(battles: Battles, draws: QuestionDraws) -> Rated:
    """Bradley-Terry ratings with a mean of 1000, and percentile intervals."""
    wins = Wins.of(battles)
    values = wins.bradley_terry(wins.weights)
    counts = resample_counts(generator(draws.seed, "ratings"), _questions(battles), draws.resamples)
    drawn = [wins.bradley_terry(row) for block in wins.resampled(counts) for row in block]
    samples = _centred(np.stack(drawn, axis=1), values)
    low, high = _bounds(samples, draws.level)
    return Rated(values, samples, low, high)


def _centred(samples: Floats, values: Floats) -> Floats:
    """Resampled ratings with the mean of the ratings of all battles, over the models that both rate finitely.

    Else a model without a finite rating in a resample would move all others.
    """
    with np.errstate(invalid="ignore"):  # inf - inf
        apart = values[:, None] - samples
    known = np.isfinite(apart)
    moved: Floats = samples + np.where(known, apart, 0.0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
    return moved


def anchored(rated: Rated, baseline: int | None, level: float) -> Rated:
    """The ratings with the baseline at 1000, and intervals of their differences from it.

    If the baseline's rating is infinite, all others become infinite; ranks are made of the ratings before.

    Args:
        rated: with percentile intervals.
        baseline: the number of the model at 1000; None leaves the ratings as they are.
        level: of the intervals.
    """
    if baseline is None:
        return rated
    samples = _anchored(rated.samples, baseline)
    low, high = _bounds(samples, level)
    return replace(
        rated, values=_anchored(rated.values[:, None], baseline)[:, 0], samples=samples, low=low, high=high
    )


def elo_ratings(battles: Battles, draws: QuestionDraws, baseline: int | None) -> Rated:
    """Elo ratings, averaged over random orders of the battles, on which a single one depends.

    A resample of questions moves them by :func:`.elo_influence.elo_influence`, as rating it in many orders
    would; intervals also hold what the orders leave open.
    """
    rng, count = generator(draws.seed, "elo"), len(battles)
    orders = max(2, min(ORDERS, _MOST_UPDATES // count))
    single = np.stack([elo(battles, rng.permutation(count)) for _ in range(orders)], axis=1)
    wins = Wins.of(battles)
    influence, weights = elo_influence(wins), wins.weights
    counts = resample_counts(generator(draws.seed, "ratings"), _questions(battles), draws.resamples)
    moved = np.vstack([(block - weights) @ influence for block in wins.resampled(counts)]).T
    drawn = rng.multinomial(orders, np.full(orders, 1 / orders), draws.resamples) / orders
    samples = _anchored(single @ drawn.T + moved, baseline)
    values = _anchored(single.mean(axis=1, keepdims=True), baseline)[:, 0]
    low, high = _bounds(samples, draws.level)
    return Rated(values, samples, low, high, orders, float(single.std(axis=1, ddof=1).max()))


def _questions(battles: Battles) -> int:
    return int(battles.question.max()) + 1


def _anchored(ratings: Floats, baseline: int | None) -> Floats:
    """Ratings, (models x resamples), with the baseline at 1000 in each resample."""
    if baseline is None:
        return ratings
    with np.errstate(invalid="ignore"):  # inf - inf
        moved: Floats = ratings - ratings[baseline] + INITIAL
    moved[baseline] = INITIAL
    return moved


def _bounds(samples: Floats, level: float) -> tuple[Floats, Floats]:
    """Percentile bounds; infinite where so many resamples have no finite rating."""
    with np.errstate(invalid="ignore"):
        low, high = percentile_bounds(samples, level)
    far = (1 - level) / 2
    endless_above, endless_below = ((samples == sign * np.inf).mean(axis=1) for sign in (1, -1))
    low, high = low.copy(), high.copy()
    low[endless_below >= far], high[endless_above >= far] = -np.inf, np.inf
    return low, high


@dataclass(frozen=True)
class PairDifferences:
    """Differences between all pairs of models, (models x models) each; what ranks are made of.

    Attributes:
        difference: of ratings, row less column.
        p_values: two-sided, that it is 0: by Student's t with the resamples' standard deviation; where a
            rating is infinite, by the share of resamples on the other side.
        freedom: questions less 1.
        error: the resamples' standard deviations of the differences.
    """

    difference: Floats
    p_values: Floats
    freedom: Floats
    error: Floats


def least_p_value(questions: int) -> float:
    """What no test on so many questions goes below."""
    return float(2.0 ** (1 - questions))


def fewest_questions(level: float) -> int:
    """How many questions a test needs at least to tell two models apart at a level."""
    return ceil(1 - log2(1 - level))


def pair_differences(rated: Rated, questions: int) -> PairDifferences:
    """Compare all pairs over the resamples that they share.

    No p-value is below 2 / 2**G, G questions: the least that flipping the signs of whole questions gives
    (:func:`.paired_tests.mean_test`).

    Args:
        rated: the ratings.
        questions: how many were drawn from.
    """
    size = len(rated.values)
    values, samples = finite(rated.values), finite(rated.samples)
    p_values, errors = np.ones((size, size)), np.zeros((size, size))
    for first in range(size):
        drawn = samples[first] - samples
        spread = errors[first] = np.nanstd(drawn, axis=1, ddof=1)
        apart = values[first] - values
        t = np.divide(np.abs(apart), spread, out=np.where(apart == 0, 0.0, np.inf), where=spread > 1e-9)
        p_values[first] = 2 * stdtr(max(questions - 1, 1), -t)
        for other in np.flatnonzero(np.isinf(rated.values) | np.isinf(rated.values[first])):
            p_values[first, other] = _by_side(drawn[other], apart[other])
    p_values = np.maximum(p_values, least_p_value(questions))
    np.fill_diagonal(p_values, 1.0)
    p_values[np.isnan(values)] = p_values[:, np.isnan(values)] = np.nan
    return PairDifferences(
        values[:, None] - values[None, :],
        p_values,
        np.full((size, size), max(questions - 1.0, 1.0)),
        errors,
    )


def _by_side(drawn: Floats, apart: float) -> float:
    known = drawn[~np.isnan(drawn)]
    against = (known <= 0) if apart > 0 else (known >= 0)
    return float(min(1.0, 2 * (against.sum() + 1) / (len(known) + 1)))


def finite(ratings: Floats) -> Floats:
    """Infinite ratings a factor of 10,000 in the odds beyond the others, to compare them."""
    known = ratings[np.isfinite(ratings)]
    low, high = (known.min(), known.max()) if known.size else (INITIAL, INITIAL)
    found: Floats = np.clip(ratings, low - 4 * SCALE, high + 4 * SCALE)
    return found
