"""Published means by statsmodels; how many more examples settle a pair, by its own definition."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.proportion import confint_proportions_2indep, proportion_confint

from torr_plugin.analysis.compare import decide
from torr_plugin.analysis.power import examples_factor, least_detectable
from torr_plugin.analysis.unpaired import known_means, unpaired_moments
from torr_plugin.core.statistics import score_bounds

LEVEL, MANY = 0.95, 4_000
FIRST, SECOND = np.array([0]), np.array([1])


def means(*rows: tuple[float, float, float], bounded: bool = True):  # type: ignore[no-untyped-def]
    return known_means(*map(np.array, zip(*rows, strict=True)), bounded=bounded)


def test_scores_with_n_have_wilsons_interval() -> None:
    found = score_bounds([means((0.7, MANY, np.nan), (1.0, MANY, np.nan))], LEVEL)
    for at, right in enumerate((0.7 * MANY, MANY)):
        expected = proportion_confint(right, MANY, method="wilson")
        assert (found[0][at], found[1][at]) == pytest.approx(expected, abs=1e-5)  # t of 3,999 for z


def test_a_difference_with_n_is_agresti_and_caffos() -> None:
    found = decide(
        [unpaired_moments(means((0.72, MANY, np.nan), (0.7, MANY, np.nan)), FIRST, SECOND, bounded=True)],
        LEVEL,
    )
    expected = confint_proportions_2indep(0.72 * MANY, MANY, 0.7 * MANY, MANY, method="agresti-caffo")
    assert (found.low[0], found.high[0]) == pytest.approx(expected, abs=2e-5)


def test_a_difference_with_errors_is_welchs_test() -> None:
    """Of scores without bounds, whose errors and numbers are given."""
    rng = np.random.default_rng(0)
    one, other = rng.normal(3.0, 1.0, 40), rng.normal(2.5, 2.0, 25)
    rows = [(each.mean(), len(each), stats.sem(each)) for each in (one, other)]
    found = decide([unpaired_moments(means(*rows, bounded=False), FIRST, SECOND, bounded=False)], LEVEL)
    expected = stats.ttest_ind(one, other, equal_var=False)
    assert (found.difference[0], found.p[0]) == pytest.approx((one.mean() - other.mean(), expected.pvalue))


def test_an_error_alone_is_that_of_as_many_right_or_wrong_answers() -> None:
    error = np.sqrt(0.7 * 0.3 / 399)
    by_error, by_n = (means((0.7, n, e)) for n, e in ((np.nan, error), (400.0, np.nan)))
    assert by_error.count[0] == pytest.approx(400)
    assert by_error.variance[0] == pytest.approx(by_n.variance[0])


def test_what_is_not_known_gives_no_verdict() -> None:
    rows = means((0.7, np.nan, np.nan), (0.5, 100, np.nan), (np.nan, 100, 0.1), (1.0, np.nan, 0.0))
    assert np.isnan(rows.variance).tolist() == [True, False, True, True]
    assert rows.mean[:2].tolist() == [0.7, 0.5]
    pairs = unpaired_moments(rows, np.zeros(3, dtype=int), np.array([1, 2, 3]), bounded=True)
    assert not decide([pairs], LEVEL).differs.any()


@given(
    st.floats(0.0, 1.0),
    st.floats(0.0, 1.0),
    st.integers(2, 5_000),
    st.integers(2, 5_000),
)
def test_bounds_hold_the_difference_and_turn_with_it(one: float, other: float, n: int, m: int) -> None:
    known = means((one, n, np.nan), (other, m, np.nan))
    there = decide([unpaired_moments(known, FIRST, SECOND, bounded=True)], LEVEL)
    back = decide([unpaired_moments(known, SECOND, FIRST, bounded=True)], LEVEL)
    assert (there.low[0], there.high[0]) == pytest.approx((-back.high[0], -back.low[0]))
    assert there.low[0] < there.high[0]


@given(
    st.floats(0.001, 0.2), st.integers(5, 3_000), st.sampled_from([0.01, 0.02, 0.05]), st.floats(1e-6, 0.05)
)
def test_so_many_times_the_examples_detect_the_difference(
    error: float, freedom: int, difference: float, alpha: float
) -> None:
    errors, freedoms = np.array([error]), np.array([float(freedom)])
    factor = examples_factor(errors, freedoms, difference, alpha)
    seen = least_detectable(errors / np.sqrt(factor), freedoms * factor, alpha)
    assert seen[0] == pytest.approx(difference, rel=1e-6)


def test_nothing_says_how_many_without_an_error() -> None:
    found = examples_factor(np.array([np.nan, 1e6]), np.array([10.0, 10.0]), 0.01, 0.05)
    assert np.isnan(found[0])
    assert np.isinf(found[1])
