"""Draws of the largest studentized difference against scipy's distributions."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from torr_plugin.analysis.largest_difference import DRAWS, LargestDifferences


@pytest.mark.parametrize("freedom", [4.0, 31.0, 99.0])
def test_two_means_have_students_t(freedom: float) -> None:
    """The covariance is the identity, so that the difference has variance 2."""
    drawn = LargestDifferences.of(2, 0, "t").draw(np.eye(2), np.array([2**0.5]), np.array([freedom]))
    assert drawn.shape == (DRAWS,)
    assert stats.kstest(drawn, lambda x: 1 - 2 * stats.t.sf(x, freedom)).pvalue > 0.01


def test_models_share_draws_and_change_none_of_one_another() -> None:
    draws = LargestDifferences.of(3, 0, "shared")
    error = np.full(3, 2**0.5)
    alone = LargestDifferences.of(3, 0, "shared").draw(np.eye(3), error, np.full(3, 40.0))
    draws.draw(np.eye(2), error[:1], np.array([7.0]))
    draws.draw(np.eye(3), error, np.array([40.0, 41.0, 42.0]))
    np.testing.assert_array_equal(draws.draw(np.eye(3), error, np.full(3, 40.0)), alone)


def test_means_that_do_not_vary_take_no_part() -> None:
    nothing = np.zeros(3)
    draws = LargestDifferences.of(3, 0, "none")
    assert not draws.draw(np.zeros((3, 3)), nothing, np.full(3, np.nan)).any()
    root = np.diag([1.0, 0.0, 0.0])
    some = draws.draw(root, np.array([1.0, 1.0, 0.0]), np.array([50.0, 50.0, np.nan]))
    assert (some > 0).all()
