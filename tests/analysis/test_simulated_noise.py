"""Robustness without noise on simulated studies: flips alone are no effect, planted effects come back."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from torr_plugin.analysis.cube import Cube
from torr_plugin.analysis.noise import ReplicatedCells, changed_shares, noise_free_robustness, noise_terms
from torr_plugin.core.statistics import score_bounds

pytestmark = pytest.mark.release


def studies(
    count: int, shape: tuple[int, int], *, tables: int, flips: float, effect: float, icc: float, seed: int = 0
) -> tuple[Cube, ReplicatedCells]:
    """Many studies of one model each, as the models of one cube, with 10 % of the cells (100) asked again.

    A configuration changes an example's answer with the probability ``effect``, which differs between tables
    (beta distributed, with the intraclass correlation ``icc``); every asking flips it with ``flips``.
    """
    rng = np.random.default_rng(seed)
    configurations, examples = shape
    clusters = rng.permutation(np.arange(examples) % tables)
    chance = np.full((count, tables), effect)
    if effect and icc:
        scale = 1 / icc - 1
        chance = rng.beta(effect * scale, (1 - effect) * scale, (count, tables))
    right = rng.random((count, 1, examples)) < 0.6
    truth = right ^ (rng.random((count, *shape)) < chance[:, None, clusters])
    asked = rng.permutation(configurations * examples)[: max(100, configurations * examples // 10)]
    config, example = np.divmod(np.sort(asked), examples)
    first = truth ^ (rng.random(truth.shape) < flips)
    again = truth[:, config, example] ^ (rng.random((count, len(asked))) < flips)
    labels = (tuple(f"{kind}{i}" for i in range(n)) for kind, n in zip("mce", truth.shape, strict=True))
    cube = Cube("d", "em", *labels, scores=first.astype(float), parts={}, clusters=clusters)
    return cube, ReplicatedCells(config, example, again.astype(float))


def planted(effect: float, flips: float, icc: float) -> float:
    """phi: of the expected scores, which flips pull together."""
    disagreement = 2 * effect * (1 - effect) * (1 - icc)
    return disagreement * (1 - 2 * flips) ** 2


def coverage(found: tuple[np.ndarray, ...], truth: float) -> float:
    _, low, high = found
    return float(((low <= truth) & (truth <= high)).mean())


@pytest.mark.parametrize("flips", [0.01, 0.02, 0.05])
@pytest.mark.parametrize("configurations", [5, 35])
def test_a_format_blind_model_is_perfectly_robust(flips: float, configurations: int) -> None:
    made = studies(1000, (configurations, 100), tables=100, flips=flips, effect=0, icc=0)
    found = noise_free_robustness([noise_terms(*made)], 0.95)
    assert found[0].mean() == pytest.approx(1.0, abs=0.004)
    assert 0.93 <= coverage(found, 1.0) <= 0.97
    large = studies(1, (35, 3000), tables=3000, flips=flips, effect=0, icc=0)
    assert noise_free_robustness([noise_terms(*large)], 0.95)[0][0] == pytest.approx(1.0, abs=0.01)


@pytest.mark.parametrize("flips", [0.0, 0.02, 0.05])
@pytest.mark.parametrize("effect", [0.05, 0.2])
@pytest.mark.parametrize(("tables", "icc"), [(100, 0.0), (50, 0.06), (25, 0.2)])
def test_planted_effects_come_back_and_are_covered(
    flips: float, effect: float, tables: int, icc: float
) -> None:
    made = studies(1000, (7, 100), tables=tables, flips=flips, effect=effect, icc=icc)
    found, truth = noise_free_robustness([noise_terms(*made)], 0.95), planted(effect, flips, icc)
    assert 1 - found[0].mean() == pytest.approx(truth, rel=0.1)
    most = 0.97 if flips else 0.995  # without a flip seen, nobody knows that there are none
    assert 0.93 <= coverage(found, 1 - truth) <= most


def test_scattered_holes_change_nothing() -> None:
    cube, again = studies(1000, (7, 100), tables=50, flips=0.05, effect=0.05, icc=0.06)
    rng = np.random.default_rng(1)
    lost = np.where(rng.random(cube.scores.shape[1:]) < 0.2, np.nan, 0.0)
    holed = replace(cube, scores=cube.scores + lost)
    second = replace(again, scores=np.where(rng.random(again.scores.shape) < 0.2, np.nan, again.scores))
    found, truth = noise_free_robustness([noise_terms(holed, second)], 0.95), planted(0.05, 0.05, 0.06)
    assert 1 - found[0].mean() == pytest.approx(truth, rel=0.1)
    assert 0.93 <= coverage(found, 1 - truth) <= 0.97


@pytest.mark.parametrize("flips", [0.01, 0.05])
@pytest.mark.parametrize("datasets", [3, 10])
@pytest.mark.parametrize(("tables", "icc"), [(100, 0.0), (25, 0.2)])
def test_the_mean_over_data_sets_is_covered(datasets: int, flips: float, tables: int, icc: float) -> None:
    made = [
        studies(1000, (7, 100), tables=tables, flips=flips, effect=0.05, icc=icc, seed=d)
        for d in range(datasets)
    ]
    found = noise_free_robustness([noise_terms(*each) for each in made], 0.95)
    assert 0.93 <= coverage(found, 1 - planted(0.05, flips, icc)) <= 0.98


@pytest.mark.parametrize("flips", [0.01, 0.05])
def test_the_share_of_changed_answers_is_covered(flips: float) -> None:
    cube, again = studies(1000, (7, 100), tables=50, flips=flips, effect=0.1, icc=0.06)
    found = changed_shares(cube, again)
    truth = 2 * flips * (1 - flips)
    assert found.mean.mean() == pytest.approx(truth, rel=0.05)
    assert 0.93 <= coverage((found.mean, *score_bounds([found], 0.95)), truth) <= 0.97
