"""How often the same prompt got another score, and robustness without that noise: worked out plainly."""

from __future__ import annotations

from itertools import combinations, permutations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.special import comb

from tests.analysis.made import cube_frame
from torr_plugin.analysis import AnalysisError, analyse, analysis_results, first_answers, read_scores
from torr_plugin.analysis.cube import Cube
from torr_plugin.analysis.figures.noise import INCLUDES_NOISE
from torr_plugin.analysis.noise import (
    NoiseTerms,
    ReplicatedCells,
    changed_shares,
    noise_free_robustness,
    noise_terms,
    right_each_time,
    squared_differences,
)
from torr_plugin.core.statistics import ClusteredMeans, score_bounds

NAN = float("nan")


def with_replicates(
    scores: np.ndarray, again: dict[tuple[int, int, int], float], dataset: str = "d"
) -> pd.DataFrame:
    """A scores file in which some cells (model, configuration, example) were asked again."""
    first = cube_frame(scores, dataset)
    rows = [
        {
            **first.iloc[0],
            "model": f"m{m}",
            "config": f"c{c}",
            "example": f"e{e:04d}",
            "score": score,
            "replicate": 1,
        }
        for (m, c, e), score in again.items()
    ]
    return pd.concat([first.assign(replicate=0), pd.DataFrame(rows)], ignore_index=True)


def several(scores: np.ndarray) -> pd.DataFrame:
    """A scores file of (models x configurations x answers x examples)."""
    answers = [
        cube_frame(scores[:, :, number], "d").assign(replicate=number) for number in range(scores.shape[2])
    ]
    return pd.concat(answers, ignore_index=True)


def asked_again(scores: np.ndarray) -> tuple[Cube, ReplicatedCells]:
    """One configuration whose every cell was asked again: (models x answers x examples)."""
    models, _, examples = scores.shape
    names = tuple(f"m{m}" for m in range(models)), ("c",), tuple(f"e{e}" for e in range(examples))
    cube = Cube("d", "em", *names, scores[:, :1], {}, np.arange(examples))
    return cube, ReplicatedCells(np.zeros(examples, int), np.arange(examples), scores[:, 1:])


SCORES = np.array([[[1, 1, 0, 1], [1, 0, 0, 1], [1, 0, 0, 0.5]]], dtype=float)


def test_by_hand() -> None:
    """Of three configurations: examples differ in 0, 4 of 6, 0 pairs by 1, and in 4 of 6 by .5."""
    again = {(0, 0, 0): 1.0, (0, 1, 1): 1.0, (0, 2, 3): 0.0, (0, 0, 2): 0.0}
    found = analyse(with_replicates(SCORES, again), resamples=5)
    noise = found["noise"]["m0"]["overall"]
    assert (noise["value"], noise["cells"]) == (0.5, 4)
    spread = (0 + 4 / 6 + 0 + 4 / 6 * 0.25) / 4
    free = found["robustness_noise_free"]["m0"]
    assert free["overall"]["value"] == pytest.approx(1 - (spread - (0 + 1 + 0.25 + 0) / 4))
    assert free["overall"]["value"] == free["datasets"]["d"]["value"] > 1  # not clipped
    assert free["overall"]["low"] < 1 < free["overall"]["high"]
    assert INCLUDES_NOISE not in found["notes"]


@given(arrays(float, (2, 4, 3), elements=st.sampled_from([0.0, 0.25, 0.5, 1.0, NAN])))
def test_squared_differences_as_all_ordered_pairs(scores: np.ndarray) -> None:
    found = squared_differences(scores)
    for model, example in np.ndindex(2, 3):
        own = [score for score in scores[model, :, example] if not np.isnan(score)]
        pairs = [(one - other) ** 2 for one, other in permutations(own, 2)]
        expected = np.mean(pairs) if pairs else NAN
        assert found[model, example] == pytest.approx(expected, nan_ok=True)


def test_the_interval_combines_those_of_the_two_terms() -> None:
    """By the distances of their bounds: squares added, and less where the terms err together."""
    one = ClusteredMeans(*(np.array([value]) for value in (0.3, 0.001, 49.0, 50.0, 1.0, False)))
    other = ClusteredMeans(*(np.array([value]) for value in (0.1, 0.0005, 49.0, 50.0, 1.0, False)))
    (low, high), (least, most) = score_bounds([one], 0.95), score_bounds([other], 0.95)
    apart = noise_free_robustness([NoiseTerms(one, other, np.zeros(1))], 0.95)
    below, above = np.hypot(high - 0.3, 0.1 - least), np.hypot(0.3 - low, most - 0.1)
    assert np.ravel(apart) == pytest.approx(np.ravel([[0.8], 0.8 - below, 0.8 + above]))
    alike = noise_free_robustness([NoiseTerms(one, other, np.full(1, (0.001 * 0.0005) ** 0.5))], 0.95)
    below, above = np.abs(high - 0.3 - (0.1 - least)), np.abs(0.3 - low - (most - 0.1))
    assert np.ravel(alike) == pytest.approx(np.ravel([[0.8], 0.8 - below, 0.8 + above]))


