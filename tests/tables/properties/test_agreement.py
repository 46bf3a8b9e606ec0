"""Agreement with an annotation, against statsmodels' kappa."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from torr_plugin.tables.properties import Agreement, agreement
from torr_plugin.tables.properties.names import BALANCED_ROW, ROW_GROUP_LABEL, ROW_NESTING

COUNTS = st.integers(0, 60)


@given(COUNTS, COUNTS, COUNTS, COUNTS)
@example(0, 0, 1, 2)
@settings(deadline=None)
def test_kappa_and_its_interval_are_those_of_statsmodels(tp: int, fp: int, fn: int, tn: int) -> None:
    from statsmodels.stats.inter_rater import cohens_kappa

    line = Agreement("x", tp, fp, fn, tn)
    if math.isnan(line.kappa):
        assert 0 in (tp + fn + fp, tn + fn + fp) or line.n == 0
        return
    with np.errstate(all="ignore"):  # statsmodels divides by an error of zero where one side is constant
        reference = cohens_kappa([[tp, fn], [fp, tn]])
    assert line.kappa == pytest.approx(float(reference.kappa), abs=1e-12)
    low, high = line.kappa_interval()
    if math.isnan(reference.std_kappa):  # a variance of zero, which rounding has made negative there
        assert line.kappa_error == pytest.approx(0, abs=1e-6)
        assert (low, high) == pytest.approx((line.kappa, line.kappa), abs=1e-5)
        return
    assert line.kappa_error == pytest.approx(float(reference.std_kappa), abs=1e-6)
    assert low == pytest.approx(max(float(reference.kappa_low), -1), abs=1e-5)
    assert high == pytest.approx(min(float(reference.kappa_upp), 1), abs=1e-5)


def test_precision_recall_and_f1_of_counts() -> None:
    line = Agreement("x", tp=6, fp=2, fn=4, tn=8)
    assert (line.n, line.precision, line.recall) == (20, 0.75, 0.6)
    assert line.f1 == pytest.approx(2 * 0.75 * 0.6 / 1.35)
    assert line.kappa == pytest.approx((0.7 - 0.5) / 0.5)


def test_what_cannot_be_said_is_nan() -> None:
    line = Agreement("x", 0, 0, 0, 9)
    assert all(map(math.isnan, (line.precision, line.recall, line.f1, line.kappa, line.kappa_error)))


def test_a_table_without_the_annotation_is_left_out_of_its_line() -> None:
    told = [
        {ROW_NESTING: True, BALANCED_ROW: True, ROW_GROUP_LABEL: False},
        {BALANCED_ROW: False, ROW_GROUP_LABEL: True},
    ]
    found = [{ROW_NESTING: True, BALANCED_ROW: False, ROW_GROUP_LABEL: True}] * 2
    lines = {line.name: line for line in agreement(told, found, [ROW_NESTING, BALANCED_ROW, ROW_GROUP_LABEL])}
    assert (lines[ROW_NESTING].tp, lines[ROW_NESTING].n) == (1, 1)
    assert (lines[BALANCED_ROW].fn, lines[BALANCED_ROW].n) == (1, 1)
    assert (lines[ROW_GROUP_LABEL].tp, lines[ROW_GROUP_LABEL].fp) == (1, 1)


def test_lists_of_different_length_are_refused() -> None:
    with pytest.raises(ValueError, match="shorter"):
        agreement([{}], [])


def test_a_level_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match=r"level is 1\.5"):
        Agreement("x", 1, 1, 1, 1).kappa_interval(1.5)


def test_the_width_beside_a_kappa_is_not_cut_where_the_interval_is() -> None:
    line = Agreement("x", tp=9, fp=0, fn=1, tn=90)
    low, high = line.kappa_interval()
    assert high == 1.0
    assert line.kappa_width() == pytest.approx(line.kappa - low)
    assert line.kappa_width() > high - line.kappa
