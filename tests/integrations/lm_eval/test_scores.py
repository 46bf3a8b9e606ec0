"""The four figures of one example."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from torr_plugin.integrations.lm_eval.scores import FIGURES, figures_of_example

SCORES = st.lists(st.floats(0, 1), min_size=1, max_size=40)


def test_by_hand() -> None:
    assert figures_of_example([1.0, 0.5, 0.0, 0.5]) == {
        "performance": 0.5,
        "robustness": 0.0,
        "worst": 0.0,
        "best": 1.0,
    }


def test_one_configuration_is_robust() -> None:
    assert figures_of_example([0.25]) == {"performance": 0.25, "robustness": 1.0, "worst": 0.25, "best": 0.25}


@pytest.mark.parametrize("scores", [[], [math.nan], [1.0, math.nan, 1.0]])
def test_a_hole_has_no_figures(scores: list[float]) -> None:
    found = figures_of_example(scores)
    assert list(found) == list(FIGURES)
    assert all(math.isnan(value) for value in found.values())


@given(SCORES)
def test_they_lie_as_they_must(scores: list[float]) -> None:
    found = figures_of_example(scores)
    assert all(0 <= value <= 1 for value in found.values())
    assert found["worst"] - 1e-12 <= found["performance"] <= found["best"] + 1e-12
    assert found["robustness"] == 1 - (max(scores) - min(scores))


@given(SCORES, st.randoms(use_true_random=False))
def test_the_order_of_configurations_changes_nothing(scores: list[float], chance: object) -> None:
    shuffled = list(scores)
    chance.shuffle(shuffled)  # type: ignore[attr-defined]
    assert figures_of_example(shuffled) == figures_of_example(scores)


@given(st.lists(st.lists(st.floats(0, 1), min_size=3, max_size=3), min_size=1, max_size=12))
def test_their_means_are_those_of_the_analysis(cube: list[list[float]]) -> None:
    from torr_plugin.analysis.statistics import example_robustness

    scores = np.array([cube]).transpose(0, 2, 1)  # model, configuration, example
    mine = np.mean([figures_of_example(example)["robustness"] for example in cube])
    assert mine == pytest.approx(float(example_robustness(scores).mean()), abs=1e-12)
