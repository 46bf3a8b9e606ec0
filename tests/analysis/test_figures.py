"""Every figure against cubes worked by hand, and against a slow reference on any cube."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tests.analysis.made import (
    cube_frame,
    frame,
    overall_statistics,
    plain_extreme,
    plain_performance,
    plain_robustness,
)
from torr_plugin.analysis import analyse
from torr_plugin.analysis.statistics import example_means

NAN = float("nan")
# two models, three configurations, two examples
HAND = np.array(
    [
        [[1.0, 0.5], [1.0, 0.0], [0.0, 0.25]],
        [[0.0, 0.5], [0.0, 0.5], [0.0, 0.5]],
    ]
)


def test_a_cube_by_hand() -> None:
    found = overall_statistics(HAND)
    assert found["performance"] == pytest.approx([2.75 / 6, 0.25])
    assert found["robustness"] == pytest.approx([1 - (1.0 + 0.5) / 2, 1.0])
    assert found["worst"] == pytest.approx([0.0, 0.25])
    assert found["best"] == pytest.approx([0.75, 0.25])
    assert found["robustness_solvable"] == pytest.approx([0.25, 1.0])


def test_always_wrong_is_robust_but_not_solvable() -> None:
    found = overall_statistics(np.zeros((1, 3, 4)))
    assert found["robustness"] == pytest.approx([1.0])
    assert np.isnan(found["robustness_solvable"]).all()


def test_an_example_counts_with_the_configurations_it_has() -> None:
    holed = np.array([[[1.0, 0.5, NAN], [0.0, NAN, NAN]]])
    assert example_means(holed) == pytest.approx(np.array([[0.5, 0.5, NAN]]), nan_ok=True)
    found = overall_statistics(holed)
    assert found["performance"] == pytest.approx([0.5])
    assert found["robustness"] == pytest.approx([1 - (1.0 + 0.0) / 2])


CUBES = arrays(
    float,
    st.tuples(st.integers(1, 3), st.integers(1, 4), st.integers(1, 5)),
    elements=st.one_of(st.sampled_from([0.0, 0.5, 1.0, NAN]), st.floats(0, 1)),
)


@given(CUBES)
@settings(max_examples=40, deadline=None)
def test_any_cube_as_the_slow_reference(cube: np.ndarray) -> None:
    for model in range(len(cube)):
        expected = {
            "performance": plain_performance(cube, model),
            "robustness": plain_robustness(cube, model),
            "robustness_solvable": plain_robustness(cube, model, solvable=True),
            "worst": plain_extreme(cube, model, min),
            "best": plain_extreme(cube, model, max),
        }
        for name, value in expected.items():
            found = overall_statistics(cube)[name][model]
            assert found == pytest.approx(NAN if value is None else value, nan_ok=True), name


@given(CUBES, st.integers(0, 10))
@settings(max_examples=15, deadline=None)
def test_analyse_gives_the_reference_figures_with_labels(cube: np.ndarray, seed: int) -> None:
    # a first, complete model so that every configuration and example has a row
    cube = np.concatenate([np.ones((1, *cube.shape[1:])), cube])
    other = np.round(np.random.default_rng(seed).random((len(cube), 2, 3)), 1)
    rows = cube_frame(cube, "one"), cube_frame(other, "two")
    import pandas as pd

    found = analyse(pd.concat(rows), resamples=5)
    there = ~np.isnan(cube).all(axis=(1, 2))
    shared = ~np.isnan(cube[there]).any(axis=0)
    lacks = np.isnan(cube).any(axis=(1, 2))
    if shared.any():  # else each model is scored on its own cells
        cube = np.where(shared, cube, NAN)
    for model in range(len(cube)):
        name = f"m{model}"
        first, second = plain_performance(cube, model), plain_performance(other, model)
        overall = None if first is None else (first + second) / 2
        figures = found["performance"][name]
        assert figures["datasets"]["one"]["value"] == pytest.approx(first)
        assert figures["datasets"]["two"]["value"] == pytest.approx(second)
        assert figures["overall"]["value"] == pytest.approx(overall)
        assert figures["overall"].get("complete", True) == (not lacks[model])
        solvable = found["robustness_solvable"][name]["datasets"]["one"]["value"]
        assert solvable == pytest.approx(plain_robustness(cube, model, solvable=True))


def test_overall_is_the_unweighted_mean_over_data_sets() -> None:
    cells = {("m", "small", "c", "e"): 1.0, **{("m", "large", "c", f"e{i}"): 0.0 for i in range(9)}}
    found = analyse(frame(cells), resamples=10)
    assert found["performance"]["m"]["overall"]["value"] == 0.5


def test_scores_per_configuration_serializer_and_perturbation() -> None:
    cube = np.array([[[0.0, 0.5], [1.0, 1.0], [0.5, 0.5], [0.25, 0.75]]])
    found = analyse(cube_frame(cube, parts=True), resamples=50)
    assert found["configurations"]["d"] == {
        "s0/none/x0": {"m0": 0.25},
        "s1/none/x1": {"m0": 1.0},
        "s0/transpose/x2": {"m0": 0.5},
        "s1/transpose/x3": {"m0": 0.5},
    }
    assert found["configurations"]["overall"] == found["configurations"]["d"]
    serializers, perturbations = found["serializers"]["scores"], found["perturbations"]["scores"]
    assert serializers["d"]["s0"]["m0"]["value"] == pytest.approx((0.25 + 0.5) / 2)
    assert serializers["overall"]["s1"]["m0"]["value"] == pytest.approx((1.0 + 0.5) / 2)
    assert perturbations["d"]["none"]["m0"]["value"] == pytest.approx((0.25 + 1.0) / 2)
    for by_model in serializers["d"].values():
        assert by_model["m0"]["low"] <= by_model["m0"]["value"] <= by_model["m0"]["high"]
