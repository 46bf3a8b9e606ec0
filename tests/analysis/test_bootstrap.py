"""Intervals against scipy's bootstrap, a plain loop, and the truth."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from tests.analysis.made import as_cube
from torr_plugin.analysis.bootstrap import percentile_bounds, resample_counts, resampled_means
from torr_plugin.analysis.estimates import estimates, overall_estimates, resampled
from torr_plugin.analysis.options import Options
from torr_plugin.analysis.statistics import example_means
from torr_plugin.core import statistics
from torr_plugin.core.seeds import generator


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.Generator(np.random.PCG64(seed))


def test_the_interval_is_scipys_from_the_same_draws() -> None:
    values = rng(1).random(40)
    ours = percentile_bounds(resampled_means(values[None], np.arange(40), rng(7), 2000), 0.9)
    scipys = stats.bootstrap(
        (values,), np.mean, n_resamples=2000, confidence_level=0.9, method="percentile", random_state=rng(7)
    ).confidence_interval
    assert (ours[0][0], ours[1][0]) == pytest.approx(tuple(scipys), abs=1e-12)


def test_resampled_means_with_holes_as_a_plain_loop() -> None:
    values = rng(2).random((3, 9))
    values[0, 4] = values[2, :8] = np.nan
    found = resampled_means(values, np.arange(9), rng(5), 50)
    draws = rng(5).integers(9, size=(50, 9))
    for row in range(3):
        for k, drawn in enumerate(draws):
            known = [values[row, e] for e in drawn if not np.isnan(values[row, e])]
            assert found[row, k] == pytest.approx(np.mean(known) if known else np.nan, nan_ok=True)
    assert np.isnan(found[2]).any(), "some resamples hold no example with a value"
    assert not np.isnan(percentile_bounds(found, 0.95)).any()


def test_memory_is_bounded_and_the_draws_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    values = rng(3).random((2, 11))
    whole = resampled_means(values, np.arange(11), rng(4), 100)
    monkeypatch.setattr(statistics, "_DRAWS_AT_ONCE", 50)
    assert max(len(counts) for counts in resample_counts(rng(4), 11, 100)) == 4
    np.testing.assert_allclose(resampled_means(values, np.arange(11), rng(4), 100), whole)


def test_counts_are_draws_with_replacement() -> None:
    counts = np.concatenate(list(resample_counts(rng(), 5, 4000)))
    assert (counts.sum(axis=1) == 5).all()
    # each is Binomial(5, 1/5): mean 1, variance 0.8
    np.testing.assert_allclose(counts.mean(axis=0), 1.0, atol=0.06)
    np.testing.assert_allclose(counts.var(axis=0), 0.8, atol=0.08)


def test_generators_are_apart() -> None:
    first = generator(0, "examples", "a").random(3)
    assert (first == generator(0, "examples", "a").random(3)).all()
    for other in (generator(1, "examples", "a"), generator(0, "examples", "b"), generator(0, "examplesa")):
        assert (first != other.random(3)).any()


@pytest.mark.full
def test_intervals_cover_the_truth_about_as_often_as_they_say() -> None:
    """Two data sets of Bernoulli scores with known means; 300 studies, 90 % intervals overall."""
    draw, studies, covered = rng(10), 300, 0
    truth = (0.3 + 0.6) / 2
    for _ in range(studies):
        cubes = [
            as_cube((draw.random((1, 1, 60)) < p).astype(float), name) for p, name in ((0.3, "a"), (0.6, "b"))
        ]
        overall = overall_estimates([estimates(cube) for cube in cubes])
        low, high = (float(bound[0]) for bound in overall["performance"].bounds(0.9))
        covered += low <= truth <= high
    # four standard errors around 0.9
    assert covered / studies == pytest.approx(0.9, abs=0.07)


def test_models_share_their_resamples() -> None:
    """Two models that differ by a constant keep that difference in every resample."""
    scores = rng(11).random((1, 3, 20)) * 0.5
    cube = as_cube(np.concatenate([scores, scores + 0.25]), "d")
    first, second = resampled(example_means(cube.scores), cube, Options())
    assert second - first == pytest.approx(0.25)


def test_whole_tables_are_drawn_as_a_plain_loop() -> None:
    values, clusters = rng(8).random((2, 7)), np.array([0, 1, 0, 2, 2, 2, 3])
    values[1, 5] = np.nan
    found = resampled_means(values, clusters, rng(9), 40)
    for k, drawn in enumerate(rng(9).integers(4, size=(40, 4))):
        for row in range(2):
            examples = [e for table in drawn for e in np.flatnonzero(clusters == table)]
            known = [values[row, e] for e in examples if not np.isnan(values[row, e])]
            assert found[row, k] == pytest.approx(np.mean(known))
