"""Ranks of all models at once and tiers: by hand, where nothing varies, and models with different holes."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from tests.analysis.made import cube_frame
from tests.studies import Spread, models_of
from torr_plugin.analysis import analyse
from torr_plugin.analysis.bootstrap import resampled_means
from torr_plugin.analysis.estimates import Estimate
from torr_plugin.analysis.figures.rank_intervals import ranking
from torr_plugin.analysis.paired_scores import ModelTests
from torr_plugin.analysis.paired_tests import example_differences, paired_test
from torr_plugin.analysis.simultaneous_ranks import rank_bounds, separated, tiers
from torr_plugin.analysis.statistics import example_means


def test_ranks_and_tiers_by_hand() -> None:
    better = np.zeros((4, 4), dtype=bool)
    better[0, 2] = better[0, 3] = better[1, 3] = True
    assert tiers([0, 1, 2, 3], better) == [[0, 1], [2, 3]]
    assert rank_bounds(better).tolist() == [[1, 2], [1, 3], [2, 4], [3, 4]]


def test_two_models_are_separated_where_their_paired_test_is_significant() -> None:
    """One pair has no other to be corrected for, nor correlations that few examples know badly."""
    rng = np.random.default_rng(0)
    for shift in np.linspace(0, 0.3, 12):
        scores = rng.normal(0.5, 0.2, (2, 30)) + np.array([[shift], [0]])
        test = paired_test([example_differences(scores)])
        samples = scores @ rng.multinomial(30, np.full(30, 1 / 30), 5000).T / 30
        p = test.p_values[0, 1]
        if abs(p - 0.05) > 0.02:  # the quantile of resamples is not exactly 1.96
            assert separated(test, samples, 0.95).any() == (p < 0.05)


def test_a_difference_that_is_the_same_everywhere_is_held_to_its_signs() -> None:
    for examples, expected in ((4, False), (20, True)):
        scores = np.tile([[0.2], [0.4]], examples)
        test = paired_test([example_differences(scores)])
        assert separated(test, np.tile([[0.2], [0.4]], 9), 0.95)[1, 0] == expected


@pytest.mark.parametrize("models", [1, 2])
def test_few_models_that_are_equal(models: int) -> None:
    test = paired_test([example_differences(np.full((models, 5), 0.5))])
    found = separated(test, np.full((models, 9), 0.5), 0.95)
    assert rank_bounds(found).tolist() == [[1, models]] * models


def test_models_without_a_figure_have_no_rank_and_no_tier() -> None:
    scores = np.random.default_rng(0).random((3, 40)) * 0.1 + [[0.0], [0.5], [np.nan]]
    samples = scores @ np.random.default_rng(1).multinomial(40, np.full(40, 1 / 40), 50).T / 40
    known = np.array([True, True, False])
    tests = ModelTests(known, paired_test([example_differences(scores[known])]))
    found = ranking(["a", "b", "c"], Estimate(scores.mean(axis=1), samples), tests, 0.95)
    assert found.ranks == {"a": (2, 2), "b": (1, 1), "c": None}
    assert found.tiers == [["b"], ["a"]]


def test_without_resamples_pairs_are_held_to_bonferronis_bound() -> None:
    found = []
    for shift in np.linspace(0, 0.3, 9):
        scores = np.random.default_rng(0).normal(0.5, 0.3, (4, 40)) + np.array([[shift], [0], [0], [0]])
        test = paired_test([example_differences(scores)])
        found.append(separated(test, np.full((4, 2), np.nan), 0.95).any())
        assert found[-1] == (np.nanmin(test.p_values) < 0.05 / 6)
    assert set(found) == {True, False}


def test_in_the_analysis() -> None:
    rng = np.random.default_rng(2)
    base = rng.random((4, 60)) * 0.3
    noise = rng.normal(0, 0.05, (4, 4, 60))
    scores = np.clip(base + noise + np.array([0.6, 0.6, 0.3, 0.0])[:, None, None], 0, 1)
    found = analyse(pd.concat([cube_frame(scores, "a"), cube_frame(scores, "b")]), resamples=200)
    tiers_found = [sorted(tier) for tier in found["tiers"]["overall"]]
    assert tiers_found == [["m0", "m1"], ["m2"], ["m3"]]
    assert set(found["tiers"]["datasets"]) == {"a", "b"}
    assert found["rank_intervals"] == {"m0": [1, 2], "m1": [1, 2], "m2": [3, 3], "m3": [4, 4]}
    assert "max-t" in found["settings"]["methods"]["rank_intervals"]


def test_two_identical_models_with_different_holes_are_not_separated() -> None:
    """html is hard; one model lost half of its html, the other half of its csv."""
    rng = np.random.default_rng(3)
    easy, hard = rng.random((1, 3, 80)) * 0.2 + 0.8, rng.random((1, 3, 80)) * 0.2
    scores = np.repeat(np.concatenate([easy, hard], axis=1), 2, axis=0)
    scores[0, 3:, ::2] = scores[1, :3, 1::2] = np.nan
    found = analyse(cube_frame(scores), resamples=200)
    one, other = (found["performance"][model]["overall"] for model in ("m0", "m1"))
    assert one == other
    assert found["robustness"]["m0"] == found["robustness"]["m1"]
    assert found["pairs"][0]["performance"]["overall"]["p"] == 1
    assert found["tiers"]["overall"] == [["m0", "m1"]]


def separated_in(
    rng: np.random.Generator,
    truth: np.ndarray,
    *,
    examples: int,
    per_table: int = 1,
    configurations: int = 0,
    datasets: int = 1,
    resamples: int = 500,
) -> np.ndarray:
    """The separated pairs of a study of models with these true means.

    ``configurations`` of right-or-wrong answers an example; 0: scores are normal.
    """
    clusters = np.arange(examples) // per_table
    spread = Spread(example=0.8, model_example=0.5, configuration_example=0.0, residual=1.0)
    if configurations:
        studied = models_of(truth, spread, "binary", configurations)
    else:
        studied = models_of(truth, spread.scaled(0.25), "unbounded")
    differences, samples = [], np.zeros((len(truth), resamples))
    for _ in range(datasets):
        (scores,) = studied.draw(rng, examples, per_table=per_table, icc=0.5)
        means = example_means(scores)
        differences.append(example_differences(means, clusters))
        samples += resampled_means(means, clusters, rng, resamples) / datasets
    return separated(paired_test(differences), samples, 0.95)


def test_equal_models_are_hardly_ever_separated_quickly() -> None:
    rng = np.random.default_rng(0)
    wrong = np.mean([separated_in(rng, np.full(6, 0.5), examples=20, resamples=200).any() for _ in range(60)])
    assert wrong <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 60)
