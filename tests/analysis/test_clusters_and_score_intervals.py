"""Clustered variances and score intervals: against statsmodels, by hand, and their coverage."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from torr_plugin.core.statistics import clustered_means, score_bounds


@given(st.integers(0, 1000))
def test_as_statsmodels_clusters(seed: int) -> None:
    rng = np.random.default_rng(seed)
    clusters, values = np.sort(rng.integers(0, 9, 60)), rng.random(60)
    _, clusters = np.unique(clusters, return_inverse=True)
    found = clustered_means(values[None], clusters)
    groups = len(np.unique(clusters))
    fit = sm.OLS(values, np.ones(60)).fit(
        cov_type="cluster", cov_kwds={"groups": clusters, "use_correction": False}
    )
    assert found.variance[0] == pytest.approx(fit.bse[0] ** 2 * groups / (groups - 1))
    assert found.freedom[0] == groups - 1


def test_a_cluster_an_example_is_the_usual_variance() -> None:
    values = np.array([[0.0, 1.0, 1.0, 0.5, np.nan]])
    found = clustered_means(values, np.arange(5))
    assert found.variance[0] == pytest.approx(np.var(values[0, :4], ddof=1) / 4)
    assert (found.count[0], found.freedom[0], found.design_effect[0]) == (4, 3, pytest.approx(1))


def test_of_right_or_wrong_answers_it_is_wilsons() -> None:
    values = np.array([[1.0] * 18 + [0.0] * 2])
    found = replace(clustered_means(values, np.arange(20)), freedom=np.array([1e9]))
    low, high = score_bounds([found], 0.95)
    assert (low[0], high[0]) == pytest.approx(proportion_confint(18, 20, method="wilson"))


def test_right_everywhere_has_a_width() -> None:
    low, high = score_bounds([clustered_means(np.ones(20), np.arange(20))], 0.95)
    assert low == pytest.approx(1 - (t := stats.t.ppf(0.975, 19)) ** 2 / (20 + t**2))
    assert high == 1


def test_right_on_all_questions_of_a_few_tables_says_as_much_as_the_tables() -> None:
    few = score_bounds([clustered_means(np.ones(20), np.repeat(np.arange(4), 5))], 0.95)
    assert few == pytest.approx(score_bounds([clustered_means(np.ones(4), np.arange(4))], 0.95))


def test_one_table_says_nothing() -> None:
    found = clustered_means(np.array([[0.2, 0.4], [np.nan, np.nan]]), np.array([0, 0]))
    assert np.stack(score_bounds([found], 0.95)).tolist() == [
        [0.0, pytest.approx(np.nan, nan_ok=True)],
        [1.0, pytest.approx(np.nan, nan_ok=True)],
    ]
    whole = clustered_means(np.array([[1.0] * 20, [0.0] * 20]), np.arange(20))
    low, high = score_bounds([found, whole], 0.95)
    alone = score_bounds([whole], 0.95)
    assert high[0] == pytest.approx(1)
    assert low[0] < 0.5
    assert (low[1], high[1]) == pytest.approx((alone[0][1], alone[1][1])), "over the data sets that have one"


def wilson(mean: float, n: float, z: float) -> tuple[float, float]:
    return proportion_confint(mean * n, n, 2 * stats.norm.sf(z), "wilson")


def test_overall_by_hand() -> None:
    """The wider of Wilson's of the overall mean, and of the stratified one of Yan and Su."""
    values = np.array([1.0] * 20), np.array([1.0, 0.0] * 15)
    parts = [clustered_means(own, np.arange(len(own))) for own in values]
    widths = np.array([np.ptp(wilson(own.mean(), len(own), stats.norm.ppf(0.975))) for own in values])
    t = stats.t.ppf(0.975, (widths**2).sum() ** 2 / (widths**4 / [19, 29]).sum())
    together = wilson(0.75, 0.75 * 0.25 / (0.25 / 30 / 4), t)
    reduced = t * np.sqrt((widths**2).sum()) / widths.sum()
    own = np.mean([wilson(1.0, 20, reduced), wilson(0.5, 30, reduced)], axis=0)
    assert own[0] < together[0]
    assert own[1] < together[1]
    assert score_bounds(parts, 0.95) == pytest.approx((own[0], together[1]))


@pytest.mark.parametrize("usual", [1.0, 1 / 3, 0.0])
def test_one_score_that_differs_makes_no_interval_narrower(usual: float) -> None:
    """As of a model that is right in every format but for one format of one question."""
    alike = np.full(20, usual)
    other = alike.copy()
    other[3] = usual - 1 / 35 if usual else 1 / 35
    (low, wide_low), (high, wide_high) = score_bounds(
        [clustered_means(np.stack([alike, other]), np.arange(20))], 0.95
    )
    assert wide_high - wide_low > 0.9 * (high - low)
    assert high - low > 0.15
