"""Worst and best configuration and serializer: by hand, as plain loops, and with known truth."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings

from tests.analysis.made import cube_frame
from torr_plugin.analysis.extremes import best_and_worst

from . import plain_parts as plain
from .plain_parts import Cell, same

NAN = float("nan")


def test_by_hand() -> None:
    cube = np.array([[[0.5, 0.5], [1.0, 0.5], [0.0, 0.25]], [[0.5, 0.5], [0.5, 0.5], [0.5, 0.5]]])
    found = plain.figures(cube_frame(cube), resamples=200)["configuration_range"]
    first = found["m0"]["datasets"]["d"]
    assert (first["worst"]["config"], first["worst"]["value"]) == ("c2", 0.125)
    assert (first["best"]["config"], first["best"]["value"]) == ("c1", 0.75)
    assert first["range"]["value"] == 0.625
    assert found["m0"]["overall"] == first
    for figure in (first["worst"], first["best"], first["range"]):
        assert 0 <= figure["low"] <= figure["value"] <= figure["high"] <= 1
    # of equal ones the first by name, and no width where examples do not differ
    assert found["m1"]["overall"] == {
        "worst": {"config": "c0", "value": 0.5, "low": 0.5, "high": 0.5},
        "best": {"config": "c0", "value": 0.5, "low": 0.5, "high": 0.5},
        "range": {"value": 0.0, "low": 0.0, "high": 0.0},
        "p": 1.0,
        "claimed": False,
        "examples": {"shared": 2, "of": 2},
    }


def test_a_clear_difference_is_real_and_a_small_one_may_be_luck() -> None:
    rng = np.random.default_rng(0)
    noise = np.clip(0.5 + rng.normal(0, 0.1, (1, 8, 50)), 0, 1)
    luck = plain.figures(cube_frame(noise), resamples=500)["configuration_range"]["m0"]["overall"]["range"]
    assert luck["value"] > 0.02
    assert luck["low"] == 0.0
    noise[0, 3] = np.clip(noise[0, 3] - 0.3, 0, 1)
    real = plain.figures(cube_frame(noise), resamples=500)["configuration_range"]["m0"]["overall"]
    assert real["worst"]["config"] == "c3"
    assert 0.2 < real["range"]["low"] < real["range"]["value"] < real["range"]["high"] < 0.45


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
    formats = plain.at_one_design(cells, "serializer")
    for model in plain.values(cells, "model"):
        for dataset, own in by_dataset.items():
            _check(
                found["configuration_range"][model]["datasets"][dataset],
                plain.plain_configuration_means(plain.comparable_configurations(own), model),
            )
        for dataset, entry in found["serializers"]["range"].get(model, {}).items():
            alike = plain.comparable_cells(plain.where(formats, dataset=dataset), "serializer")
            _check_serializers(entry, plain.where(alike, model=model))


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


def _check_serializers(figure: dict, cells: dict[Cell, float]) -> None:
    means = {}
    for name in plain.values(cells, "serializer"):
        of_examples: dict[str, list[float]] = {}
        for cell, score in plain.where(cells, serializer=name).items():
            of_examples.setdefault(cell.example, []).append(score)
        means[name] = float(np.mean([np.mean(scores) for scores in of_examples.values()]))
    if not means:
        assert figure["value"] is None
        return
    assert same(figure["value"], max(means.values()) - min(means.values()))
    assert np.isclose(means[figure["best"]], max(means.values()))
    assert np.isclose(means[figure["worst"]], min(means.values()))


def test_one_serializer_has_no_range() -> None:
    rows = cube_frame(np.full((1, 6, 2), 0.5), parts=True)
    assert plain.figures(rows[rows["serializer"] == "s0"])["serializers"]["range"] == {}


@pytest.mark.full
@pytest.mark.parametrize("spread", [0.0, 0.02, 0.2])
def test_intervals_hold_the_truth_whatever_it_is(spread: float) -> None:
    """150 studies of 20 configurations: of equal ones, of close ones and of ones far apart.

    The best on the data, the truly best, and the range: each lies in its interval in at least 95 % of the
    studies (less three standard errors of that share). The interval that takes the best on the data for one
    chosen beforehand does not.
    """
    rng = np.random.default_rng(int(spread * 100))
    truth = 0.5 + spread * np.linspace(-0.5, 0.5, 20)
    studies, examples = 150, 60
    held = {"named": 0, "best": 0, "range": 0, "naive": 0}
    for _ in range(studies):
        scores = truth[:, None] + rng.normal(0, 0.1, (1, examples)) + rng.normal(0, 0.15, (20, examples))
        counts = rng.multinomial(examples, np.full(examples, 1 / examples), size=400) / examples
        found = best_and_worst(scores.mean(axis=1)[None], (scores @ counts.T)[None], 0.95)
        named = truth[found.best_index[0]]
        _, low, high = found.best[0]
        held["named"] += low <= named <= high
        held["best"] += low <= truth.max() <= high
        _, low, high = found.range[0]
        held["range"] += low <= truth.max() - truth.min() <= high
        naive = np.quantile(scores[found.best_index[0]] @ counts.T, [0.025, 0.975])
        held["naive"] += naive[0] <= named <= naive[1]
    least = studies * 0.95 - 3 * np.sqrt(studies * 0.95 * 0.05)
    assert min(held["named"], held["best"], held["range"]) >= least, held
    if spread == 0:
        assert held["naive"] < least, "the selection effect is there"
