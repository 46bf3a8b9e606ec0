"""How figures are written for people."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.analysis.made import cube_frame
from torr_plugin.analysis import (
    analyse,
    format_interval,
    format_ranks,
    format_value,
    ranked_models,
    summary_rows,
)


@pytest.mark.parametrize(
    ("figure", "shown"),
    [
        ((0.41234, 0.38888, 0.43571), "0.412 [0.389, 0.436]"),
        ((0.41234, 0.21, 0.66), "0.41 [0.21, 0.66]"),
        ((0.41234, 0.4115, 0.4131), "0.4123 [0.4115, 0.4131]"),
        ((0.5, 0.5, 0.5), "0.500 [no width]"),
        ((0.5, 0.5, 0.5 + 1e-15), "0.500 [no width]"),
        ((-0.05, -0.12, 0.02), "-0.050 [-0.120, 0.020]"),
        ((None, None, None), "\N{EN DASH}"),
        ((0.25, None, None), "0.250"),
    ],
)
def test_as_many_digits_as_the_interval_bears(figure: tuple[float | None, ...], shown: str) -> None:
    assert format_interval(*figure) == shown  # type: ignore[arg-type]


def test_values_and_ranks() -> None:
    assert format_value(0.98765, 0.97, 0.99) == "0.988"
    assert format_value(None) == "\N{EN DASH}"
    assert (format_ranks([1, 1]), format_ranks((2, 4)), format_ranks(None)) == (
        "1",
        "2\N{EN DASH}4",
        "\N{EN DASH}",
    )


def test_summary_rows_best_first_with_holes_marked() -> None:
    cube = np.array([[[0.2, 0.2]], [[0.8, 0.8]], [[0.5, np.nan]]])
    found = analyse(cube_frame(cube), resamples=20)
    rows = summary_rows(found)
    assert ranked_models(found) == [row["model"] for row in rows] == ["m1", "m2", "m0"]
    assert rows[0] == {
        "model": "m1",
        "performance": "0.80 [0.00, 1.00]",
        "robustness": "1.00 [0.00, 1.00]",
        "worst": "0.80",
        "best": "0.80",
        "rank": "1\N{EN DASH}3",
    }
    assert rows[1]["performance"].endswith(" *")


def test_robustness_over_five_configurations_stands_beside_torrs_where_there_are_five() -> None:
    cube = np.random.default_rng(0).random((1, 5, 9))
    (row,) = summary_rows(analyse(cube_frame(cube), resamples=20))
    assert list(row) == ["model", "performance", "robustness_5", "robustness", "rank"]
    assert row["robustness_5"].startswith(row["robustness"] + " [")


@pytest.mark.parametrize("nothing", [-0.0, -0.0004, 0.0, 0.0004])
def test_what_rounds_to_nothing_has_no_sign(nothing: float) -> None:
    assert format_value(nothing) == "0.000"
    assert format_interval(nothing, nothing, nothing) == "0.000 [no width]"


@given(st.floats(-1, 1))
def test_every_other_number_is_rounded_as_python_rounds_it(value: float) -> None:
    assert format_value(value) == f"{value:.3f}".replace("-0.000", "0.000")
