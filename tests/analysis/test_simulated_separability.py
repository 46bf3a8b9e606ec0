"""How often equal models are told apart, which must be as rarely as the level says."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from torr_plugin.analysis.bootstrap import percentile_bounds, resampled_means
from torr_plugin.analysis.figures.separability import separable, share_of_pairs
from torr_plugin.analysis.paired_tests import paired_share
from torr_plugin.analysis.statistics import example_means
from torr_plugin.core.seeds import generator

from .simulated import Kind, Spread, population

MODELS, CONFIGURATIONS, EXAMPLES = 6, 5, 100
INDEPENDENT = Spread(example=0.0, configuration_example=0.0)
SHARED = Spread(example=0.15, model_example=0.1, configuration_example=0.05, residual=0.1)


def false_claims(
    kind: Kind, spread: Spread | None, studies: int, datasets: int = 1, resamples: int = 1000
) -> tuple[float, float]:
    """Share of pairs with intervals apart; share of studies in which Holm finds any difference."""
    rng = np.random.default_rng(7)
    models = population(
        rng,
        models=MODELS,
        configurations=CONFIGURATIONS,
        datasets=datasets,
        kind=kind,
        spread=spread,
        equal_models=True,
    )
    known, apart, wrong = np.ones(MODELS, dtype=bool), [], 0
    for study in range(studies):
        means = [example_means(scores) for scores in models.draw(rng, EXAMPLES)]
        samples = np.mean(
            [resampled_means(m, generator(study, f"d{d}"), resamples) for d, m in enumerate(means)], axis=0
        )
        apart.append(share_of_pairs(separable(*percentile_bounds(samples, 0.95)), known))
        wrong += paired_share(means, known, 0.95) > 0
    return float(np.mean(apart)), wrong / studies


def rate_of_intervals_apart(correlation: float) -> float:
    """Two 95 % intervals of half-width 1.96 e are apart where the means differ by twice that.

    The difference has the standard deviation e sqrt(2 (1 - r)): 0.56 % of independent pairs, fewer of models
    that find the same examples hard. (A negative correlation would make it more.)
    """
    return float(2 * stats.norm.sf(2 * stats.norm.ppf(0.975) / np.sqrt(2 * (1 - correlation))))


def correlation(spread: Spread) -> float:
    """Of two models' means over configurations, example by example."""
    shared = spread.example**2 + spread.configuration_example**2 / CONFIGURATIONS
    return shared / (shared + spread.model_example**2 + spread.residual**2 / CONFIGURATIONS)


def test_the_rate_of_independent_pairs() -> None:
    assert rate_of_intervals_apart(0.0) == pytest.approx(0.0056, abs=0.0001)
    assert rate_of_intervals_apart(correlation(SHARED)) < 1e-4


@pytest.mark.simulation
@pytest.mark.parametrize(("kind", "datasets"), [("binary", 1), ("continuous", 1), ("binary", 3)])
def test_holm_finds_a_difference_in_one_study_of_twenty_at_most(kind: Kind, datasets: int) -> None:
    _, wrong = false_claims(kind, None, 500, datasets, resamples=20)
    assert wrong <= 0.05 + 2.5 * np.sqrt(0.05 * 0.95 / 500)


@pytest.mark.simulation
def test_intervals_of_equal_models_are_apart_at_the_rate_of_theory() -> None:
    apart, wrong = false_claims("unbounded", INDEPENDENT, 500)
    # percentile intervals of 100 examples are a little narrow
    assert apart == pytest.approx(rate_of_intervals_apart(0.0), abs=0.003)
    # Holm's bound is nearly reached: the tests are exact and the pairs many
    assert 0.01 <= wrong <= 0.05 + 2.5 * np.sqrt(0.05 * 0.95 / 500)


@pytest.mark.simulation
def test_intervals_of_models_that_err_alike_are_hardly_ever_apart() -> None:
    apart, _ = false_claims("unbounded", SHARED, 500)
    assert apart <= 0.001


def test_false_claims_quickly() -> None:
    apart, wrong = false_claims("binary", None, 60, resamples=200)
    assert apart <= 0.02
    assert wrong <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 60)
