"""The intervals of tau-b and W cover at their level: 500 simulated studies a setting, truth known."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import pytest
from scipy import stats

from tests.analysis.made import as_cube, study_of
from tests.analysis.slow_reference import slow_w
from tests.studies import BINARY, CONTINUOUS, Kind, Population, Spread, population
from torr_plugin.analysis.figures.configuration_agreement import configuration_agreement
from torr_plugin.analysis.figures.dataset_agreement import dataset_agreement, kendall_tau_b
from torr_plugin.analysis.options import Options


@dataclass(frozen=True)
class Setting:
    """A size and make of study."""

    models: int
    configurations: int
    examples: int
    kind: Kind
    spread: Spread
    mean: float | None = None


def _closer(spread: Spread) -> Spread:
    """Models and their interactions with configurations half as far apart."""
    return replace(
        spread, model=spread.model / 2, model_configuration=spread.model_configuration / 2, dataset=0.3
    )


SETTINGS = {
    "binary": Setting(14, 10, 100, "binary", BINARY),
    "binary, close models": Setting(12, 10, 100, "binary", _closer(BINARY)),
    "binary, hard": Setting(10, 10, 100, "binary", BINARY, mean=-1.5),
    "continuous": Setting(10, 8, 100, "continuous", CONTINUOUS),
    "continuous, close models": Setting(8, 8, 60, "continuous", _closer(CONTINUOUS), mean=0.35),
    "all configurations": Setting(14, 35, 100, "binary", BINARY),
}


def expected_scores(studied: Population) -> np.ndarray:
    """What endless examples would give, (data sets x models x configurations), in closed form."""
    given = studied.model[:, :, None] + studied.configuration[:, None] + studied.model_configuration
    own = studied.spread
    sd = np.sqrt(own.example**2 + own.model_example**2 + own.configuration_example**2 + own.residual**2)
    centre = studied.mean + given
    if studied.kind == "binary":
        return np.asarray(stats.norm.cdf(centre / sd))
    low, high = -centre / sd, (1 - centre) / sd
    inside = stats.norm.cdf(high) - stats.norm.cdf(low)
    edge = stats.norm.pdf(low) - stats.norm.pdf(high)
    return np.asarray(centre * inside + sd * edge + stats.norm.sf(high))


def covered(setting: Setting, studies: int, seed: int, resamples: int = 400) -> dict[str, float]:
    """The share of studies whose 95 % intervals of tau-b, W and overall W hold the truth."""
    hits = [list(row) for row in _hits(setting, studies, seed, resamples)]
    return dict(zip(("tau", "w", "overall w"), np.mean(hits, axis=0).tolist(), strict=True))


def _hits(setting: Setting, studies: int, seed: int, resamples: int) -> Iterator[tuple[bool, bool, bool]]:
    for study in range(studies):
        rng = np.random.default_rng([seed, study])
        studied = drawn_population(setting, rng)
        yield hits(studied, rng, setting.examples, Options(resamples=resamples, seed=study))


def drawn_population(setting: Setting, rng: np.random.Generator) -> Population:
    """New models and configurations on two data sets."""
    return population(
        rng,
        models=setting.models,
        configurations=setting.configurations,
        datasets=2,
        kind=setting.kind,
        spread=setting.spread,
        mean=setting.mean,
    )


def hits(
    studied: Population, rng: np.random.Generator, examples: int, options: Options
) -> tuple[bool, bool, bool]:
    """Whether one study's intervals of tau-b, the first data set's W and the overall W hold the truth."""
    truth = expected_scores(studied)
    cubes = [as_cube(scores, f"d{d}") for d, scores in enumerate(studied.draw(rng, examples))]
    study = study_of(cubes, options)
    agreement = dataset_agreement(study)
    tau = float(kendall_tau_b(*truth.mean(axis=2)))
    concordance = configuration_agreement(study)
    one, both = concordance["d0"], concordance["overall"]
    return (
        within(tau, agreement.low[0][1], agreement.high[0][1]),
        within(slow_w(truth[0].T), one.low, one.high),
        within(slow_w(truth.mean(axis=0).T), both.low, both.high),
    )


def within(truth: float, low: float | None, high: float | None) -> bool:
    """Whether an interval holds the truth, but for rounding."""
    assert low is not None
    assert high is not None
    return low - 1e-9 <= truth <= high + 1e-9


@pytest.mark.release
@pytest.mark.parametrize("name", SETTINGS)
def test_intervals_cover_within_two_points(name: str) -> None:
    shares = covered(SETTINGS[name], studies=500, seed=1)
    for figure, share in shares.items():
        assert 0.93 <= share <= 0.97, f"{figure} on {name}: {shares}"
