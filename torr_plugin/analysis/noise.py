"""Answer noise, robustness without it, and being right every time: from prompts that were asked again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np
import pandas as pd

from ..core.statistics import (
    ROUNDING,
    ClusteredMeans,
    Floats,
    Integers,
    clustered_means,
    mean_over_examples,
    ratio_or_nan,
    score_bounds,
)
from .cube import Cube, numbered, positions
from .frame import REPLICATE
from .statistics import example_means


@dataclass(frozen=True)
class ReplicatedCells:
    """The cells of a data set that were asked again, with the scores of the later answers.

    Attributes:
        config: position of each cell's configuration in the cube, (cells,).
        example: position of its example.
        scores: of the later answers, (models x replicates x cells); NaN where a model has none.
    """

    config: Integers
    example: Integers
    scores: Floats

    def answers(self, cube: Cube) -> Floats:
        """All scores, the first one first, (models x answers x cells); NaN where the first is absent."""
        first = cube.scores[:, None, self.config, self.example]
        found: Floats = np.concatenate([first, np.where(np.isnan(first), np.nan, self.scores)], axis=1)
        return found


def replicates_of(cube: Cube, rows: pd.DataFrame) -> ReplicatedCells:
    """The replicates of a data set's cells; rows of other cells are left out.

    Args:
        cube: the first answers.
        rows: of all data sets, as :attr:`.study.StudyScores.replicates`: one a model, cell and replicate.
    """
    own = rows[rows["dataset"] == cube.dataset]
    names = {"model": cube.models, "config": cube.configurations, "example": cube.examples}
    places = [positions(own[column], labels) for column, labels in names.items()]
    known = np.all([place >= 0 for place in places], axis=0)
    model, config, example = (place[known] for place in places)
    cells, at = np.unique(config * len(cube.examples) + example, return_inverse=True)
    numbers, replicate = np.unique(own[REPLICATE].to_numpy()[known], return_inverse=True)
    scores = np.full((len(cube.models), len(numbers), len(cells)), np.nan)
    scores[model, replicate, at] = own["score"].to_numpy(dtype=float)[known]
    return ReplicatedCells(cells // len(cube.examples), cells % len(cube.examples), scores)


def changed_shares(cube: Cube, again: ReplicatedCells) -> ClusteredMeans:
    """How often two answers to the same prompt got different scores, (models,): a cell's share of pairs."""
    answers = again.answers(cube)
    gaps = [answers[:, one] - answers[:, other] for one, other in combinations(range(answers.shape[1]), 2)]
    pairs = np.abs(np.reshape(gaps, (len(gaps), *answers[:, 0].shape)))
    known = (~np.isnan(pairs)).sum(axis=0)
    return _over_cells(cube, again, ratio_or_nan((pairs > 10.0**-ROUNDING).sum(axis=0), known))


def right_each_time(cube: Cube, again: ReplicatedCells) -> list[ClusteredMeans]:
    """pass^k for k = 1, 2, ..., to the number of answers: how often k answers to a prompt are all right.

    An answer is right where its score is 1. Of a cell with c right ones of n it is C(c, k) / C(n, k), the
    share of its choices of k answers that hold right ones alone, which is unbiased (Yao et al., "tau-bench",
    2024). All k are over the same cells, those with a score for each answer.

    Returns:
        One a k, (models,) each.
    """
    answers = again.answers(cube)
    total, missing = answers.shape[1], np.isnan(answers).any(axis=1)
    right = (answers >= 1.0 - 10.0**-ROUNDING).sum(axis=1)
    shares = (
        np.array([comb(count, k) / comb(total, k) for count in range(total + 1)]) for k in range(1, total + 1)
    )
    return [_over_cells(cube, again, np.where(missing, np.nan, share[right])) for share in shares]


def _over_cells(cube: Cube, again: ReplicatedCells, values: Floats) -> ClusteredMeans:
    return clustered_means(values, numbered(cube.clusters[again.example].tolist()))


