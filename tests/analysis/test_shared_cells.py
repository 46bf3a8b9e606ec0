"""Differences over the cells that both models have."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tests.analysis.made import as_cube, overall_statistics, study_of
from torr_plugin.analysis.figures.pairs import SEPARABILITY, model_pairs
from torr_plugin.analysis.options import Options
from torr_plugin.analysis.statistics import STATISTICS, pair_differences

SCORES = arrays(float, (3, 4, 3), elements=st.sampled_from([0.0, 0.5, 1.0, np.nan]))


@given(SCORES)
def test_as_one_pair_and_example_at_a_time(scores: np.ndarray) -> None:
    upper = np.triu_indices(3, k=1)
    means, robustness = (
        pair_differences(scores, *upper, STATISTICS[name]) for name in ("performance", "robustness")
    )
    for pair, (first, second) in enumerate(combinations(range(3), 2)):
        for example in range(3):
            one, other = scores[first, :, example], scores[second, :, example]
            both = ~np.isnan(one) & ~np.isnan(other)
            if not both.any():
                assert np.isnan(means[pair, example])
                assert np.isnan(robustness[pair, example])
                continue
            assert means[pair, example] == pytest.approx(one[both].mean() - other[both].mean())
            assert robustness[pair, example] == pytest.approx(np.ptp(other[both]) - np.ptp(one[both]))


@given(arrays(float, (3, 7, 3), elements=st.sampled_from([0.0, 0.5, 1.0, 1.0, np.nan])))
def test_rarefied_robustness_as_one_pair_and_example_at_a_time(scores: np.ndarray) -> None:
    upper = np.triu_indices(3, k=1)
    found = pair_differences(scores, *upper, STATISTICS["robustness_5"])
    for pair, (first, second) in enumerate(zip(*upper, strict=True)):
        for example in range(3):
            one, other = scores[first, :, example], scores[second, :, example]
            both = ~np.isnan(one) & ~np.isnan(other)
            ranges = [
                [float(np.ptp(chosen)) for chosen in combinations(each[both], 5)] for each in (one, other)
            ]
            expected = np.mean(ranges[1]) - np.mean(ranges[0]) if both.sum() >= 5 else np.nan
            assert found[pair, example] == pytest.approx(expected, abs=1e-9, nan_ok=True)


def time_outs() -> np.ndarray:
    """Two models with equal scores; the second lost half of the cells of html, the first configuration.

    The others are all right on 366 of 1,000 examples, all wrong on 178, two of four right on the rest; html
    is right on 92 of the first and on 32 of the last.
    """
    one = np.zeros((5, 1000))
    one[1:, :366] = one[1:3, 544:] = 1
    one[0, :92] = one[0, 544:576] = 1
    scores = np.stack([one, one])
    scores[1, 0, ::2] = np.nan
    return scores


def test_a_lost_answer_makes_no_model_better() -> None:
    scores = time_outs()
    own = overall_statistics(scores)
    assert own["performance"] == pytest.approx([0.500, 0.547], abs=0.001), "averaged over what each has"
    assert own["robustness"] == pytest.approx([0.270, 0.407], abs=0.001)
    study = study_of([as_cube(scores)], Options(resamples=20))
    (pair,) = model_pairs(study)
    assert pair.robustness_5
    for own in (pair.performance.overall, pair.robustness.overall):
        assert (own.value, own.p, own.differs) == (0, 1, False)
        assert (own.low or 0.0) < 0
    assert SEPARABILITY.compute(study).overall.paired == 0


@given(st.integers(0, 10**6))
def test_identical_models_with_different_holes_are_never_separated(seed: int) -> None:
    rng = np.random.default_rng(seed)
    scores = np.repeat(np.round(rng.random((1, 6, 9)), 1), 3, axis=0)
    scores[rng.random(scores.shape) < rng.choice([0.05, 0.5])] = np.nan
    for name in ("performance", "robustness", "robustness_5"):
        differences = pair_differences(scores, *np.triu_indices(3, k=1), STATISTICS[name])
        assert np.nanmax(np.abs(differences), initial=0.0) == 0
