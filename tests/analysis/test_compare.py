"""The one verdict: by scipy and statsmodels, by hand, and what makes it one."""

from __future__ import annotations

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from torr_plugin.analysis.compare import (
    FEW,
    all_pairs,
    compare,
    group_numbers,
    groups,
    rank_bounds,
)
from torr_plugin.analysis.estimates import ExampleValues

LEVEL = 0.95


def of(*values: np.ndarray, clusters: np.ndarray | None = None) -> list[ExampleValues]:
    """Differences on data sets, (differences x examples) each."""
    return [
        ExampleValues(np.atleast_2d(own), np.arange(np.shape(own)[-1]) if clusters is None else clusters)
        for own in values
    ]


def test_one_difference_is_scipys_paired_t_test() -> None:
    rng = np.random.default_rng(0)
    first, second = rng.random((2, 25))
    found = compare(of(first - second), LEVEL)
    test = stats.ttest_rel(first, second)
    bounds = test.confidence_interval(LEVEL)
    assert found.p[0] == pytest.approx(test.pvalue)
    assert (found.low[0], found.high[0]) == pytest.approx((bounds.low, bounds.high))


def test_a_family_is_bonferronis_interval_and_p() -> None:
    values = np.random.default_rng(1).normal(0.1, 0.3, (6, 30))
    found = compare(of(values), LEVEL)
    for n, own in enumerate(values):
        alone = stats.ttest_1samp(own, 0)
        bounds = alone.confidence_interval(1 - (1 - LEVEL) / 6)
        assert (found.low[n], found.high[n]) == pytest.approx((bounds.low, bounds.high))
        assert found.p[n] == pytest.approx(min(1, 6 * alone.pvalue))


def test_two_data_sets_are_scipys_welch_test() -> None:
    """Two mean differences add up to the first less the negated second: Welch's test."""
    rng = np.random.default_rng(2)
    one, other = rng.normal(0.1, 0.2, 12), rng.normal(0.1, 0.4, 31)
    found = compare(of(one, other), LEVEL)
    expected = stats.ttest_ind(one, -other, equal_var=False)
    bounds = expected.confidence_interval(LEVEL)
    assert found.p[0] == pytest.approx(expected.pvalue)
    assert (2 * found.low[0], 2 * found.high[0]) == pytest.approx((bounds.low, bounds.high))


def test_questions_about_one_table_are_clustered_as_in_statsmodels() -> None:
    rng = np.random.default_rng(3)
    tables = np.repeat(np.arange(12), rng.integers(1, 6, 12))
    values = rng.normal(0.1, 0.3, len(tables)) + rng.normal(0, 0.2, 12)[tables]
    found = compare(of(values, clusters=tables), LEVEL)
    fitted = sm.OLS(values, np.ones(len(values))).fit(
        cov_type="cluster", cov_kwds={"groups": tables, "use_correction": False}
    )
    assert found.error[0] ** 2 == pytest.approx(fitted.bse[0] ** 2 * 12 / 11)
    assert found.freedom[0] == 11


def test_two_further_questions_where_answers_are_right_or_wrong() -> None:
    """As 20 questions and one answered by either side alone, each about a table of its own."""
    values = np.array([1.0] * 3 + [-1.0] + [0.0] * 16)
    more = np.append(values, [1.0, -1.0])
    found = compare(of(values), LEVEL)
    assert found.difference[0] == pytest.approx(0.1)
    half = stats.t.ppf(0.975, 19) * more.std(ddof=1) / len(more) ** 0.5
    assert (found.low[0], found.high[0]) == pytest.approx((more.mean() - half, more.mean() + half))


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_equal_answers_have_an_interval_of_some_width(value: float) -> None:
    found = compare(of(np.full(30, value)), LEVEL)
    assert found.low[0] < found.high[0]
    assert found.differs[0] == bool(value)


@pytest.mark.parametrize("tables", [FEW - 1, FEW])
def test_other_scores_that_differ_on_few_tables_have_no_verdict(tables: int) -> None:
    values = np.zeros(50)
    values[:tables] = np.linspace(0.3, 0.5, tables)
    found = compare(of(values), LEVEL)
    assert found.difference[0] == pytest.approx(values.mean())
    assert found.few[0] == np.isnan(found.low[0]) == np.isnan(found.p[0]) == (tables < FEW)


