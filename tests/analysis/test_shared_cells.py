"""Differences over the cells that both models have."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from torr_plugin.analysis.shared_cells import mean_differences, robustness_differences

SCORES = arrays(float, (3, 4, 3), elements=st.sampled_from([0.0, 0.5, 1.0, np.nan]))


@given(SCORES)
def test_as_one_pair_and_example_at_a_time(scores: np.ndarray) -> None:
    means, robustness = mean_differences(scores), robustness_differences(scores)
    for first, second, example in np.ndindex(3, 3, 3):
        one, other = scores[first, :, example], scores[second, :, example]
        both = ~np.isnan(one) & ~np.isnan(other)
        place = first, second, example
        if not both.any():
            assert np.isnan(means[place])
            assert np.isnan(robustness[place])
            continue
        assert means[place] == pytest.approx(one[both].mean() - other[both].mean())
        assert robustness[place] == pytest.approx(np.ptp(other[both]) - np.ptp(one[both]))


def test_equal_models_with_different_holes_do_not_differ() -> None:
    rng = np.random.default_rng(0)
    scores = np.repeat((rng.random((1, 7, 200)) < 0.6).astype(float), 2, axis=0)
    scores[1, 0, rng.random(200) < 0.5] = np.nan
    assert np.nanmax(np.abs(mean_differences(scores))) == 0
    assert np.nanmax(np.abs(robustness_differences(scores))) == 0
