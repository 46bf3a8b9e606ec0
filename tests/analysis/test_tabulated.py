"""Functions of an error variance read from a table: as good as exact, and asked for seldom."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.analysis.made import as_cube
from tests.studies import population
from torr_plugin.analysis.budget import Prediction
from torr_plugin.analysis.complete import crossed
from torr_plugin.analysis.decision import Tabulated, expected_w, pair_errors, relative_error
from torr_plugin.analysis.options import Options
from torr_plugin.analysis.study_components import study_components


def exact_w(means: np.ndarray, error: np.ndarray) -> np.ndarray:
    """Of models that differ in how exactly their scores are known."""
    own = np.linspace(0.2, 1.8, means.shape[-1])
    return expected_w(means, error, (own[:, None] + own) / 2)


def tabulated_w(means: np.ndarray) -> Tabulated:
    return Tabulated(lambda error, rows: exact_w(means[rows], error), 0.2 if means.shape[1] < 14 else 0.3)


@pytest.mark.full
@settings(max_examples=30, deadline=None)
@given(st.integers(2, 30), st.integers(1, 40), st.floats(-18, 3), st.floats(0, 3), st.integers(0, 2**32 - 1))
def test_it_is_what_the_function_is(models: int, draws: int, place: float, spread: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    means = rng.normal(0, 0.2, (draws, models))
    table = tabulated_w(means)
    for _ in range(3):
        error = np.exp(place + spread * rng.normal(size=draws))
        assert table(error) == pytest.approx(exact_w(means, error), abs=1e-6)


def test_errors_of_nothing_and_without_end_and_far_apart_are_exact() -> None:
    rng = np.random.default_rng(3)
    means = rng.normal(0, 0.2, (6, 5))
    error = np.array([0.0, np.inf, 1e-300, 0.01, 0.02, 1e200])
    assert tabulated_w(means)(error) == pytest.approx(exact_w(means, error), abs=1e-6)
    assert tabulated_w(means)(np.zeros(6)).tolist() == [1.0] * 6


def test_nearby_errors_ask_the_function_no_more() -> None:
    asked = []

    def function(error: np.ndarray, rows: np.ndarray) -> np.ndarray:
        asked.append(error)
        return 1 / (1 + error)

    table = Tabulated(function)
    for error in np.linspace(0.9, 1.1, 200):
        assert table(np.full(4, error)) == pytest.approx(np.full(4, 1 / (1 + error)), abs=1e-6)
    assert len(asked) < 12


def test_predictions_are_the_exact_ones() -> None:
    """The figures and bounds of W against the formulas, one size at a time."""
    cubes = [
        as_cube(one)
        for one in population(np.random.default_rng(2), models=6).draw(np.random.default_rng(3), 20)
    ]
    part = crossed(cubes)
    found = study_components(part, Options(resamples=100))
    assert found is not None
    prediction = Prediction(found, pair_errors(part.cubes), "w", Options(resamples=100))
    for k, n in ((1, 5), (3, 50), (100, 5000), (7, np.inf)):
        error = relative_error(found.draws, k, n)
        exact = np.quantile(expected_w(prediction.drawn, error, prediction.pairs), [0.025, 0.975])
        figure = prediction.figure(k, n)
        assert [figure["low"], figure["high"]] == pytest.approx(list(exact), abs=1e-5)
        mean = expected_w(prediction.spacings, relative_error(found.estimates, k, n), prediction.pairs).mean()
        assert prediction.value(k, n) == pytest.approx(float(mean), abs=1e-6)
