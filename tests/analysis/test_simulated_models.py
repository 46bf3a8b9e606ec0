"""Score intervals, ranks and tiers hold at their stated rates: 1,000 studies each, on tables, with holes."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pytest
from scipy.special import beta as beta_function

from tests.analysis.test_simultaneous_ranks import separated_in
from torr_plugin.analysis.rarefaction import example_rarefied_robustness
from torr_plugin.analysis.simultaneous_ranks import rank_bounds, tiers
from torr_plugin.analysis.statistics import example_means, example_robustness
from torr_plugin.core.statistics import ClusteredMeans, clustered_means, score_bounds

STUDIES, CONFIGURATIONS = 1000, 7
STATISTICS = {
    "performance": example_means,
    "robustness": example_robustness,
    "robustness_5": example_rarefied_robustness,
}


def drawn(
    rng: np.random.Generator, p: float, examples: int, per_table: int, correlation: float
) -> tuple[np.ndarray, np.ndarray]:
    """Right and wrong answers, (studies x configurations x examples), and the examples' tables.

    Each table has a rate, of mean p, that correlates its examples; an example has its own around it.
    """
    clusters = np.arange(examples) // per_table
    shape = (STUDIES, int(clusters.max()) + 1)
    size = 1 / correlation - 1 if correlation else 0.0
    of_tables = rng.beta(p * size, (1 - p) * size, shape) if size else np.full(shape, p)
    rates = np.clip(of_tables[:, clusters], 1e-9, 1 - 1e-9)
    rates = rng.beta(2 * rates, 2 * (1 - rates))
    return (rng.random((CONFIGURATIONS, *rates.shape)) < rates).transpose(1, 0, 2).astype(float), clusters


def truths(p: float) -> dict[str, float]:
    """The means of examples without tables, whose rates are beta distributed with 2 p and 2 (1 - p)."""

    def alike(k: int) -> float:
        a, b = 2 * p, 2 * (1 - p)
        return float((beta_function(a + k, b) + beta_function(a, b + k)) / beta_function(a, b))

    return {"performance": p, "robustness": alike(CONFIGURATIONS), "robustness_5": alike(5)}


def coverage(parts: Iterable[ClusteredMeans], truth: float) -> float:
    low, high = score_bounds(list(parts), 0.95)
    return float(((low <= truth + 1e-12) & (truth <= high + 1e-12)).mean())


@pytest.mark.release
@pytest.mark.parametrize(
    ("examples", "datasets", "p"),
    [
        *((n, d, p) for n, d in ((20, 10), (100, 10), (1000, 1)) for p in (0.5, 0.8, 0.95, 0.99)),
        *((100, 1, p) for p in (0.5, 0.8, 0.95)),
    ],
)
def test_score_intervals_cover_at_their_rate(examples: int, datasets: int, p: float) -> None:
    rng, found = np.random.default_rng(1), {name: [] for name in STATISTICS}  # type: ignore[var-annotated]
    for _ in range(datasets):
        scores, clusters = drawn(rng, p, examples, 1, 0.0)
        for name, statistic in STATISTICS.items():
            found[name].append(clustered_means(statistic(scores), clusters))
    for name, parts in found.items():
        assert coverage(parts, truths(p)[name]) == pytest.approx(0.95, abs=0.03), name


@pytest.mark.release
@pytest.mark.parametrize("correlation", [0.06, 0.2])
@pytest.mark.parametrize(("examples", "datasets"), [(100, 10), (1000, 1)])
@pytest.mark.parametrize("p", [0.5, 0.8, 0.95])
def test_they_cover_where_tables_are_shared(
    correlation: float, examples: int, datasets: int, p: float
) -> None:
    rng = np.random.default_rng(2)
    parts = [
        clustered_means(example_means(s), c)
        for s, c in (drawn(rng, p, examples, 5, correlation) for _ in range(datasets))
    ]
    assert coverage(parts, p) == pytest.approx(0.95, abs=0.025)
    unclustered = [
        clustered_means(example_means(s), np.arange(examples))
        for s, _ in (drawn(rng, p, examples, 5, correlation) for _ in range(datasets))
    ]
    if correlation == 0.2:
        assert coverage(unclustered, p) < 0.92


@pytest.mark.release
def test_they_cover_less_where_hardly_any_example_is_short_of_the_others() -> None:
    """About three of 100 examples, by unequal amounts."""
    scores, clusters = drawn(np.random.default_rng(1), 0.99, 100, 1, 0.0)
    assert 0.86 < coverage([clustered_means(example_means(scores), clusters)], 0.99) < 0.94


@pytest.mark.release
@pytest.mark.parametrize("p", [0.5, 0.95])
def test_answers_that_fail_at_random_change_nothing_and_hard_ones_do(p: float) -> None:
    rng = np.random.default_rng(3)
    scores, clusters = drawn(rng, p, 100, 5, 0.06)
    at_random = np.where(rng.random(scores.shape) < 0.1, np.nan, scores)
    assert coverage([clustered_means(example_means(at_random), clusters)], p) == pytest.approx(
        0.95, abs=0.025
    )
    hard = np.where((scores == 0) & (rng.random(scores.shape) < 0.5), np.nan, scores)
    assert coverage([clustered_means(example_means(hard), clusters)], p) < 0.85, "no interval knows of these"


EQUAL, TIES, NEAR = np.full(6, 0.6), np.array([0.8, 0.6, 0.6, 0.6, 0.3]), np.linspace(0.6, 0.62, 6)
KINDS = [
    {"examples": 20},
    {"examples": 100},
    {"examples": 60, "per_table": 3},
    {"examples": 20, "configurations": 1},
    {"examples": 60, "per_table": 3, "configurations": 3},
    {"examples": 20, "datasets": 3, "configurations": 1},
]


@pytest.mark.release
@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize("truth", [EQUAL, np.full(14, 0.6), TIES, NEAR], ids=["6", "14", "ties", "near"])
def test_the_ranks_of_all_models_hold_at_once(truth: np.ndarray, kind: dict[str, int]) -> None:
    rng, held, apart = np.random.default_rng(4), [], []
    first = 1 + (truth > truth[:, None]).sum(axis=1)
    last = (truth >= truth[:, None]).sum(axis=1)
    for _ in range(STUDIES):
        better = separated_in(rng, truth, resamples=250, **kind)
        low, high = rank_bounds(better).T
        held.append(((low <= first) & (high >= last)).all())
        apart.append((better & (truth[:, None] == truth)).any())
        if not better.any():
            assert len(tiers(range(len(truth)), better)) == 1
    assert np.mean(held) >= 0.95 - 2 * np.sqrt(0.05 * 0.95 / STUDIES)
    assert np.mean(apart) <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / STUDIES)
