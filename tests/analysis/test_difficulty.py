"""How hard examples are: holes, and plain loops."""

from __future__ import annotations

from statistics import fmean

import numpy as np
import pytest
from hypothesis import given, settings

from tests.analysis.made import cube_frame
from torr_plugin.analysis.figures.difficulty import MOST_NAMED, example_difficulty

from . import plain_parts as plain
from .plain_parts import Cell, same

NAN = float("nan")


@pytest.mark.full
@given(plain.holed())
@settings(max_examples=10, deadline=None)
def test_any_scores_as_the_slow_reference(cells: dict[Cell, float]) -> None:
    found = plain.figures(plain.frame(cells))
    for dataset in plain.values(cells, "dataset"):
        own = plain.where(cells, dataset=dataset)
        difficulty = found["difficulty"][dataset]
        means = {
            example: fmean(
                fmean(there.values())
                for model in plain.values(own, "model")
                if (there := plain.where(own, model=model, example=example))
            )
            for example in plain.values(own, "example")
        }
        assert set(difficulty["examples"]) == set(means)
        assert all(same(difficulty["examples"][example], means[example]) for example in means)
        assert list(difficulty["examples"].values()) == sorted(difficulty["examples"].values())
        assert same(difficulty["mean"], fmean(means.values()))


def test_difficulty_by_hand() -> None:
    cube = np.array([[[1.0, 0.0, 0.5], [0.5, 0.0, 0.5]], [[1.0, 0.5, NAN], [0.5, 0.5, NAN]]])
    assert example_difficulty(cube) == pytest.approx([0.75, 0.25, 0.5])
    found = plain.figures(cube_frame(cube), resamples=200)
    difficulty = found["difficulty"]["d"]
    assert difficulty["examples"] == {"e0001": 0.25, "e0002": 0.5, "e0000": 0.75}
    assert difficulty["mean"] == 0.5


def test_the_hardest_are_named_and_no_more_than_a_thousand() -> None:
    cube = np.random.default_rng(0).random((1, 1, MOST_NAMED + 500))
    found = plain.figures(cube_frame(cube))["difficulty"]["d"]
    assert (len(found["examples"]), found["examples_in_all"]) == (1000, 1500)
    assert max(found["examples"].values()) <= sorted(cube.ravel())[1000]
