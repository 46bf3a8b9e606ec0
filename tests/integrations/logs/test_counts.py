"""The number of items behind a score, recovered from its rounding."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from torr_plugin.core.errors import InputError
from torr_plugin.integrations.logs.board import BoardScores, MetricScale
from torr_plugin.integrations.logs.counts import CHANCE, recovered_count, with_counts
from torr_plugin.integrations.logs.frames import aggregate_frame


@given(st.integers(1, 3000), st.integers(1, 6), st.data())
def test_a_number_that_is_recovered_fits_and_is_never_too_large(
    n: int, digits: int, data: st.DataObject
) -> None:
    solved = data.draw(st.lists(st.integers(0, n), max_size=25))
    scores = np.round(np.array(solved, dtype=float) / n, digits)
    found = recovered_count(scores, digits)
    if found is not None:
        assert found <= n  # so that intervals are at least as wide
        assert np.all(np.abs(np.rint(scores * found) / found - scores) <= 0.5 * 10.0**-digits + 1e-9)
        assert len(set(scores) - {0.0, 1.0}) >= 11


def test_recovered_right_or_refused() -> None:
    random, right, wrong = np.random.default_rng(4), 0, 0
    for _ in range(1000):
        n, digits, models = (
            int(random.integers(20, 3000)),
            int(random.integers(2, 7)),
            int(random.integers(2, 40)),
        )
        skill = random.beta(2, 2, size=models)
        found = recovered_count(np.round(random.binomial(n, skill) / n, digits), digits)
        right, wrong = right + (found == n), wrong + (found not in (None, n))
    assert wrong <= 3  # CHANCE of those that were recovered
    assert right > 200


@pytest.mark.parametrize("digits", [2, 3, 4, 5])
def test_numbers_that_are_no_shares_are_refused(digits: int) -> None:
    random, found = np.random.default_rng(digits), 0
    for _ in range(100):
        written = random.integers(1, 10**digits, size=int(random.integers(11, 80))) / 10**digits
        found += recovered_count(written, digits) is not None
    assert found <= 1


@given(st.integers(1, 400), st.integers(1, 3))
def test_the_numbers_that_fit_are_counted_exactly(n: int, digits: int) -> None:
    shares, numbers = np.arange(n + 1) / n, np.arange(10**digits + 1) / 10**digits
    nearest = np.abs(numbers[:, None] - shares[None, :]).min(axis=1)
    fitting = int(np.sum(nearest <= 0.5 * 10.0**-digits + 1e-12))
    divisor = np.gcd(2 * 10**digits, n)
    middles = (divisor + 1) // 2 if 2 * 10**digits // divisor % 2 else 0
    assert fitting <= n + 1 + middles
    assert fitting == n + 1 + middles or n > 10**digits / 2


def test_few_scores_or_few_digits_are_refused() -> None:
    n = 756
    scores = np.arange(200, 212) / n
    assert recovered_count(np.round(scores, 4), 4) == n
    assert recovered_count(np.round(scores[:10], 4), 4) is None
    assert recovered_count(np.round(scores, 3), 3) is None
    assert recovered_count([0.0, 1.0, np.nan], 4) is None
    assert CHANCE == 1e-3


def test_means_of_tasks_are_shares_of_no_number() -> None:
    random = np.random.default_rng(1)
    means = random.binomial(97, 0.5, 60) / 97 / 3 + random.binomial(101, 0.5, 60) / 101 / 3 + 1 / 3
    assert recovered_count(np.round(means, 6), 6) is None


def board(digits: int, high: float = 1.0, models: int = 20, n: int = 300) -> BoardScores:
    shares = (np.arange(models) * 7 + 50) / n
    frame = aggregate_frame(
        np.round(shares * high, digits), model=[f"m{i}" for i in range(models)], task="t", digits=digits
    )
    return BoardScores(aggregates=frame, scales={"score": MetricScale(high=high)})


@pytest.mark.parametrize(("digits", "high"), [(4, 1.0), (2, 100.0)])
def test_aggregates_get_the_number_that_fits(digits: int, high: float) -> None:
    found = with_counts(board(digits, high), {})
    assert set(found.aggregates["n"]) == {300.0}
    assert found.notes == ("t: 300 items, recovered from the rounding of 20 scores",)


def test_a_given_number_counts() -> None:
    assert set(with_counts(board(2, models=2), {"t": 500}).aggregates["n"]) == {500.0}


def test_a_known_number_or_error_is_kept() -> None:
    frame = pd.concat(
        [
            aggregate_frame([0.5, 0.7], model=["a", "b"], task="x", n=[10, 20]),
            aggregate_frame([0.5, 0.7], model=["a", "b"], task="y", error=[0.1, 0.2]),
        ]
    )
    found = with_counts(BoardScores(aggregates=frame), {}).aggregates
    assert found["n"].tolist()[:2] == [10, 20]
    assert found["n"].isna().tolist() == [False, False, True, True]


@pytest.mark.parametrize(
    ("given_counts", "message"),
    [
        (
            {},
            "t: neither the number of items nor a standard error is known; "
            "add a column n, or give --n t=NUMBER",
        ),
        ({"u": 5}, "--n u=5: no such task has aggregates alone; expected one of: t"),
        ({"t": 0}, "--n t=0: expected a number of items, at least 1"),
    ],
)
def test_a_number_that_is_unknown_or_wrong_is_refused(given_counts: dict[str, int], message: str) -> None:
    with pytest.raises(InputError) as error:
        with_counts(board(1, models=3), given_counts)
    assert str(error.value) == message
