"""Tau-b and W against scipy, plain references and hand-worked cubes; their intervals' plain half."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats

from tests.analysis.made import as_cube, cube_frame
from torr_plugin.analysis import analyse
from torr_plugin.analysis.complete import complete_scores, most_asked, without_gaps
from torr_plugin.analysis.figures.configuration_agreement import (
    single_configuration_w,
)
from torr_plugin.analysis.figures.dataset_agreement import kendall_tau_b
from torr_plugin.analysis.rankings import centred_ranks, friedman_p_value, kendall_w, mean_spearman

from .slow_reference import slow_tau, slow_w

NAN = float("nan")

# few different values, so that ties are common
TIED = st.integers(0, 4).map(lambda value: value / 7)


def matrices(rows: st.SearchStrategy[int], columns: st.SearchStrategy[int]) -> st.SearchStrategy[np.ndarray]:
    return st.tuples(rows, columns).flatmap(lambda shape: hnp.arrays(float, shape, elements=TIED))


@given(matrices(st.integers(1, 6), st.integers(1, 9)))
def test_ranks_are_scipys_less_their_mean(scores: np.ndarray) -> None:
    expected = stats.rankdata(scores, axis=1) - (scores.shape[1] + 1) / 2
    np.testing.assert_allclose(centred_ranks(scores), expected, atol=1e-12)


def test_ranks_of_many_axes_and_rounding_errors() -> None:
    scores = np.random.default_rng(0).integers(0, 5, (3, 4, 5, 6)) / 3
    expected = stats.rankdata(scores, axis=-1) - 3.5
    np.testing.assert_allclose(centred_ranks(scores), expected)
    assert centred_ranks(np.array([0.1 + 0.2, 0.3, 0.0])).tolist() == [0.5, 0.5, -1.0]


@given(matrices(st.just(2), st.integers(2, 12)))
def test_tau_is_scipys(scores: np.ndarray) -> None:
    ours = float(kendall_tau_b(scores[0], scores[1]))
    assert ours == pytest.approx(slow_tau(*scores.tolist()), abs=1e-12, nan_ok=True)
    assert ours == pytest.approx(stats.kendalltau(*scores).statistic, abs=1e-12, nan_ok=True)


def test_tau_of_many_pairs_at_once() -> None:
    x, y = np.random.default_rng(0).integers(0, 5, (2, 3, 4, 8)) / 4
    found = kendall_tau_b(x, y)
    assert found.shape == (3, 4)
    for place in np.ndindex(3, 4):
        assert found[place] == pytest.approx(stats.kendalltau(x[place], y[place]).statistic)


@given(matrices(st.integers(2, 8), st.integers(2, 8)))
def test_w_is_the_textbooks_and_friedmans(scores: np.ndarray) -> None:
    raters, models = scores.shape
    ours = float(single_configuration_w(scores))
    assert ours == pytest.approx(slow_w(scores), abs=1e-12, nan_ok=True)
    assert np.isnan(ours) == bool((np.ptp(scores, axis=1) == 0).all())
    if models > 2 and not np.isnan(ours):  # scipy takes three and more
        friedman = stats.friedmanchisquare(*scores.T)
        assert ours == pytest.approx(friedman.statistic / (raters * (models - 1)), abs=1e-9)
        assert friedman_p_value(ours, raters, models) == pytest.approx(friedman.pvalue, abs=1e-9)


def test_w_by_hand_with_ties() -> None:
    """Three judges of four; the last ties two for the first place.

    Ranks 1 2 3 4; 2 1 3 4; 1.5 1.5 3 4. Sums 4.5 4.5 9 12, mean 7.5: S = 9 + 9 + 2.25 + 20.25 = 40.5. One run
    of two ties: 12 * 40.5 / (9 * 60 - 3 * 6) = 486 / 522.
    """
    scores = np.array([[0.1, 0.2, 0.3, 0.4], [0.2, 0.1, 0.3, 0.4], [0.1, 0.1, 0.3, 0.4]])
    assert float(single_configuration_w(scores)) == pytest.approx(486 / 522)


def test_w_of_random_rankings_is_one_over_their_number() -> None:
    scores = np.random.default_rng(0).random((4000, 5, 7))
    assert kendall_w(centred_ranks(scores)).mean() == pytest.approx(1 / 5, abs=0.005)


@given(st.integers(2, 6), st.integers(2, 7), st.integers(0, 10_000))
def test_mean_spearman_follows_from_w(raters: int, models: int, seed: int) -> None:
    scores = np.random.default_rng(seed).random((raters, models))
    pairs = [
        stats.spearmanr(scores[i], scores[j]).statistic if models > 2 else slow_tau(scores[i], scores[j])
        for i in range(raters)
        for j in range(i)
    ]
    assert mean_spearman(float(single_configuration_w(scores)), raters) == pytest.approx(np.mean(pairs))


def two_data_sets(models: int = 5, configurations: int = 4, examples: int = 30) -> list[np.ndarray]:
    rng = np.random.default_rng(5)
    ability = rng.normal(0, 0.04, (1, models, 1, 1)) + rng.normal(0, 0.05, (2, models, configurations, 1))
    return list(np.clip(0.5 + ability + rng.normal(0, 0.2, (2, models, configurations, examples)), 0, 1))


def study(cubes: list[np.ndarray]) -> pd.DataFrame:
    return pd.concat([cube_frame(cube, name) for cube, name in zip(cubes, "abcdef", strict=False)])


def test_the_figures_of_a_study() -> None:
    one, other = two_data_sets()
    found = analyse(study([one, other]), resamples=200)
    agreement = found["dataset_agreement"]
    assert agreement["datasets"] == ["a", "b"]
    tau = stats.kendalltau(one.mean(axis=(1, 2)), other.mean(axis=(1, 2))).statistic
    assert agreement["tau"][0] == [1.0, pytest.approx(tau)]
    assert agreement["tau"][1] == agreement["tau"][0][::-1]
    expected = {
        "a": slow_w(one.mean(axis=2).T),
        "b": slow_w(other.mean(axis=2).T),
        "overall": slow_w((one + other).mean(axis=2).T),
    }
    assert found["configuration_agreement"] == pytest.approx(expected)
    for name, figure in found["configuration_agreement_intervals"].items():
        assert figure["value"] == pytest.approx(expected[name])
        assert (figure["chance"], figure["raters"], figure["models"]) == (0.25, 4, 5)
        means = {"a": one, "b": other, "overall": (one + other) / 2}[name].mean(axis=2)
        assert figure["p"] == pytest.approx(stats.friedmanchisquare(*means).pvalue)


def test_torrs_agreement_stands_beside_ours_where_cells_are_missing() -> None:
    one, other = two_data_sets()
    assert "own_cells" not in analyse(study([one, other]), resamples=20)["dataset_agreement"]
    one[0, 1, :9] = NAN
    found = analyse(study([one, other]), resamples=20)
    own = [np.nanmean(np.nanmean(cube, axis=1), axis=1) for cube in (one, other)]
    assert found["dataset_agreement"]["own_cells"][0][1] == pytest.approx(stats.kendalltau(*own).statistic)
    shared = one.copy()
    shared[:, 1, :9] = NAN
    intervals = found["configuration_agreement_intervals"]
    assert intervals["a"]["value"] == pytest.approx(slow_w(np.nanmean(shared, axis=2).T))
    assert intervals["a"]["own_cells"] == pytest.approx(slow_w(np.nanmean(one, axis=2).T))
    both = (np.nanmean(one, axis=2) + other.mean(axis=2)) / 2
    assert intervals["overall"]["own_cells"] == pytest.approx(slow_w(both.T))
    assert "own_cells" not in intervals["b"]


def test_one_data_set_is_the_overall_figure() -> None:
    found = analyse(study(two_data_sets()[:1]), resamples=50)
    figures = found["configuration_agreement_intervals"]
    assert figures["a"] == figures["overall"]
    assert found["reliability"]["a"] == found["reliability"]["overall"]
    assert found["dataset_agreement"]["tau"] == [[1.0]]


def test_constants_have_no_ranking_and_it_is_said() -> None:
    one, _ = two_data_sets()
    found = analyse(study([one, np.full(one.shape, 0.3)]), resamples=20)
    agreement = found["dataset_agreement"]
    assert agreement["tau"] == [[1.0, None], [None, None]]
    assert found["configuration_agreement"]["b"] is None
    assert found["configuration_agreement"]["overall"] == found["configuration_agreement"]["a"]
    figure = found["configuration_agreement_intervals"]["b"]
    assert (figure["value"], figure["p"]) == (None, None)
    assert all(point["w"] is None for point in found["reliability"]["b"]["prompts"])
    assert "every configuration ties all models on b: no ranking, and so no W" in found["notes"]


@pytest.mark.full
@pytest.mark.parametrize("shape", [(1, 4, 6), (4, 1, 6), (4, 3, 1), (2, 2, 2), (1, 1, 1), (3, 2, 5)])
def test_small_studies_have_what_there_is(shape: tuple[int, int, int]) -> None:
    cubes = list(np.random.default_rng(0).random((2, *shape)))
    found = analyse(study(cubes), resamples=30, repeats=4)
    json.dumps(found, allow_nan=False)
    models, configurations, examples = shape
    w = found["configuration_agreement"]["a"]
    assert (w is None) == (min(models, configurations) < 2)
    assert (found["dataset_agreement"]["tau"][0][1] is None) == (models < 2)
    curves = found["reliability"]["overall"]
    assert len(curves["prompts"]) == configurations
    assert len(curves["disjoint"]) == configurations // 2
    assert (curves["prompts"][-1]["w"] is None) == (models < 2)
    assert {point["n"] for point in curves["examples"]} == ({5, 6} if examples == 6 else {examples})


def test_a_model_without_a_data_set_is_left_out_and_said() -> None:
    one, other = two_data_sets()
    other[4] = NAN
    found = analyse(study([one, other]), resamples=50)
    four = stats.kendalltau(one.mean(axis=(1, 2))[:4], other.mean(axis=(1, 2))[:4]).statistic
    assert found["dataset_agreement"]["tau"][0][1] == pytest.approx(four)
    assert found["configuration_agreement"]["a"] == pytest.approx(slow_w(one.mean(axis=2).T))
    assert found["configuration_agreement"]["b"] == pytest.approx(slow_w(other.mean(axis=2)[:4].T))
    both = (one[:4] + other[:4]).mean(axis=2)
    assert found["configuration_agreement"]["overall"] == pytest.approx(slow_w(both.T))
    assert found["configuration_agreement_intervals"]["overall"]["models"] == 4
    assert (
        "agreement of configurations and reliability on b are without model m4: too few of the same examples "
        "have a score there"
    ) in found["notes"]


def test_a_configuration_that_failed_is_left_out_and_said() -> None:
    one, other = two_data_sets()
    one[1:3, 2] = NAN
    one[0, 0, 3] = NAN
    found = analyse(study([one, other]), resamples=50)
    kept = np.nanmean(one[:, [0, 1, 3]], axis=2)
    assert found["configuration_agreement"]["a"] == pytest.approx(slow_w(kept.T))
    assert found["configuration_agreement_intervals"]["overall"]["raters"] == 3
    assert any("on a are without configuration c2" in note for note in found["notes"])


def test_nothing_in_common_is_no_figure() -> None:
    rows = study(two_data_sets())
    rows["config"] = rows["config"] + rows["dataset"]
    found = analyse(rows, resamples=20, repeats=3)
    assert found["configuration_agreement"]["overall"] is None
    assert found["reliability"]["overall"] == {"prompts": [], "examples": [], "disjoint": []}
    rows = study(two_data_sets())
    rows["model"] = rows["model"] + rows["dataset"]
    found = analyse(rows, resamples=20, repeats=3)
    assert found["dataset_agreement"]["tau"] == [[1.0, None], [None, 1.0]]
    assert found["configuration_agreement"]["overall"] is None


def test_gaps_are_taken_where_they_are_most() -> None:
    present = np.ones((4, 5), dtype=bool)
    present[2, :4] = False  # a model that answered in one configuration alone
    present[0, 4] = False
    assert without_gaps(present) == ([0, 1, 3], [0, 1, 2, 3])
    assert without_gaps(np.zeros((2, 2), dtype=bool)) == ([], [0, 1])
    assert without_gaps(np.ones((2, 3), dtype=bool)) == ([0, 1], [0, 1, 2])


def test_configurations_rank_models_on_the_examples_that_all_were_asked() -> None:
    one, _ = two_data_sets()
    rows = cube_frame(one, "a")
    rows = rows[
        ~((rows["config"] == "c1") & (rows["example"] >= "e0024"))
    ]  # 24 of 30: 4 x 24 > 3 x 30 scores
    rows = rows[~((rows["model"] == "m1") & (rows["config"] == "c2") & (rows["example"] < "e0003"))]
    found = analyse(rows, resamples=50, repeats=5)
    kept = one[:, :, :24].copy()
    kept[:, 2, :3] = NAN
    figure = found["configuration_agreement_intervals"]["a"]
    assert figure["value"] == pytest.approx(slow_w(np.nanmean(kept, axis=2).T))
    assert (figure["raters"], figure["models"], figure["examples"]) == (4, 5, 24)
    assert (
        "agreement of configurations and reliability on a are over the 24 of 30 examples that all of their "
        "configurations were asked about"
    ) in found["notes"]
    assert {point["n"] for point in found["reliability"]["a"]["prompts"]} == {24}


def test_a_configuration_that_was_asked_too_little_is_left_out() -> None:
    one, _ = two_data_sets()
    rows = cube_frame(one, "a")
    rows = rows[~((rows["config"] == "c1") & (rows["example"] >= "e0012"))]  # 4 x 12 < 3 x 30 scores
    found = analyse(rows, resamples=50, repeats=5)
    assert found["configuration_agreement"]["a"] == pytest.approx(slow_w(one[:, [0, 2, 3]].mean(axis=2).T))
    assert any("are without configuration c1: too few of the same" in note for note in found["notes"])


def test_most_scores_are_kept() -> None:
    asked = np.ones((4, 10), dtype=bool)
    asked[1:3, 4:] = False  # two that were asked about the same few
    assert most_asked(asked) == [0, 3]
    asked[1:3, 4:8] = True
    assert most_asked(asked) == [0, 1, 2, 3]
    assert most_asked(asked[:1]) == [0]
    assert most_asked(np.array([[True, False, False], [False, True, True]])) == [1], "none in common"
    assert most_asked(np.array([[True, True, True], [True, False, False]])) == [0, 1], (
        "two rank, one does not"
    )
    assert most_asked(np.zeros((0, 3), dtype=bool)) == []


def test_a_model_that_failed_half_of_a_configuration_has_none_of_it() -> None:
    one, _ = two_data_sets()
    one[2, :, :16] = NAN  # everywhere: the model goes, and not all configurations
    cube = as_cube(one)
    left = complete_scores(cube)
    assert (left.without_models, left.without_configurations) == (("m002",), ())
    assert len(left.cube.examples) == 30
    assert complete_scores(replace(cube, scores=np.nan_to_num(one))).is_whole
