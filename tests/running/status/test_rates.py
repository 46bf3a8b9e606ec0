"""Rates, by a clock that the tests turn."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from torr_plugin.running.status.progress_file import ModelProgress, Throughput


class Clock:
    def __init__(self) -> None:
        self.seconds = 1000.0

    def __call__(self) -> float:
        return self.seconds


def test_a_rate_needs_two_batches_and_does_not_count_the_first() -> None:
    clock = Clock()
    rate = Throughput(clock)
    assert rate.a_second() == (0, 0)
    clock.seconds += 500  # waited for another model
    rate.add(64, 640)
    assert rate.a_second() == (0, 0)
    clock.seconds += 4
    rate.add(100, 2000)
    assert rate.a_second() == (25, 500)
    clock.seconds += 4  # nothing came since
    assert rate.a_second() == (12.5, 250)


def test_what_is_long_ago_does_not_count() -> None:
    clock = Clock()
    rate = Throughput(clock, window=60)
    for batch in range(100):
        clock.seconds += 10
        rate.add(1000 if batch < 50 else 10, 0)
    assert rate.a_second()[0] == pytest.approx(1)


def test_batches_further_apart_than_the_window_still_have_a_rate() -> None:
    clock = Clock()
    rate = Throughput(clock, window=60)
    for _ in range(5):
        clock.seconds += 600
        rate.add(30, 60)
    assert rate.a_second() == (pytest.approx(0.05), pytest.approx(0.1))


@given(st.lists(st.tuples(st.floats(0.5, 50), st.integers(0, 500)), min_size=2, max_size=60))
def test_a_steady_rate_is_found(batches: list[tuple[float, int]]) -> None:
    clock = Clock()
    rate = Throughput(clock)
    for seconds, _ in batches:
        clock.seconds += seconds
        rate.add(1, 0)
    lowest = 1 / max(seconds for seconds, _ in batches)
    highest = 1 / min(seconds for seconds, _ in batches)
    assert lowest * 0.999 <= rate.a_second()[0] <= highest * 1.001


def test_the_time_that_is_left() -> None:
    clock = Clock()
    each = ModelProgress(total=100, done=20, rate=Throughput(clock))
    assert each.seconds_left is None
    for _ in range(2):
        clock.seconds += 5
        each.add(10, 1, 40)
    assert (each.done, each.failed, each.tokens) == (40, 2, 80)
    assert each.seconds_left == pytest.approx(30)
    each.total = 40
    assert each.seconds_left is None
