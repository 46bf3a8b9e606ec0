"""Robustness rarefied to k configurations: against all draws of k, and across studies of other sizes."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from torr_plugin.analysis.statistics import example_rarefied_robustness, example_robustness

SCORES = arrays(float, (2, 7, 3), elements=st.sampled_from([0.0, 0.25, 0.5, 1.0, np.nan]))


@given(SCORES, st.integers(2, 7))
def test_as_the_mean_range_of_all_draws(scores: np.ndarray, k: int) -> None:
    found = example_rarefied_robustness(scores, k)
    for model, example in np.ndindex(2, 3):
        own = scores[model, :, example]
        own = own[~np.isnan(own)]
        ranges = [np.ptp(draw) for draw in combinations(own, k)]
        expected = 1 - np.mean(ranges) if ranges else np.nan
        assert found[model, example] == pytest.approx(expected, nan_ok=True)


def test_of_all_configurations_it_is_torrs() -> None:
    scores = np.random.default_rng(0).random((3, 5, 20))
    assert example_rarefied_robustness(scores, 5) == pytest.approx(example_robustness(scores))


def test_studies_of_five_and_of_thirty_five_configurations_agree() -> None:
    flips = np.random.default_rng(0).random((1, 35, 40_000)) < 0.02
    many, few = (1 - example_rarefied_robustness(flips[:, :c].astype(float)).mean() for c in (35, 5))
    expected = 1 - 0.98**5 - 0.02**5  # .096: one of five differs from the others
    assert many == pytest.approx(expected, abs=0.002)
    assert few == pytest.approx(expected, abs=0.006)
