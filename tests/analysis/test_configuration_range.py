"""Worst and best configuration and serializer: by hand, as plain loops, and with known truth."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings

from tests.analysis.made import cube_frame

from . import plain_parts as plain
from .plain_parts import Cell, same

NAN = float("nan")


def test_overall_is_of_the_configurations_that_all_data_sets_have() -> None:
    one = np.array([[[0.0], [0.5], [1.0]]])
    other = np.array([[[0.75], [0.5]]])
    found = plain.figures(pd.concat([cube_frame(one, "a"), cube_frame(other, "b")]))["configuration_range"]
    overall = found["m0"]["overall"]
    assert (overall["worst"]["config"], overall["worst"]["value"]) == ("c0", 0.375)
    assert (overall["best"]["config"], overall["best"]["value"]) == ("c1", 0.5)
    assert found["m0"]["datasets"]["a"]["best"]["config"] == "c2"
    apart = cube_frame(other, "b").replace({"config": {"c0": "x", "c1": "y"}})
    none = plain.figures(pd.concat([cube_frame(one, "a"), apart]))["configuration_range"]["m0"]["overall"]
    assert none["range"] == {"value": None, "low": None, "high": None}
    assert none["best"]["config"] is None


def test_a_model_without_a_data_set_has_no_overall_range() -> None:
    rows = pd.concat([cube_frame(np.full((2, 2, 2), 0.5), "a"), cube_frame(np.full((1, 2, 2), 0.5), "b")])
    found = plain.figures(rows)["configuration_range"]["m1"]
    nothing = {"value": None, "low": None, "high": None, "complete": False}
    assert found["overall"]["range"] == found["datasets"]["b"]["range"] == nothing
    assert found["overall"]["worst"] == {"config": None, **nothing}
    assert found["datasets"]["a"]["range"]["value"] == 0.0


def test_a_configuration_without_scores_is_neither_worst_nor_best() -> None:
    cube = np.array([[[0.5, 0.5], [NAN, NAN], [0.25, 1.0]], [[0.5, 0.5], [0.1, 0.1], [0.2, 0.2]]])
    found = plain.figures(cube_frame(cube))["configuration_range"]["m0"]["overall"]
    assert (found["worst"]["config"], found["best"]["config"]) == ("c0", "c2")
    assert found["range"]["complete"] is False


@pytest.mark.full
@given(plain.holed())
@settings(max_examples=10, deadline=None)
def test_any_scores_as_the_slow_reference(cells: dict[Cell, float]) -> None:
    found = plain.figures(plain.frame(cells))
    by_dataset = {name: plain.where(cells, dataset=name) for name in plain.values(cells, "dataset")}
    for model in plain.values(cells, "model"):
        for dataset, own in by_dataset.items():
            _check(
                found["configuration_range"][model]["datasets"][dataset],
                plain.plain_configuration_means(plain.comparable_configurations(own), model),
            )


def _check(figure: dict, means: dict[str, float]) -> None:
    if not means:
        assert figure["range"]["value"] is None
        return
    low, high = min(means.values()), max(means.values())
    assert same(figure["worst"]["value"], low)
    assert same(figure["best"]["value"], high)
    assert same(figure["range"]["value"], high - low)
    assert figure["worst"]["config"] == min(c for c, value in means.items() if np.isclose(value, low))
    assert figure["best"]["config"] == min(c for c, value in means.items() if np.isclose(value, high))
