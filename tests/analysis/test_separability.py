"""Shares of pairs, paired tests and Holm, against scipy, R-like plain procedures and cases worked by hand."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from scipy import stats

from tests.analysis.made import cube_frame, holm_share, paired_p_values
from torr_plugin.analysis import analyse
from torr_plugin.analysis.figures.separability import separable
from torr_plugin.analysis.paired_tests import example_differences, paired_test


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.Generator(np.random.PCG64(0))


def test_intervals_by_hand() -> None:
    low, high = np.array([0.1, 0.3, 0.5, np.nan]), np.array([0.3, 0.5, 0.6, np.nan])
    apart = separable(low, high)
    # touching intervals overlap: only the first and the third are apart
    assert [(int(a), int(b)) for a, b in zip(*np.nonzero(apart), strict=True)] == [(0, 2), (2, 0)]


def test_one_data_set_is_scipys_paired_t_test(rng: np.random.Generator) -> None:
    means = rng.random((4, 25))
    found = paired_p_values([means])
    for a in range(4):
        for b in range(4):
            expected = 1.0 if a == b else stats.ttest_rel(means[a], means[b]).pvalue
            assert found[a, b] == pytest.approx(expected, rel=1e-9)


def test_two_data_sets_are_scipys_welch_test(rng: np.random.Generator) -> None:
    """Two mean differences add up to the first less the negated second: Welch's test."""
    first, second = rng.random((2, 12)), rng.random((2, 31)) * 0.3
    found = paired_p_values([first, second])[0, 1]
    expected = stats.ttest_ind(first[0] - first[1], -(second[0] - second[1]), equal_var=False).pvalue
    assert found == pytest.approx(expected, rel=1e-9)


def test_holes_leave_an_example_out_of_its_pairs_only(rng: np.random.Generator) -> None:
    means = rng.random((3, 10))
    means[1, 3] = np.nan
    found = paired_p_values([means])
    there = ~np.isnan(means[1])
    assert found[0, 1] == pytest.approx(stats.ttest_rel(means[0, there], means[1, there]).pvalue)
    assert found[0, 2] == pytest.approx(stats.ttest_rel(means[0], means[2]).pvalue)


def test_ties_constants_and_single_examples(rng: np.random.Generator) -> None:
    same = rng.random(8)
    found = paired_p_values([np.stack([same, same, same + 0.25, same * 0.3 / 0.3])])
    assert found[0, 1] == 1.0
    assert found[0, 2] == 2 / 2**8
    assert found[0, 3] == 1.0, "a rounding error of a mean is no difference"
    assert np.isnan(paired_p_values([np.array([[0.2], [0.9]])])[0, 1])
    assert holm_share([np.array([[0.2], [0.9]])]) == 0.0


def test_all_pairs_at_once_are_the_pairs_one_by_one(rng: np.random.Generator) -> None:
    """Covariances and the differences themselves, also where models hardly differ."""
    base = rng.random(30)
    means = np.stack([base, base, base + 0.1, base + rng.normal(0, 1e-7, 30), rng.random(30), 0 * base])
    at_once, holed = example_differences(means), np.column_stack([means, np.full(6, np.nan)])
    one_by_one = example_differences(holed)
    np.testing.assert_allclose(at_once.mean, one_by_one.mean, atol=1e-12)
    np.testing.assert_allclose(at_once.variance, one_by_one.variance, rtol=1e-6, atol=1e-25)
    assert at_once.variance[0, 1] == at_once.variance[0, 2] == 0
    np.testing.assert_array_equal(at_once.clusters, one_by_one.clusters)


def test_questions_on_one_table_are_clustered_as_in_statsmodels(rng: np.random.Generator) -> None:
    tables = np.array([0, 0, 0, 1, 1, 2, 3, 3, 3, 3, 4, 5])
    a, b = rng.random((2, 12))
    test = paired_test([example_differences(np.stack([a, b]), tables)])
    fit = sm.OLS(a - b, np.ones(12)).fit(
        cov_type="cluster", cov_kwds={"groups": tables, "use_correction": False}
    )
    assert test.error[0, 1] == pytest.approx(fit.bse[0] * np.sqrt(6 / 5))
    assert test.freedom[0, 1] == pytest.approx(5)
    assert test.p_values[0, 1] == pytest.approx(
        2 * stats.t.sf(abs(test.difference[0, 1]) / test.error[0, 1], 5)
    )


@pytest.mark.parametrize("holes", [False, True])
def test_asking_every_question_thrice_shows_no_more(rng: np.random.Generator, holes: bool) -> None:
    means = [rng.random((4, 9)), np.stack([base := rng.random(7), base + 0.25, base, rng.random(7)])]
    if holes:
        means[0][2, 3] = np.nan
    once = paired_test([example_differences(one) for one in means])
    thrice = paired_test(
        [
            example_differences(np.repeat(one, 3, axis=1), np.repeat(np.arange(one.shape[1]), 3))
            for one in means
        ]
    )
    for name, expected in vars(once).items():
        found = getattr(thrice, name) / (3 if name == "count" else 1)
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


