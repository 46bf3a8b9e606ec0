"""The four figures of one example."""

from __future__ import annotations

import math

import pytest

from torr_plugin.integrations.lm_eval.scores import FIGURES, figures_of_example


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