def test_the_terms_vary_together_as_a_plain_loop_over_tables() -> None:
    rng = np.random.default_rng(4)
    scores, clusters = rng.random((2, 3, 8)), np.array([0, 1, 0, 2, 2, 1, 3, 3])
    scores[1, 0, 2] = NAN
    cube = Cube("d", "em", ("a", "b"), ("x", "y", "z"), tuple("stuvwxyz"), scores, {}, clusters)
    again = ReplicatedCells(np.array([0, 1, 2, 2]), np.array([2, 3, 5, 4]), rng.random((2, 1, 4)))
    found = noise_terms(cube, again)
    for model in range(2):
        spread = squared_differences(scores)[model]
        noise = (scores[model, again.config, again.example] - again.scores[model, 0]) ** 2
        assert found.spread.mean[model] == pytest.approx(spread.mean())
        assert found.noise.mean[model] == pytest.approx(np.nanmean(noise))
        of_tables = [
            sum(spread[e] - spread.mean() for e in range(8) if clusters[e] == table)
            / 8
            * sum(
                value - np.nanmean(noise)
                for value, e in zip(noise, again.example, strict=True)
                if clusters[e] == table and not np.isnan(value)
            )
            / np.isfinite(noise).sum()
            for table in range(4)
        ]
        assert found.covariance[model] == pytest.approx(sum(of_tables))


def test_models_are_compared_on_the_cells_that_all_have_and_noise_is_their_own() -> None:
    scores = np.zeros((2, 2, 4))
    scores[0, 0] = 1.0  # differs in every example
    scores[1, 0, 2:] = NAN  # of which the second model has two
    again = {(m, 1, e): float(m == 0 and e == 3) for m in range(2) for e in range(4)}
    found = analyse(with_replicates(scores, again), resamples=5)
    assert found["noise"]["m0"]["overall"]["value"] == 0.25
    assert found["noise"]["m0"]["overall"]["cells"] == 4
    free = {model: own["overall"] for model, own in found["robustness_noise_free"].items()}
    assert free["m0"]["value"] == pytest.approx(1 - (1 - 0.25))
    assert free["m1"]["value"] == 1.0
    assert free["m1"]["complete"] is False


def test_what_does_not_exist_is_null() -> None:
    one = with_replicates(SCORES, {(0, 0, 0): NAN, (0, 1, 0): 1.0}, "one")
    other = cube_frame(SCORES[:, :1], "two").assign(replicate=0)  # nothing was asked again there
    found = analyse(pd.concat([one, other]), resamples=5)
    assert found["noise"]["m0"]["overall"]["cells"] == 1
    assert found["noise"]["m0"]["datasets"]["two"] == {
        **dict.fromkeys(["value", "low", "high"]),
        "cells": 0,
    }
    free = found["robustness_noise_free"]["m0"]
    assert free["datasets"]["one"]["value"] is not None
    assert free["datasets"]["two"]["value"] is None is free["overall"]["value"]


def test_without_replicates_the_study_says_what_its_robustness_holds() -> None:
    found = analyse(cube_frame(SCORES), resamples=5)
    assert not {"noise", "robustness_noise_free"} & found.keys()
    assert INCLUDES_NOISE in found["notes"]
    assert INCLUDES_NOISE not in analyse(cube_frame(SCORES[:, :1]), resamples=5)["notes"]


def test_several_replicates_by_hand() -> None:
    """Of four answers to two prompts three are right, and one: 3 and 3 of 6 pairs differ."""
    frame = several(np.array([[[[1, 0], [1, 1], [1, 0], [0, 0]]]], dtype=float))
    found = analyse(frame, resamples=5)
    noise = found["noise"]["m0"]["overall"]
    assert (noise["value"], noise["cells"]) == (0.5, 2)
    right = found["pass_k"]["m0"]["overall"]
    assert {k: own["value"] for k, own in right.items()} == {"1": 0.5, "2": 0.25, "3": 0.125, "4": 0.0}
    assert found["pass_k"]["m0"]["datasets"]["d"] == right
    for own in right.values():
        assert own["cells"] == 2
        assert 0 <= own["low"] <= own["value"] <= own["high"] <= 1


@settings(deadline=None)
@given(arrays(float, (1, 4, 6), elements=st.sampled_from([0.0, 0.5, 1.0])), st.sampled_from([1, 2, 3]))
def test_pass_k_is_the_share_of_choices_of_k_answers_that_are_all_right(scores: np.ndarray, k: int) -> None:
    cube, again = asked_again(scores)
    found = right_each_time(cube, again)
    assert len(found) == 4
    own = scores[0].T
    chosen = np.mean(
        [
            np.mean([np.all(np.take(each, places) == 1) for places in combinations(range(4), k)])
            for each in own
        ]
    )
    right = (own == 1).sum(axis=1)
    assert (
        found[k - 1].mean[0] == pytest.approx(chosen) == pytest.approx(np.mean(comb(right, k) / comb(4, k)))
    )
    falling = [each.mean[0] for each in found]
    assert falling == sorted(falling, reverse=True)
    assert falling[0] == pytest.approx(np.mean(own == 1))


