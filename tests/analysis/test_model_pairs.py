"""Every pair of models: by scipy on one data set, by plain loops on several, and as separability says."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.multitest import multipletests

from tests.analysis.made import cube_frame
from torr_plugin import analysis
from torr_plugin.analysis.figures.pairs import MOST, NEXT
from torr_plugin.analysis.paired_scores import COMPARED

NOTHING = {"difference": None, "low": None, "high": None, "p": None, "paired": False, "apart": False}


def analyse(scores: pd.DataFrame, **options: Any) -> dict[str, Any]:
    """With few draws of what no test here looks at."""
    return analysis.analyse(scores, rankings=2, repeats=2, **options)


def of(found: dict[str, Any], first: str, second: str) -> dict[str, Any]:
    return next(pair for pair in found["pairs"] if pair["models"] == [first, second])


def statistic(name: str, cube: np.ndarray) -> np.ndarray:
    """(models x examples), by the definitions."""
    if name == "performance":
        return cube.mean(axis=1)
    if name == "robustness":
        return 1 - np.ptp(cube, axis=1)
    draws = [np.ptp(cube[:, list(chosen)], axis=1) for chosen in combinations(range(cube.shape[1]), 5)]
    return 1 - np.mean(draws, axis=0)


@pytest.mark.parametrize("name", COMPARED)
def test_one_data_set_is_scipys_paired_t_test(name: str) -> None:
    scores = np.random.default_rng(0).random((4, 6, 150)) ** np.arange(1, 5)[:, None, None]
    found = analyse(cube_frame(scores), resamples=50, level=0.9)
    rows, p_values = [], []
    assert [pair["models"] for pair in found["pairs"]] == [
        list(p) for p in combinations(["m0", "m1", "m2", "m3"], 2)
    ]
    for pair in found["pairs"]:
        a, b = (statistic(name, scores)[int(model[1])] for model in pair["models"])
        test = stats.ttest_rel(a, b)
        bounds = test.confidence_interval(0.9)
        own = pair[name]["overall"]
        assert own["difference"] == pytest.approx((a - b).mean(), abs=1e-9)
        assert (own["low"], own["high"]) == pytest.approx((bounds.low, bounds.high), abs=1e-9)
        assert pair[name]["datasets"] == {"d": own}
        rows.append(own)
        p_values.append(test.pvalue)
    rejected, adjusted, *_ = multipletests(p_values, alpha=0.1, method="holm")
    assert [row["p"] for row in rows] == pytest.approx(adjusted.tolist(), abs=1e-9)
    assert [row["paired"] for row in rows] == rejected.tolist()


@pytest.mark.parametrize("name", ["performance", "robustness"])
def test_several_data_sets_are_the_mean_with_welchs_degrees_of_freedom(name: str) -> None:
    rng = np.random.default_rng(1)
    cubes = {"a": rng.random((3, 4, 150)), "b": rng.random((3, 2, 250)) * 0.4}
    found = analyse(pd.concat([cube_frame(cube, place) for place, cube in cubes.items()]), resamples=50)
    for pair in found["pairs"]:
        first, second = (int(model[1]) for model in pair["models"])
        means, variances, sizes = [], [], []
        for cube in cubes.values():
            differences = [float(x) for x in statistic(name, cube)[first] - statistic(name, cube)[second]]
            mean = sum(differences) / len(differences)
            means.append(mean)
            variances.append(
                sum((x - mean) ** 2 for x in differences) / (len(differences) - 1) / len(differences)
            )
            sizes.append(len(differences))
        freedom = sum(variances) ** 2 / sum(v**2 / (n - 1) for v, n in zip(variances, sizes, strict=True))
        error = sum(variances) ** 0.5 / 2
        half = stats.t.ppf(0.975, freedom) * error
        own = pair[name]["overall"]
        assert "robustness_5" not in pair, "of four and two configurations"
        assert own["difference"] == pytest.approx(sum(means) / 2, abs=1e-9)
        assert (own["low"], own["high"]) == pytest.approx(
            (sum(means) / 2 - half, sum(means) / 2 + half), abs=1e-9
        )


def study(seed: int, models: int, datasets: int, holes: float) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    parts = []
    for place in range(datasets):
        scores = np.round(rng.random((models, 3, 8)) + rng.normal(0, 0.1, (models, 1, 1)), 2).clip(0, 1)
        scores[rng.random(scores.shape) < holes] = np.nan
        scores[:, :, 0] = 0.5  # every model and configuration is there
        parts.append(cube_frame(scores, f"d{place}", parts=True))
    return pd.concat(parts)


@pytest.mark.full
@settings(max_examples=4, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 5), st.integers(1, 3), st.sampled_from([0.0, 0.2]))
def test_pairs_are_what_separability_counts_and_names(
    seed: int, models: int, datasets: int, holes: float
) -> None:
    """The shares, and the named pairs, to the last digit; also over label-keeping perturbations alone."""
    keeps = {f"d{place}": [] for place in range(datasets)}
    whole = analyse(study(seed, models, datasets, holes), resamples=40, keeps_labels=keeps)
    for found in (whole, whole["label_keeping"]):
        counted = found["separability"]
        places = {"overall": counted["overall"], **counted["datasets"]}
        for place, shares in places.items():
            own = [
                pair["performance"]["overall"]
                if place == "overall"
                else pair["performance"]["datasets"][place]
                for pair in found["pairs"]
            ]
            assert len(own) == shares["pairs"]
            assert np.mean([one["paired"] for one in own]) == pytest.approx(shares["paired"], abs=1e-12)
            assert np.mean([one["apart"] for one in own]) == pytest.approx(shares["value"], abs=1e-12)
        listed = {tuple(pair["models"]): pair["performance"]["overall"] for pair in found["pairs"]}
        for named in counted["overall"]["pairs_separated"]:
            pair = tuple(named["models"])
            own, sign = (listed[pair], 1) if pair in listed else (listed[pair[::-1]], -1)
            assert own["difference"] == pytest.approx(sign * named["difference"], abs=1e-12)
            ends = sorted([sign * named["low"], sign * named["high"]])
            assert [own["low"], own["high"]] == pytest.approx(ends, abs=1e-12)
            assert own["p"] == pytest.approx(named["p"], abs=1e-12)
            assert (own["paired"], own["apart"]) == (named["paired"], named["apart"])
        separated = {frozenset(pair) for pair, own in listed.items() if own["paired"] or own["apart"]}
        assert separated == {frozenset(named["models"]) for named in counted["overall"]["pairs_separated"]}


def test_a_model_without_scores_on_a_data_set_is_in_no_pair_there() -> None:
    rng = np.random.default_rng(2)
    whole, gone = rng.random((3, 2, 20)), rng.random((3, 2, 20))
    gone[2] = np.nan
    found = analyse(pd.concat([cube_frame(whole, "a"), cube_frame(gone, "b")]), resamples=20)
    assert found["pairs"][-1]["models"][1] == "m2", "without a place in the ranking it stands last"
    for first in ("m0", "m1"):
        pair = of(found, first, "m2")["performance"]
        assert pair["overall"] == {**NOTHING, "complete": False}
        assert pair["datasets"]["b"] == {**NOTHING, "complete": False}
        assert pair["datasets"]["a"]["p"] is not None
        assert "complete" not in pair["datasets"]["a"]


def test_holes_of_either_model_mark_their_pair_alone() -> None:
    scores = np.random.default_rng(3).random((3, 2, 20))
    scores[0, 1, 4] = scores[0, :, 7] = np.nan
    found = analyse(cube_frame(scores), resamples=20)
    assert len(found["pairs"]) == 3
    for pair in found["pairs"]:
        for name in ("performance", "robustness"):
            own = pair[name]["overall"]
            marks = (own.get("complete", True), own.get("examples"))
            assert marks == ((False, 19) if "m0" in pair["models"] else (True, None))


def test_one_example_tells_nothing_apart() -> None:
    found = analyse(cube_frame([[[0.2]], [[0.9]]]), resamples=10)
    (pair,) = found["pairs"]
    assert pair["models"] == ["m1", "m0"]
    assert pair["performance"]["overall"] == NOTHING


@pytest.mark.parametrize("examples", [3, 4, 6])
def test_no_interval_of_a_difference_exceeds_1(examples: int) -> None:
    scores = np.ones((2, 2, examples))
    scores[1, :, 1:] = 0
    (pair,) = analyse(cube_frame(scores), resamples=10)["pairs"]
    own = pair["performance"]["overall"]
    assert (own["low"] >= -1, own["high"]) == (True, 1.0)


@pytest.mark.full
def test_of_many_models_each_has_its_next_in_the_ranking() -> None:
    models = MOST + 2
    scores = np.random.default_rng(4).random((models, 2, 6))
    found = analyse(cube_frame(scores), resamples=10)
    ranked = sorted(found["performance"], key=lambda model: -found["performance"][model]["overall"]["value"])
    expected = [[ranked[i], ranked[j]] for i, j in combinations(range(models), 2) if j - i <= NEXT]
    assert [pair["models"] for pair in found["pairs"]] == expected
    (note,) = (note for note in found["notes"] if note.startswith("pairs: "))
    assert f"({len(expected):,} of {models * (models - 1) // 2:,} pairs)" in note
    means = scores.mean(axis=1)
    p_values = {
        (f"m{a}", f"m{b}"): stats.ttest_rel(means[a], means[b]).pvalue
        for a, b in combinations(range(models), 2)
    }
    corrected = dict(zip(p_values, multipletests(list(p_values.values()), method="holm")[1], strict=True))
    for pair in found["pairs"]:
        key = tuple(pair["models"]) if tuple(pair["models"]) in corrected else tuple(pair["models"][::-1])
        assert pair["performance"]["overall"]["p"] == pytest.approx(corrected[key], abs=1e-9), "of all pairs"


@pytest.mark.full
def test_the_order_of_rows_changes_nothing() -> None:
    rows = study(5, 4, 2, 0.1)
    mixed = rows.sample(frac=1, random_state=0)
    one, other = (analyse(each, resamples=20) for each in (rows, mixed))
    by_models = {tuple(pair["models"]): pair for pair in other["pairs"]}
    assert [pair["models"] for pair in one["pairs"]] == [pair["models"] for pair in other["pairs"]]
    for pair in one["pairs"]:
        for name in ("performance", "robustness"):
            assert pair[name]["overall"] == pytest.approx(by_models[tuple(pair["models"])][name]["overall"])
    assert one["rank_intervals_datasets"] == other["rank_intervals_datasets"]


@pytest.mark.full
def test_places_on_a_data_set_are_those_of_that_data_set_alone() -> None:
    """The same resamples: a study of one data set has the same places, overall and there."""
    rows = study(6, 4, 3, 0.0)
    found = analyse(rows, resamples=100)
    assert set(found["rank_intervals_datasets"]) == {"d0", "d1", "d2"}
    for name, places in found["rank_intervals_datasets"].items():
        alone = analyse(rows[rows["dataset"] == name], resamples=100)
        assert places == alone["rank_intervals"] == alone["rank_intervals_datasets"][name]


def test_a_model_without_a_figure_takes_no_place_on_that_data_set() -> None:
    scores = np.random.default_rng(7).random((3, 2, 9))
    gone = scores.copy()
    gone[1] = np.nan
    found = analyse(pd.concat([cube_frame(scores, "a"), cube_frame(gone, "b")]), resamples=30)
    assert found["rank_intervals_datasets"]["b"]["m1"] is None
    assert None not in found["rank_intervals_datasets"]["a"].values()
    assert max(high for low, high in filter(None, found["rank_intervals_datasets"]["b"].values())) <= 2
