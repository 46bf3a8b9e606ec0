"""Intervals of variance components and of the coefficient, and a budget's predictions, against the truth."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from torr_plugin.analysis.budget import MEASURES, Prediction
from torr_plugin.analysis.complete import balanced
from torr_plugin.analysis.decision import coefficient, ratio
from torr_plugin.analysis.figures.generalizability import study_components
from torr_plugin.analysis.options import Options
from torr_plugin.analysis.variance_components import COMPONENTS, MODEL, Components

from .simulated import Kind, Population, population
from .simulated_reliability import shown
from .test_generalizability import as_cube

ERRORS = ("model", "model:configuration", "model:example", "residual")
"""The components that decide how reliable a ranking is."""


def pilot(models: Population, rng: np.random.Generator, size: tuple[int, int], seed: int) -> Components:
    """The components of a study with fresh configurations and examples."""
    scores = models.with_fresh_configurations(rng, size[0]).draw(rng, size[1])
    options = Options(resamples=400, seed=seed)
    found = study_components(balanced([as_cube(one, f"d{d}") for d, one in enumerate(scores)]), options)
    assert found is not None
    return found


def truth(models: Population, rng: np.random.Generator) -> Mapping[str, np.ndarray]:
    """The components of these models, with errors far below a study's: the mean over large studies."""
    large = [pilot(models, rng, (120, 1000), 0).estimates for _ in range(8)]
    return {name: np.mean([one[name] for one in large], axis=0) for name in COMPONENTS}


def coverage(models: Population, size: tuple[int, int], studies: int) -> dict[str, float]:
    rng = np.random.default_rng(5)
    true = truth(models, rng)
    hits: dict[str, list[bool]] = {name: [] for name in (*COMPONENTS, "coefficient")}
    for study in range(studies):
        found = pilot(models, rng, size, study)
        for name in COMPONENTS:
            hits[name].append(_holds(found.draws[name], true[name]))
        own = ratio(found.draws[MODEL], found.error_draws)
        hits["coefficient"].append(_holds(own, coefficient(true, *size)))
    return {name: float(np.mean(all_)) for name, all_ in hits.items()}


def _holds(draws: np.ndarray, value: np.ndarray) -> bool:
    low, high = np.quantile(draws, [0.025, 0.975])
    return bool(low <= float(value) <= high)


@pytest.mark.simulation
@pytest.mark.parametrize(
    ("kind", "datasets", "size"),
    [
        ("unbounded", 1, (10, 50)),
        ("binary", 1, (10, 50)),
        ("continuous", 1, (10, 50)),
        ("binary", 1, (3, 100)),
        ("binary", 3, (8, 40)),
    ],
)
def test_intervals_of_components_cover(kind: Kind, datasets: int, size: tuple[int, int]) -> None:
    rng = np.random.default_rng(6)
    models = population(rng, models=8, configurations=size[0], datasets=datasets, kind=kind)
    found = coverage(models, size, 500)
    assert found["coefficient"] == pytest.approx(0.95, abs=0.025), found
    for name in ERRORS[:-1]:
        assert found[name] == pytest.approx(0.95, abs=0.03), (name, found)
    # the residual of right and wrong answers varies between configurations, of which three say little; it is
    # known so exactly that this hardly touches the coefficient
    assert min(found.values()) >= 0.89, found


def predictions(kind: Kind, datasets: int, pilots: int, seed: int) -> list[dict[str, float]]:
    """For each measure and size: what is true, the mean prediction, and how often the interval holds it."""
    rng = np.random.default_rng(seed)
    models = population(rng, models=8, configurations=8, datasets=datasets, kind=kind)
    found = [pilot(models, rng, (8, 40), study) for study in range(pilots)]
    rows = []
    for size in ((1, 100), (7, 22), (20, 80)):
        true = shown(models, rng, *size, studies=400)
        for measure in MEASURES:
            told = [Prediction(one, measure, Options(seed=i)).figure(*size) for i, one in enumerate(found)]  # type: ignore[arg-type]
            held = np.mean([one["low"] <= true[measure] <= one["high"] for one in told])
            mean = float(np.mean([one["value"] for one in told]))
            rows.append({"true": true[measure], "predicted": mean, "held": float(held)})
    return rows


@pytest.mark.simulation
@pytest.mark.parametrize(
    ("kind", "datasets", "seed"), [("binary", 1, 1), ("continuous", 1, 2), ("binary", 3, 3)]
)
def test_a_budget_predicts_what_larger_studies_show(kind: Kind, datasets: int, seed: int) -> None:
    """170 pilots each of 8 configurations and 40 examples; truth from 400 studies of each other size."""
    for row in predictions(kind, datasets, 170, seed):
        assert row["predicted"] == pytest.approx(row["true"], abs=0.04), row
        assert row["held"] >= 0.9, row


def test_intervals_of_components_cover_quickly() -> None:
    models = population(np.random.default_rng(6), models=8, configurations=6, kind="binary")
    found = coverage(models, (6, 30), 40)
    assert min(found[name] for name in (*ERRORS, "coefficient")) >= 0.82, found
