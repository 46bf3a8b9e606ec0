"""Agreement and reliability written plainly, with scipy in loops: what the fast functions must equal.

Also the peer that the speed of the analysis is measured against.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from scipy import stats


def slow_tau(first: Sequence[float], second: Sequence[float]) -> float:
    """Kendall's tau-b, by its definition: pairs of models in the same order, less those in the other."""
    agreeing, of_x, of_y = 0, 0, 0
    for i, j in combinations(range(len(first)), 2):
        x = int(first[i] > first[j]) - int(first[i] < first[j])
        y = int(second[i] > second[j]) - int(second[i] < second[j])
        agreeing, of_x, of_y = agreeing + x * y, of_x + abs(x), of_y + abs(y)
    return agreeing / float(np.sqrt(of_x * of_y)) if of_x and of_y else float("nan")


def slow_w(scores: np.ndarray) -> float:
    """Kendall's W with Kendall's correction for ties, from the textbook's sums.

    Args:
        scores: (raters x models).
    """
    ranks = np.array([stats.rankdata(np.round(row, 12)) for row in scores])
    raters, models = ranks.shape
    squares = float(((ranks.sum(axis=0) - raters * (models + 1) / 2) ** 2).sum())
    ties = 0.0
    for row in ranks:
        _, times = np.unique(row, return_counts=True)
        ties += float((times**3 - times).sum())
    most = raters**2 * (models**3 - models) - raters * ties
    return 12 * squares / most if most > 0 else float("nan")


def slow_prompt_w(cube: np.ndarray, orders: np.ndarray, k: int) -> list[float]:
    """W of every repeat, rankings by all examples under the first k configurations of each order.

    Args:
        cube: (models x configurations x examples); NaN is a hole.
        orders: (repeats x rankings x configurations).
        k: how many configurations.
    """
    return slow_w_of_draws(cube, orders, np.zeros((*orders.shape[:2], 0), dtype=int), k, None)


def slow_w_of_draws(
    cube: np.ndarray, configurations: np.ndarray, examples: np.ndarray, k: int, n: int | None
) -> list[float]:
    """W of every repeat, rankings by the first k configurations and n examples (None: all) of each order."""
    found = []
    for repeat, rows in enumerate(configurations):
        means = []
        for ranking, order in enumerate(rows):
            there = cube[:, order[:k]]
            if n is not None:
                there = there[:, :, examples[repeat, ranking, :n]]
            means.append([slow_mean(model) for model in there])
        array = np.array(means)
        found.append(float("nan") if np.isnan(array).any() else slow_w(array))
    return found


def slow_disjoint_w(cube: np.ndarray, orders: np.ndarray, k: int) -> list[float]:
    """W of every repeat, rankings by pieces of k of the first order, as many as fit and are sought."""
    found = []
    for rows in orders:
        pieces = [rows[0, start : start + k] for start in range(0, len(rows[0]) - k + 1, k)][: len(rows)]
        found.append(slow_w(np.array([[slow_mean(model) for model in cube[:, piece]] for piece in pieces])))
    return found


def slow_mean(scores: np.ndarray) -> float:
    """The mean of the scores that are there; NaN where none is."""
    there = scores[~np.isnan(scores)]
    return float(there.mean()) if there.size else float("nan")
