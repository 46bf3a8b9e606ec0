"""Ranks of all models at once and tiers: by hand, and the rate of a false separation."""

from __future__ import annotations

import numpy as np
import pytest

from torr_plugin.analysis.simultaneous_ranks import rank_bounds, separated, tiers


def study(rng: np.random.Generator, truth: np.ndarray) -> np.ndarray:
    """The separated pairs of one simulated study of 100 examples."""
    n = 100
    scores = truth[:, None] + 0.2 * rng.normal(size=n) + 0.3 * rng.normal(size=(len(truth), n))
    samples = scores @ rng.multinomial(n, np.full(n, 1 / n), 400).T / n
    errors = (scores[:, None] - scores).std(axis=2, ddof=1) / np.sqrt(n)
    return separated(scores.mean(axis=1), errors, samples, 0.95)


def test_equal_models_are_hardly_ever_separated() -> None:
    rng = np.random.default_rng(0)
    wrong = np.mean([study(rng, np.full(6, 0.5)).any() for _ in range(400)])
    assert 0.02 < wrong < 0.09


def test_ranks_hold_all_at_once_where_some_tie() -> None:
    rng, truth = np.random.default_rng(0), np.array([0.8, 0.6, 0.6, 0.6, 0.3])
    first, last = np.array([1, 2, 2, 2, 5]), np.array([1, 4, 4, 4, 5])
    held = []
    for _ in range(300):
        low, high = rank_bounds(study(rng, truth)).T
        held.append(((low <= first) & (high >= last)).all())
    assert np.mean(held) > 0.92


def test_tiers_by_hand() -> None:
    better = np.zeros((4, 4), dtype=bool)
    better[0, 2] = better[0, 3] = better[1, 3] = True
    assert tiers([0, 1, 2, 3], better) == [[0, 1], [2, 3]]
    assert rank_bounds(better).tolist() == [[1, 2], [1, 3], [2, 4], [3, 4]]


def test_a_difference_without_variance_is_not_separated() -> None:
    found = separated(np.array([0.2, 0.4]), np.zeros((2, 2)), np.array([[0.2] * 9, [0.4] * 9]), 0.95)
    assert not found.any()


@pytest.mark.parametrize("models", [1, 2])
def test_few_models(models: int) -> None:
    found = separated(np.zeros(models), np.ones((models, models)), np.zeros((models, 9)), 0.95)
    assert rank_bounds(found).tolist() == [[1, models]] * models
