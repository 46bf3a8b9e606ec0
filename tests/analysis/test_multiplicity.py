"""Corrected p-values against statsmodels, scipy and procedures as the papers tell them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import false_discovery_control
from statsmodels.stats.multitest import multipletests

from tests.analysis.made import plain_holm
from torr_plugin.analysis.multiplicity import benjamini_hochberg, holm_adjusted


@given(st.lists(st.one_of(st.floats(0, 1), st.sampled_from([0.0, 0.05, 0.01])), min_size=1, max_size=12))
def test_holm_as_told_in_the_paper(p_values: list[float]) -> None:
    assert (holm_adjusted(np.array(p_values)) <= 1 - 0.95).tolist() == plain_holm(p_values, 1 - 0.95)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
@settings(max_examples=20, deadline=None)
def test_corrected_p_values_are_statsmodels(p_values: list[float]) -> None:
    expected = multipletests(p_values, method="holm")[1]
    assert holm_adjusted(np.array(p_values)).tolist() == pytest.approx(expected.tolist())


def test_holm_by_hand() -> None:
    # 0.01 <= 0.05/4, 0.02 > 0.05/3 stops it, though 0.04 <= 0.05/1 would pass alone
    assert (holm_adjusted(np.array([0.04, 0.01, 0.03, 0.02])) <= 0.05).tolist() == [False, True, False, False]
    assert (holm_adjusted(np.array([np.nan, 0.001])) <= 0.05).tolist() == [False, True]


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
@settings(max_examples=20, deadline=None)
def test_false_discovery_rates_are_scipys(p_values: list[float]) -> None:
    expected = false_discovery_control(p_values)
    assert benjamini_hochberg(np.array(p_values)).tolist() == pytest.approx(expected.tolist())


def test_benjamini_and_hochberg_by_hand() -> None:
    # 0.04 <= 0.05 carries the smaller ones with it, though 0.03 > 0.05/2
    assert (benjamini_hochberg(np.array([0.04, 0.03])) <= 0.05).all()
    assert benjamini_hochberg(np.array([np.nan, 0.02])).tolist() == pytest.approx([np.nan, 0.04], nan_ok=True)
    assert benjamini_hochberg(np.array([])).tolist() == holm_adjusted(np.array([])).tolist() == []
