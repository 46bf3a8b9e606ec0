"""500 simulated studies with known truth: intervals of performance and robustness cover, ranks are sane."""

from __future__ import annotations

import numpy as np
import pytest

from torr_plugin.analysis.estimates import Estimate, MeanOfEstimates, estimates
from torr_plugin.analysis.options import Options
from torr_plugin.analysis.statistics import rank_intervals

from .simulated import Kind, Population, population
from .test_generalizability import as_cube

FIGURES = ("performance", "robustness", "worst", "best")
MODELS, CONFIGURATIONS, EXAMPLES, DATASETS = 6, 7, 100, 2


def coverage(kind: Kind, studies: int, resamples: int) -> dict[str, float]:
    """Figure, per data set and overall, and ``ranks`` -> share of intervals that hold the truth."""
    rng = np.random.default_rng(2024)
    models = population(rng, models=MODELS, configurations=CONFIGURATIONS, datasets=DATASETS, kind=kind)
    truth = models.truth(rng, 400_000)
    hits: dict[str, list[np.ndarray]] = {}
    for study in range(studies):
        options = Options(resamples=resamples, seed=study)
        found = _study(models, rng, options)
        for name in FIGURES:
            own = [_holds(one, truth[name][d], options) for d, one in enumerate(found[name][:-1])]
            hits.setdefault(f"{name} per data set", []).append(np.concatenate(own))
            overall = _holds(found[name][-1], truth[name].mean(axis=0), options)
            hits.setdefault(f"{name} overall", []).append(overall)
        low, high = rank_intervals(found["performance"][-1].samples, options.level).T
        places = 1 + np.argsort(np.argsort(-truth["performance"].mean(axis=0)))
        hits.setdefault("ranks", []).append((low <= places) & (places <= high))
        hits.setdefault("rank width", []).append(high - low)
    return {name: float(np.mean(all_)) for name, all_ in hits.items()}


def _study(models: Population, rng: np.random.Generator, options: Options) -> dict[str, list[Estimate]]:
    """Each figure per data set, and overall as the last."""
    parts = [estimates(as_cube(one, f"d{d}"), options) for d, one in enumerate(models.draw(rng, EXAMPLES))]
    found: dict[str, list[Estimate]] = {}
    for name in FIGURES:
        total = MeanOfEstimates()
        for part in parts:
            total.add(part[name])
        found[name] = [*(part[name] for part in parts), total.mean()]
    return found


def _holds(estimate: Estimate, truth: np.ndarray, options: Options) -> np.ndarray:
    low, high = estimate.bounds(options.level)
    return (low <= truth) & (truth <= high)


@pytest.mark.simulation
@pytest.mark.parametrize("kind", ["binary", "continuous"])
def test_intervals_cover_at_their_rate(kind: Kind) -> None:
    found = coverage(kind, 500, 1000)
    for name in ("performance", "robustness"):
        for place in ("per data set", "overall"):
            assert found[f"{name} {place}"] == pytest.approx(0.95, abs=0.02), (name, place, found)
    # shares near 0 and 1, as worst and best are of right and wrong answers, are known to be covered less
    # well by percentile intervals of 100 examples (Brown, Cai and DasGupta 2001)
    assert min(found["worst overall"], found["best overall"]) >= 0.89
    assert found["ranks"] >= 0.95, "places are whole numbers, so their intervals are on the safe side"
    assert found["rank width"] < MODELS / 2


@pytest.mark.parametrize("kind", ["binary", "continuous"])
def test_intervals_cover_quickly(kind: Kind) -> None:
    """40 studies of 24 intervals: far from exact, but a wrong formula would show."""
    found = coverage(kind, 40, 200)
    for name in ("performance per data set", "robustness per data set"):
        assert 0.88 <= found[name] <= 1, found
