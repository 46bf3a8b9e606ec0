"""How hard examples are: edges of bins, holes, and plain loops."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.analysis.made import cube_frame
from torr_plugin.analysis.figures.difficulty import MOST_NAMED, example_difficulty, histogram

from . import plain_parts as plain
from .plain_parts import Cell, same

NAN = float("nan")


def test_a_value_on_an_edge_counts_above_it_and_1_in_the_last_bin() -> None:
    counts = histogram(np.array([[0.0, 0.049, 0.05, 0.15, 0.3, 0.7, 0.1 + 0.7, 0.95, 1.0, NAN]]))[0]
    assert {int(i): int(counts[i]) for i in np.flatnonzero(counts)} == {
        0: 2,
        1: 1,
        3: 1,
        6: 1,
        14: 1,
        16: 1,
        19: 2,
    }
    assert all(histogram(np.array([[i / 20]]))[0][min(i, 19)] == 1 for i in range(21))


def plain_histogram(numbers: Sequence[float]) -> list[int]:
    counts = [0] * 20
    for number in numbers:
        counts[next((i for i in range(19) if number < (i + 1) / 20 - 1e-9), 19)] += 1
    return counts


@pytest.mark.full
@given(plain.holed())
@settings(max_examples=10, deadline=None)
def test_any_scores_as_the_slow_reference(cells: dict[Cell, float]) -> None:
    found = plain.figures(plain.frame(cells))
    for dataset in plain.values(cells, "dataset"):
        own = plain.where(cells, dataset=dataset)
        difficulty = found["difficulty"][dataset]
        assert difficulty["edges"] == [i / 20 for i in range(21)]
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
        assert difficulty["counts"] == plain_histogram(list(difficulty["examples"].values()))
        assert same(difficulty["mean"], fmean(means.values()))


def test_difficulty_by_hand() -> None:
    cube = np.array([[[1.0, 0.0, 0.5], [0.5, 0.0, 0.5]], [[1.0, 0.5, NAN], [0.5, 0.5, NAN]]])
    assert example_difficulty(cube) == pytest.approx([0.75, 0.25, 0.5])
    found = plain.figures(cube_frame(cube), resamples=200)
    difficulty = found["difficulty"]["d"]
    assert difficulty["examples"] == {"e0001": 0.25, "e0002": 0.5, "e0000": 0.75}
    assert difficulty["mean"] == difficulty["mean_interval"]["value"] == 0.5
    assert difficulty["mean_interval"]["low"] < 0.5 < difficulty["mean_interval"]["high"]
    assert difficulty["mean_interval"]["complete"] is False


def test_the_hardest_are_named_and_no_more_than_a_thousand() -> None:
    cube = np.random.default_rng(0).random((1, 1, MOST_NAMED + 500))
    found = plain.figures(cube_frame(cube))["difficulty"]["d"]
    assert (len(found["examples"]), found["examples_in_all"]) == (1000, 1500)
    assert sum(found["counts"]) == 1500
    assert max(found["examples"].values()) <= sorted(cube.ravel())[1000]
    assert "complete" not in found["mean_interval"]


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_every_value_is_counted_once(numbers: list[float]) -> None:
    assert histogram(np.array([numbers])).sum() == len(numbers)
