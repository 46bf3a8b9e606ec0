"""Variance components with holes: those of the analysis of variance without, unbiased with them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from torr_plugin.analysis.unbalanced_components import (
    example_numbers,
    filled,
    henderson_components,
    holed_components,
)
from torr_plugin.analysis.variance_components import (
    COMPONENTS,
    anova,
    components,
    dataset_components,
    two_way_anova,
    values,
)

SPREADS = dict(zip(COMPONENTS, (0.3, 0.1, 0.4, 0.1, 0.3, 0.1, 0.3), strict=True))
SHAPE = (8, 6, 40)


def crossed(rng: np.random.Generator) -> np.ndarray:
    """Scores with the components ``SPREADS`` squared, (models x configurations x examples)."""
    m, c, e = SHAPE
    shapes = ((m, 1, 1), (1, c, 1), (1, 1, e), (m, c, 1), (m, 1, e), (1, c, e), SHAPE)
    effects = [sd * rng.normal(size=shape) for sd, shape in zip(SPREADS.values(), shapes, strict=True)]
    return 0.5 + sum(effects)


@given(st.integers(0, 1000))
def test_without_holes_as_the_analysis_of_variance(seed: int) -> None:
    scores = crossed(np.random.default_rng(seed))
    found = anova(scores)
    expected = {name: float(value) for name, value in components(values(found), found.shape).items()}
    assert henderson_components(scores) == pytest.approx(expected, abs=1e-12)


@pytest.mark.full
def test_with_holes_it_is_unbiased() -> None:
    rng, found = np.random.default_rng(0), []
    for _ in range(200):
        scores = crossed(rng)
        scores[rng.random(SHAPE) < 0.3] = np.nan
        found.append(list(henderson_components(scores).values()))
    mean, error = np.mean(found, axis=0), np.std(found, axis=0) / np.sqrt(len(found))
    assert (np.abs(mean - np.square(list(SPREADS.values()))) < 4 * error).all()


def test_a_hundredth_of_holes_leaves_all_examples() -> None:
    rng = np.random.default_rng(1)
    whole = crossed(rng)
    holed = np.where(rng.random(SHAPE) < 0.01, np.nan, whole)
    assert henderson_components(holed) == pytest.approx(henderson_components(whole), abs=0.02)


def test_components_that_cannot_be_told_apart_are_nan() -> None:
    nested = np.full((2, 2, 4), np.nan)  # each model in a configuration of its own
    nested[0, 0], nested[1, 1] = [0.0, 1.0, 0.0, 1.0], [1.0, 1.0, 0.0, 0.0]
    assert np.isnan(list(henderson_components(nested).values())).all()


@pytest.mark.full
def test_all_components_with_holes_are_unbiased() -> None:
    """Those of models and configurations are of the table of means, less what the examples add to it."""
    rng, found = np.random.default_rng(2), []
    for _ in range(25):
        scores = crossed(rng)
        scores[rng.random(SHAPE) < 0.3] = np.nan
        scores[2, 1, :25] = np.nan
        own = holed_components(scores, np.arange(SHAPE[2]), rng, 2)
        assert own is not None
        found.append([float(own.estimates[name]) for name in COMPONENTS])
    mean, error = np.mean(found, axis=0), np.std(found, axis=0) / np.sqrt(len(found))
    assert (np.abs(mean - np.square(list(SPREADS.values()))) < 4 * error).all()


def test_without_holes_the_table_of_means_gives_the_same() -> None:
    scores = crossed(np.random.default_rng(3))
    own = dataset_components(anova(scores), np.random.default_rng(0), 10)
    again = holed_components(scores, np.arange(SHAPE[2]), np.random.default_rng(0), 10)
    assert again is not None
    for name in COMPONENTS:
        assert float(again.estimates[name]) == pytest.approx(float(own.estimates[name]), abs=1e-12)
    assert float(again.error) == pytest.approx(float(own.error))
    np.testing.assert_array_equal(filled(scores), scores)


@pytest.mark.parametrize(
    ("component", "axes"),
    [
        ("example", (2,)),
        ("model:example", (0, 2)),
        ("configuration:example", (1, 2)),
        ("residual", (0, 1, 2)),
    ],
)
def test_what_examples_add_to_a_table_of_means_by_brute_force(component: str, axes: tuple[int, ...]) -> None:
    """Effects of variance 1, one at a time, through the cell means and their mean squares."""
    present = np.random.default_rng(4).random((3, 2, 5)) < 0.7
    present[:, :, 0] = True
    found = example_numbers(present)
    weights = present / present.sum(axis=2, keepdims=True)
    models, configurations, _ = present.shape
    expected = dict.fromkeys(["model", "configuration", "model:configuration"], 0.0)
    for level in np.ndindex(*(present.shape[axis] for axis in axes)):
        chosen = [slice(None)] * 3
        for axis, index in zip(axes, level, strict=True):
            chosen[axis] = slice(index, index + 1)
        effect = np.zeros(present.shape)
        effect[tuple(chosen)] = weights[tuple(chosen)]
        for name, square in two_way_anova(effect.sum(axis=2)).squares.items():
            expected[name] += square.value
    together = expected["model:configuration"]
    shares = {name: 1 / of[component] if component in of else 0.0 for name, of in found.items()}
    assert shares == pytest.approx(
        {
            "model": (expected["model"] - together) / configurations,
            "configuration": (expected["configuration"] - together) / models,
            "model:configuration": together,
        }
    )
