"""Variance components with holes: those of the analysis of variance without, unbiased with them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from torr_plugin.analysis.unbalanced_components import henderson_components
from torr_plugin.analysis.variance_components import COMPONENTS, anova, components, values

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
