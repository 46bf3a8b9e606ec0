"""The order of the values that kinds of examples have."""

from __future__ import annotations

from itertools import product
from random import Random

from torr_plugin.core.names import COMPLEXITY, LENGTH, steps_of, value_order


def ordered(*values: str) -> list[str]:
    return sorted(Random(0).sample(values, len(values)), key=value_order)


def test_numbers_and_steps_by_size_and_others_by_name() -> None:
    assert ordered("2", "10", "census", "psa") == ["2", "10", "census", "psa"]
    assert ordered(*COMPLEXITY) == list(COMPLEXITY)
    assert ordered(*LENGTH) == list(LENGTH)
    assert ordered("lowest", "high", "low", "") == ["low", "high", "", "lowest"]


def test_steps_of_two_scales_by_the_first_and_then_the_second() -> None:
    pairs = [", ".join(pair) for pair in product(COMPLEXITY, LENGTH)]
    assert ordered(*pairs) == pairs


def test_the_steps_of_a_scale_that_occur() -> None:
    assert steps_of({"high", "low"}) == ["low", "high"]
    assert steps_of({"high", "under 10K"}) == []
    assert steps_of({True, 3}) == []
    assert steps_of(set()) == []