@pytest.mark.parametrize("others", [0, 2])
def test_one_difference_on_nearly_all_tables_has_an_interval_of_some_width(others: int) -> None:
    """As when one of three models lacks every answer: that says little of other tables."""
    values = np.full(20, -1 / 3)
    values[:others] = 0.0
    found = compare(of(values), LEVEL)
    half = stats.t.ppf(0.975, 19) * np.sqrt(
        20 / 19 * (((values - values.mean()) ** 2).sum() + 2 * values.mean() ** 2) / 20**2
    )
    assert (found.low[0], found.high[0]) == pytest.approx((values.mean() - half, values.mean() + half))
    assert found.differs[0]


@given(
    st.lists(st.sampled_from([-1.0, -1 / 3, 0.0, 0.2, 1.0]), min_size=3, max_size=30),
    st.integers(1, 3),
)
def test_no_interval_is_without_width(values: list[float], per_table: int) -> None:
    found = compare(of(np.array(values), clusters=np.arange(len(values)) // per_table), LEVEL)
    assert np.isnan(found.low[0]) or found.high[0] - found.low[0] > 1e-6


def test_one_table_says_nothing() -> None:
    found = compare(of(np.array([0.1, 0.2, 0.3]), clusters=np.zeros(3, dtype=int)), LEVEL)
    assert np.isnan(found.low[0])
    assert (found.tested, found.differs[0], found.few[0]) == (0, False, False)


def test_examples_that_a_side_lacks_are_left_out() -> None:
    values = np.random.default_rng(4).normal(0.2, 0.3, (2, 20))
    values[0, :5] = np.nan
    found = compare(of(values), LEVEL)
    alone = stats.ttest_1samp(values[0, 5:], 0)
    assert found.p[0] == pytest.approx(2 * alone.pvalue)
    assert found.examples.tolist() == [15, 20]


@given(
    st.lists(st.lists(st.sampled_from([-1.0, -0.5, 0.0, 0.25, 1.0]), min_size=12, max_size=12), min_size=1),
    st.sampled_from([0.8, 0.95]),
)
def test_interval_p_and_verdict_are_one(values: list[list[float]], level: float) -> None:
    found = compare(of(np.array(values)), level)
    for n in range(len(values)):
        verdict = found.verdict(n)
        turned = found.verdict(n, swapped=True)
        excludes = (
            verdict.low is not None and verdict.high is not None and not verdict.low <= 0 <= verdict.high
        )
        assert verdict.differs == turned.differs == excludes
        if verdict.p is not None and abs(verdict.p - (1 - level)) > 1e-9:
            assert excludes == (verdict.p < 1 - level)
        if verdict.low is not None and verdict.high is not None:
            assert verdict.low <= (verdict.value or 0.0) <= verdict.high
            assert (turned.value, turned.low, turned.high) == pytest.approx(
                (-(verdict.value or 0.0), -verdict.high, -verdict.low)
            )


def test_pairs_in_blocks_are_pairs_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    scores = np.random.default_rng(5).random((7, 40))
    known = np.array([True, True, False, True, True, True, True])

    def differences(first: np.ndarray, second: np.ndarray) -> list[ExampleValues]:
        return of(scores[first] - scores[second])

    whole = all_pairs(known, differences, LEVEL)
    monkeypatch.setattr("torr_plugin.analysis.compare._AT_ONCE", 80)
    parts = all_pairs(known, differences, LEVEL)
    assert whole.verdicts.tested == 15
    np.testing.assert_array_equal(whole.verdicts.low, parts.verdicts.low)
    assert not whole.better[2].any()


def test_groups_and_ranks_by_hand() -> None:
    better = np.zeros((4, 4), dtype=bool)
    better[0, 2] = better[0, 3] = better[1, 3] = True
    assert groups([0, 1, 2, 3], better) == [[0, 1], [2, 3]]
    assert rank_bounds(better).tolist() == [[1, 2], [1, 3], [2, 4], [3, 4]]
    assert group_numbers([["a", "b"], ["c"]]) == {"a": 1, "b": 1, "c": 2}


def test_a_pair_is_found_among_the_things_that_are_known() -> None:
    scores = np.random.default_rng(6).random((6, 30))
    known = np.array([True, False, True, True, False, True])
    found = all_pairs(known, lambda first, second: of(scores[first] - scores[second]), LEVEL)
    for at, pair in enumerate(zip(found.first.tolist(), found.second.tolist(), strict=True)):
        assert found.at(*pair) == found.at(*pair[::-1]) == at
    assert found.at(0, 1) is None