def squared_differences(scores: Floats) -> Floats:
    """The mean over c != c' of (s_c - s_c')**2, which is twice the variance, an example each.

    Args:
        scores: (models x configurations x examples), or (models x answers x cells); NaN is a hole.

    Returns:
        (models x examples); NaN where an example has fewer than two scores.
    """
    present = ~np.isnan(scores)
    counts = present.sum(axis=1)
    means = example_means(scores)
    squares = (np.where(present, scores - means[:, None], 0.0) ** 2).sum(axis=1)
    return ratio_or_nan(2.0 * squares, np.maximum(counts - 1.0, 0.0))


@dataclass(frozen=True)
class NoiseTerms:
    """The two terms of phi on one data set, (models,) each.

    Attributes:
        spread: mean over e of mean over c != c' of (s_c - s_c')**2.
        noise: mean over replicated cells of the mean over r != r' of (s_r - s_r')**2.
        covariance: of these means, from what each table adds to their errors.
    """

    spread: ClusteredMeans
    noise: ClusteredMeans
    covariance: Floats


def noise_terms(cube: Cube, again: ReplicatedCells) -> NoiseTerms:
    """The terms of one data set.

    Args:
        cube: the first answers on cells that all models have.
        again: replicates; those of other cells are left out.
    """
    spread, noise = squared_differences(cube.scores), squared_differences(again.answers(cube))
    tables = cube.clusters[again.example]
    products = _contributions(spread, cube.clusters, cube) * _contributions(noise, tables, cube)
    return NoiseTerms(
        clustered_means(spread, cube.clusters),
        _over_cells(cube, again, noise),
        products.sum(axis=1),
    )


def _contributions(values: Floats, tables: Integers, cube: Cube) -> Floats:
    """What each table adds to the error of a mean, (models x tables): residuals over the number of values."""
    counts = (~np.isnan(values)).sum(axis=1, keepdims=True).astype(float)
    residuals = np.nan_to_num(values - mean_over_examples(values)[:, None])
    sums = np.array([np.bincount(tables, weights=row, minlength=cube.tables) for row in residuals])
    return ratio_or_nan(sums, counts)


def noise_free_robustness(terms: Sequence[NoiseTerms], level: float) -> tuple[Floats, Floats, Floats]:
    """1 - phi: what configurations change, without what asking the same prompt again changes.

    phi is the spread less the noise, its mean over data sets unweighted. Noise of one variance adds as much
    to one term as to the other, so that phi is unbiased, and may fall below 0. Each term is a mean in [0, 1]
    and has a score interval; the two are combined by their distances from the estimates (MOVER: Zou, "On the
    estimation of additive interaction by use of the four-by-two table and beyond", American Journal of
    Epidemiology 2008), with the correlation of their linearised contributions, a table each.

    Args:
        terms: of one data set, or of all.
        level: e.g. 0.95.

    Returns:
        The values and their lower and upper bounds, not clipped to [0, 1]; NaN where a data set lacks either
        term.
    """
    spreads, noises = [each.spread for each in terms], [each.noise for each in terms]
    spread, noise = (np.mean([part.mean for part in parts], axis=0) for parts in (spreads, noises))
    (low, high), (least, most) = score_bounds(spreads, level), score_bounds(noises, level)
    rho = _correlation(terms)
    value = 1.0 - (spread - noise)
    below = _distance(high - spread, noise - least, rho)
    above = _distance(spread - low, most - noise, rho)
    return value, value - below, value + above


def _correlation(terms: Sequence[NoiseTerms]) -> Floats:
    """Of the two terms' means over data sets; 0 where one does not vary."""
    variances = [
        np.nansum([part.variance for part in parts], axis=0)
        for parts in ([each.spread for each in terms], [each.noise for each in terms])
    ]
    covariance = np.nansum([each.covariance for each in terms], axis=0)
    return np.clip(np.nan_to_num(ratio_or_nan(covariance, np.sqrt(variances[0] * variances[1]))), -1.0, 1.0)


def _distance(one: Floats, other: Floats, rho: Floats) -> Floats:
    """How far the bound of a difference is from it, from the distances of its two terms' bounds."""
    distance: Floats = np.sqrt(np.maximum(one**2 + other**2 - 2.0 * rho * one * other, 0.0))
    return distance
