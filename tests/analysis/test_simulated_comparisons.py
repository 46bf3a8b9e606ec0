"""Simulated studies whose examples share tables and lack scores: components, coefficient, tau-b and W.

A thousand studies a setting, truth known; ``test_simulated_studies`` and ``test_coverage_agreement`` have
those without holes and shared tables.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest

from tests.analysis.made import as_cube, study_of
from tests.analysis.slow_reference import slow_w
from tests.analysis.test_coverage_agreement import Setting, drawn_population, expected_scores, within
from tests.studies import BINARY, CONTINUOUS, Population, population, with_holes
from torr_plugin.analysis.decision import ratio, relative_error
from torr_plugin.analysis.figures.configuration_agreement import configuration_agreement
from torr_plugin.analysis.figures.dataset_agreement import dataset_agreement, kendall_tau_b
from torr_plugin.analysis.options import Options
from torr_plugin.analysis.variance_components import (
    MODEL,
    MODEL_CONFIGURATION,
    MODEL_EXAMPLE,
    RESIDUAL,
    Components,
    anova,
    dataset_components,
)

SHAPE = (6, 6)  # models, configurations
SPREAD = replace(CONTINUOUS, model=0.06)
ERRORS = (MODEL, MODEL_CONFIGURATION, MODEL_EXAMPLE, RESIDUAL)


@dataclass(frozen=True)
class Design:
    """Tables, questions about each, their intraclass correlation; shares of failed and of asked cells."""

    tables: int
    questions: int = 1
    icc: float = 0.0
    failed: float = 0.0
    asked: float = 1.0

    def scores(self, studied: Population, rng: np.random.Generator) -> list[np.ndarray]:
        scores = studied.draw(rng, self.tables * self.questions, per_table=self.questions, icc=self.icc)
        if not self.failed and self.asked == 1:
            return scores
        return [with_holes(one, rng, self.failed, self.asked) for one in scores]


def truth(models: Population, design: Design) -> dict[str, np.ndarray]:
    """Components of examples are those of an example in a mean: times the design effect."""
    effect = 1 + (design.questions - 1) * design.icc
    found = {
        MODEL: models.model[0].var(ddof=1),
        MODEL_CONFIGURATION: SPREAD.model_configuration**2,
        MODEL_EXAMPLE: SPREAD.model_example**2 * effect,
        RESIDUAL: SPREAD.residual**2,
    }
    return {name: np.asarray(value) for name, value in found.items()}


def components_of(scores: np.ndarray, design: Design, rng: np.random.Generator) -> Components:
    clusters = np.arange(scores.shape[2]) // design.questions
    return dataset_components(anova(scores, clusters), rng, 300)


def estimated(design: Design, studies: int) -> tuple[dict[str, float], float]:
    """How many standard errors the mean of each component is off, and the coverage of the coefficient."""
    rng = np.random.default_rng(15)
    models = population(rng, models=SHAPE[0], configurations=SHAPE[1], kind="unbounded", spread=SPREAD)
    true, size = truth(models, design), (SHAPE[1], design.tables * design.questions)
    expected = float(ratio(true[MODEL], relative_error(true, *size)))
    estimates, held = [], []
    for _ in range(studies):
        (scores,) = design.scores(models.with_fresh_configurations(rng, SHAPE[1]), rng)
        found = components_of(scores, design, rng)
        estimates.append([float(found.estimates[name]) for name in ERRORS])
        low, high = np.quantile(ratio(found.draws[MODEL], found.error_draws), [0.025, 0.975])
        held.append(low <= expected <= high)
    table = np.array(estimates)
    errors = table.std(axis=0) / np.sqrt(studies)
    off = {name: float((table[:, i].mean() - true[name]) / errors[i]) for i, name in enumerate(ERRORS)}
    return off, float(np.mean(held))


DESIGNS = {
    "tables": Design(24, 5, 0.2),
}


@pytest.mark.release
@pytest.mark.parametrize("name", DESIGNS)
def test_components_are_unbiased_and_the_coefficient_is_covered(name: str) -> None:
    off, held = estimated(DESIGNS[name], 1000)
    assert max(map(abs, off.values())) < 4, off
    assert 0.93 <= held <= 0.985, held  # with few tables a little too often


def test_components_quickly() -> None:
    off, held = estimated(DESIGNS["tables"], 60)
    assert max(map(abs, off.values())) < 4.5, off
    assert held >= 0.85


AGREEMENT = {
    "binary, so with ties": (Setting(8, 6, 0, "binary", BINARY), Design(40, 3, 0.2, failed=0.05, asked=0.9)),
    "continuous": (Setting(8, 6, 0, "continuous", CONTINUOUS), Design(40, 3, 0.06, failed=0.02)),
}


def covered(name: str, studies: int, seed: int = 1) -> dict[str, float]:
    """The share of studies whose intervals of tau-b, W and overall W hold the truth."""
    setting, design = AGREEMENT[name]
    rows = []
    for study in range(studies):
        rng = np.random.default_rng([seed, study])
        studied = drawn_population(setting, rng)
        expected = expected_scores(studied)
        clusters = np.arange(design.tables * design.questions) // design.questions
        cubes = [as_cube(own, f"d{d}", clusters) for d, own in enumerate(design.scores(studied, rng))]
        known = study_of(cubes, Options(resamples=200, seed=study))
        agreement, concordance = dataset_agreement(known), configuration_agreement(known)
        both, one = concordance["overall"], concordance["d0"]
        rows.append(
            [
                within(tau_of(expected), agreement.low[0][1], agreement.high[0][1]),
                within(slow_w(expected[0, :, : one.raters].T), one.low, one.high),
                within(slow_w(expected.mean(axis=0)[:, : both.raters].T), both.low, both.high),
            ]
        )
    return dict(zip(("tau", "w", "overall w"), np.mean(rows, axis=0).tolist(), strict=True))


def tau_of(expected: np.ndarray) -> float:
    return float(kendall_tau_b(*expected.mean(axis=2)))


@pytest.mark.release
@pytest.mark.parametrize("name", AGREEMENT)
def test_agreement_is_covered_within_two_points(name: str) -> None:
    shares = covered(name, 1000)
    assert all(0.93 <= share <= 0.97 for share in shares.values()), shares