def test_constant_differences_flip_the_signs_of_whole_tables() -> None:
    """Six questions on three tables are as sure as three questions; so are tables whose sums are equal."""
    tables = np.array([0, 0, 1, 1, 2, 2])
    for better in (np.ones(6), np.array([1.0, 0, 0, 1, 1, 0])):
        found = paired_test([example_differences(np.stack([better, np.zeros(6)]), tables)])
        assert found.p_values[0, 1] == 2 / 2**3
        assert np.isnan(found.bounds()[0][0, 1])
    one = paired_test([example_differences(np.eye(2)[:, [0, 0, 1]], np.zeros(3, dtype=int))])
    assert np.isnan(one.p_values[0, 1]), "one table shows nothing"


@pytest.mark.parametrize("sizes", [[2], [5], [9], [3, 4], [2, 3]])
def test_constant_differences_are_as_sure_as_flipped_signs(sizes: list[int]) -> None:
    """scipy's permutation test of every flip; nothing is sure of two examples, nor of an interval of them."""
    rng = np.random.default_rng(0)
    means = [np.stack([base + 0.25, base]) for base in (rng.random(size) for size in sizes)]
    test = paired_test([example_differences(each) for each in means])
    weights = np.concatenate([np.full(size, 1 / size / len(sizes)) for size in sizes])
    expected = stats.permutation_test(
        (weights * 0.25,), np.sum, permutation_type="samples", n_resamples=np.inf
    ).pvalue
    assert test.p_values[0, 1] == pytest.approx(expected)
    low, high = test.bounds()
    if expected <= 0.05:
        assert low[0, 1] == high[0, 1] == pytest.approx(0.25)
    else:
        assert np.isnan([low[0, 1], high[0, 1]]).all()
    assert low[0, 0] == high[0, 0] == 0


def test_bounds_are_scipys(rng: np.random.Generator) -> None:
    a, b = rng.random((2, 20))
    test = paired_test([example_differences(np.stack([a, b]))], 0.9)
    expected = stats.ttest_rel(a, b).confidence_interval(0.9)
    assert [bound[0, 1] for bound in test.bounds()] == pytest.approx([expected.low, expected.high])


def test_analyse_says_what_can_be_told_apart(rng: np.random.Generator) -> None:
    base = rng.random((1, 4, 60)) * 0.3
    clear = np.concatenate([base, base + 0.6, base + 0.605 + rng.normal(0, 0.001, base.shape)])
    found = analyse(pd.concat([cube_frame(clear, "a"), cube_frame(clear, "b")]))
    overall = found["separability"]["overall"]
    assert overall["pairs"] == 3
    assert overall["value"] == pytest.approx(2 / 3), "the two good models' intervals overlap"
    assert overall["paired"] == 1.0, "example by example they differ"
    assert set(found["separability"]["datasets"]) == {"a", "b"}
    assert set(found["separability"]["datasets"]["a"]) == {"value", "paired", "pairs"}
    named = overall["pairs_separated"]
    assert [pair["models"] for pair in named] == [["m2", "m0"], ["m1", "m0"], ["m2", "m1"]], "better first"
    assert [(pair["apart"], pair["paired"]) for pair in named] == [(True, True), (True, True), (False, True)]
    for pair in named:
        a, b = (clear[int(name[1])].mean(axis=0) for name in pair["models"])
        # twice the same data set: the difference is its own, its standard error smaller by the root of 2
        assert pair["difference"] == pytest.approx((a - b).mean(), abs=1e-9)
        half = stats.t.ppf(0.975, 2 * 59) * (a - b).std(ddof=1) / np.sqrt(60 * 2)
        assert pair["high"] - pair["difference"] == pytest.approx(half, rel=1e-6, abs=1e-9)
        assert pair["low"] == pytest.approx((a - b).mean() - half, abs=1e-9)
        assert pair["p"] <= 0.05
    assert "Holm" in found["separability"]["method"]["paired"]


def test_equal_models_are_not_told_apart(rng: np.random.Generator) -> None:
    scores = rng.random((1, 3, 30))
    found = analyse(cube_frame(np.concatenate([scores, scores])))
    assert found["separability"]["overall"] == {
        "value": 0.0,
        "paired": 0.0,
        "pairs": 1,
        "pairs_separated": [],
    }
    assert found["rank_intervals"] == {"m0": [1, 2], "m1": [1, 2]}


def test_a_wrong_difference_is_claimed_as_rarely_as_the_level_says(rng: np.random.Generator) -> None:
    """Four models of one ability: in about 5 % of the studies Holm finds any difference."""
    studies, wrong = 200, 0
    for _ in range(studies):
        means = (rng.random((4, 40)) < 0.5).astype(float)
        wrong += holm_share([means]) > 0
    assert wrong / studies <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / studies)
