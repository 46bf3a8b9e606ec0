"""Coverage of the interval of a difference that a few questions make: computed, a study a number of them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from torr_plugin.analysis.options import Options
from torr_plugin.analysis.studentized_bootstrap import FEW, PairValues, difference_test

MOST = 41


@pytest.fixture(scope="module", params=[50, 200, 1000])
def questions(request: pytest.FixtureRequest) -> int:
    return int(request.param)


@pytest.fixture(scope="module")
def bounds(questions: int) -> tuple[np.ndarray, np.ndarray]:
    """Of a study in which one model alone is right on 0, 1, ... questions."""
    values = (np.arange(questions) < np.arange(MOST)[:, None]).astype(float)
    return difference_test([PairValues("d", values, np.arange(questions))], Options()).bounds()


def coverage(bounds: tuple[np.ndarray, np.ndarray], questions: int, expected: float) -> float:
    low, high = bounds
    covers = (low <= expected / questions) & (expected / questions <= high)
    return float(stats.binom.pmf(np.arange(MOST), questions, expected / questions) @ covers)


@pytest.mark.release
@pytest.mark.parametrize("expected", [1, 2, 3, 5])
def test_a_few_questions_give_too_short_intervals(
    bounds: tuple[np.ndarray, np.ndarray], questions: int, expected: float
) -> None:
    assert 0.6 <= coverage(bounds, questions, expected) < 0.9


@pytest.mark.release
@pytest.mark.parametrize("expected", [FEW, 10, 15, 20])
def test_more_questions_give_intervals_that_cover(
    bounds: tuple[np.ndarray, np.ndarray], questions: int, expected: float
) -> None:
    assert 0.92 <= coverage(bounds, questions, expected) <= 0.98


@pytest.mark.parametrize("differing", [FEW - 1, FEW])
def test_what_a_few_questions_make_is_marked(differing: int) -> None:
    values = (np.arange(100) < differing).astype(float)[None]
    test = difference_test([PairValues("d", values, np.arange(100))], Options())
    assert (test.skewed[0], test.few[0]) == (True, differing < FEW)
