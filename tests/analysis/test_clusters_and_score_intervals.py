"""Clustered variances and score intervals: against statsmodels, by hand, and their coverage."""

from __future__ import annotations

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from torr_plugin.analysis.clusters import clustered_means
from torr_plugin.analysis.score_intervals import overall_interval, score_interval


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
    found = clustered_means(values, np.arange(20))
    low, high = score_interval(found.mean, found.variance, found.count, np.array([1e9]), 0.95)
    assert (low[0], high[0]) == pytest.approx(proportion_confint(18, 20, method="wilson"))


@pytest.mark.parametrize("p", [0.5, 0.95, 0.99])
@pytest.mark.parametrize("n", [20, 300])
def test_it_covers_near_the_edges(n: int, p: float) -> None:
    rng = np.random.default_rng(0)
    values = rng.binomial(7, rng.beta(2 * p, 2 * (1 - p), (2000, n))) / 7
    found = clustered_means(values, np.arange(n))
    low, high = score_interval(found.mean, found.variance, found.count, found.freedom, 0.95)
    assert 0.9 < ((low <= p) & (p <= high)).mean() < 0.985


def test_right_everywhere_has_a_width() -> None:
    low, high = score_interval(np.ones(1), np.zeros(1), np.full(1, 20.0), np.full(1, 19.0), 0.95)
    assert low[0] == pytest.approx(1 - (t := stats.t.ppf(0.975, 19)) ** 2 / (20 + t**2))
    assert high[0] == 1


def test_overall_by_hand() -> None:
    means, low, high = np.array([0.9, 0.5]), np.array([0.6, 0.4]), np.array([1.0, 0.9])
    assert overall_interval(means, low, high) == pytest.approx(
        (0.7 - np.hypot(0.3, 0.1) / 2, 0.7 + np.hypot(0.1, 0.4) / 2)
    )