@given(arrays(float, (2, 4, 6), elements=st.sampled_from([0.0, 0.25, 0.5, 1.0, NAN])))
def test_noise_of_all_replicates_as_numpy_has_it(scores: np.ndarray) -> None:
    cube, again = asked_again(scores)
    changed, terms = changed_shares(cube, again), noise_terms(cube, again)
    for model in range(2):
        cells = [each[~np.isnan(each)] for each in scores[model].T if not np.isnan(each[0])]
        cells = [each for each in cells if len(each) > 1]
        expected = np.mean([np.var(each, ddof=1) for each in cells]) if cells else NAN
        assert terms.noise.mean[model] == pytest.approx(2 * expected, nan_ok=True)
        pairs = [np.mean([a != b for a, b in combinations(each, 2)]) for each in cells]
        assert changed.mean[model] == pytest.approx(np.mean(pairs) if pairs else NAN, nan_ok=True)
        assert changed.count[model] == len(cells)


def test_pass_k_is_unbiased() -> None:
    """Its mean over studies is the chance that k answers are right, p to the power of k."""
    rng = np.random.default_rng(8)
    scores = (rng.random((1, 5, 40_000)) < 0.7).astype(float)
    found = [each.mean[0] for each in right_each_time(*asked_again(scores))]
    assert found == pytest.approx([0.7**k for k in range(1, 6)], abs=0.01)


def test_pass_k_is_over_cells_with_all_answers() -> None:
    scores = np.ones((1, 3, 4))
    scores[0, 1:, 0], scores[0, 2, 1] = 0.0, NAN
    found = right_each_time(*asked_again(scores))
    assert [each.mean[0] for each in found] == pytest.approx([7 / 9, 2 / 3, 2 / 3])
    assert [each.count[0] for each in found] == [3, 3, 3]


@pytest.mark.parametrize("wrong", ["-1", "1.5", "first"])
def test_a_replicate_is_a_whole_number(wrong: str) -> None:
    frame = with_replicates(SCORES, {(0, 0, 0): 1.0})
    frame["replicate"] = frame["replicate"].astype(object).where(frame["replicate"] == 0, wrong)
    with pytest.raises(
        AnalysisError, match=r"expected 0 for a first answer, 1, 2, \.\.\. for those to the same"
    ):
        analyse(frame, resamples=5)


def test_two_rows_of_one_replicate_are_refused() -> None:
    frame = with_replicates(SCORES, {(0, 0, 0): 1.0})
    with pytest.raises(AnalysisError, match="has several rows with replicate 2; expected one"):
        analyse(pd.concat([frame, *[frame.tail(1).assign(replicate=2)] * 2]), resamples=5)


def test_rows_of_unknown_cells_and_empty_replicates_change_nothing() -> None:
    frame = with_replicates(SCORES, {(0, 0, 0): 1.0, (0, 1, 1): 0.0})
    more = pd.concat([frame, frame.tail(1).assign(example="e9999"), frame.tail(1).assign(config="other")])
    empty = frame.assign(replicate=frame["replicate"].astype(object).where(frame["replicate"] == 1, ""))
    expected = analyse(frame, resamples=5)
    assert analyse(more, resamples=5) == analyse(empty, resamples=5) == expected


def test_a_text_file_has_the_same_figures_and_first_answers(tmp_path: Path) -> None:
    frame = with_replicates(SCORES, {(0, 0, 0): 0.0, (0, 1, 1): 0.0})
    frame.to_csv(tmp_path / "scores.csv", index=False)
    read = read_scores(tmp_path / "scores.csv")
    results = analysis_results(read, resamples=5)
    assert results.to_json() == analyse(frame, resamples=5)
    assert len(first_answers(read)) == SCORES.size
    assert "replicate" not in first_answers(read)


def test_label_keeping_configurations_have_noise_of_their_own() -> None:
    scores = np.zeros((1, 2, 3))
    frame = with_replicates(scores, {(0, 0, 0): 1.0, (0, 1, 1): 0.0})
    frame["perturbation"] = frame["config"].map({"c0": "none", "c1": "transpose"})
    found = analyse(frame, resamples=5, keeps_labels={"d": []})
    assert found["noise"]["m0"]["overall"]["value"] == 0.5
    assert found["label_keeping"]["noise"]["m0"]["overall"] == pytest.approx(
        {**found["label_keeping"]["noise"]["m0"]["datasets"]["d"], "value": 1.0, "cells": 1}
    )
