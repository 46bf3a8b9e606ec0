"""Skewed differences: the bootstrap by plain loops, the tail, and what is flagged."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from tests.analysis.made import cube_frame
from torr_plugin.analysis import analyse
from torr_plugin.analysis.studentized_bootstrap import DRAWS, TAIL, PairValues, studentized
from torr_plugin.core.statistics import clustered_means


def statistic(values: np.ndarray, clusters: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """|t| and degrees of freedom."""
    found = clustered_means(values, clusters)
    return np.abs(found.mean) / np.sqrt(found.variance), found.freedom


def plain_p(parts: list[tuple[np.ndarray, np.ndarray]], draws: int = 1500) -> float:
    """The symmetric studentized bootstrap of the mean over data sets, a draw at a time."""
    rng = np.random.default_rng(5)

    def moments(values: np.ndarray, clusters: np.ndarray) -> tuple[float, float]:
        names = sorted(set(clusters))
        sums = np.array([(values[clusters == name] - values.mean()).sum() for name in names])
        return values.mean(), len(names) / (len(names) - 1) * (sums**2).sum() / len(values) ** 2

    own = [moments(*part) for part in parts]
    observed = abs(sum(mean for mean, _ in own)) / sum(variance for _, variance in own) ** 0.5
    larger = 0
    for _ in range(draws):
        drawn = []
        for values, clusters in parts:
            names = rng.choice(sorted(set(clusters)), len(set(clusters)))
            pieces = [values[clusters == name] for name in names]
            labels = np.repeat(np.arange(len(names)), [len(piece) for piece in pieces])
            drawn.append(moments(np.concatenate(pieces), labels))
        shift = sum(mean - other for (mean, _), (other, _) in zip(drawn, own, strict=True))
        larger += abs(shift) >= observed * sum(variance for _, variance in drawn) ** 0.5 - 1e-9
    return (1 + larger) / (1 + draws)


@pytest.mark.full
@pytest.mark.parametrize("datasets", [1, 2])
def test_as_a_draw_at_a_time(datasets: int) -> None:
    rng = np.random.default_rng(2)
    parts = [
        (rng.exponential(size=size) - 0.7, np.sort(np.arange(size) // 2 * (place + 1) % 11))
        for place, size in enumerate((24, 30)[:datasets])
    ]
    parts = [(values, np.unique(clusters, return_inverse=True)[1]) for values, clusters in parts]
    found = [clustered_means(values[None], clusters) for values, clusters in parts]
    mean, variance = (sum(getattr(one, name)[0] for one in found) for name in ("mean", "variance"))
    values = [PairValues(f"d{place}", own[None], clusters) for place, (own, clusters) in enumerate(parts)]
    p_values, critical = studentized(values, np.array([abs(mean) / variance**0.5]), np.array([9.0]), 0.95, 0)
    assert p_values[0] == pytest.approx(plain_p(parts), abs=0.025)
    assert (p_values[0] <= 0.05) == (abs(mean) / variance**0.5 > critical[0])


def test_questions_without_an_answer_count_in_no_draw() -> None:
    rng = np.random.default_rng(3)
    values = rng.exponential(size=20) - 0.6
    holes = np.concatenate([values, np.full(10, np.nan)])
    observed, freedom = statistic(values[None], np.arange(20))
    found = [
        studentized([PairValues("d", own[None], np.arange(len(own)))], observed, freedom, 0.95, 0)[0][0]
        for own in (values, holes)
    ]
    assert found[0] == pytest.approx(found[1], abs=0.02)


def test_beyond_the_draws_is_a_stretched_t() -> None:
    """Continuous where ``TAIL`` draws are larger, falling, and as heavy as the draws say."""
    values = np.random.default_rng(4).exponential(size=(1, 60))
    part, freedom = PairValues("d", values, np.arange(60)), np.full(400, 59.0)
    part = PairValues("d", np.repeat(values, 400, axis=0), np.arange(60))
    observed = np.linspace(2, 12, 400)
    p_values, _ = studentized([part], observed, freedom, 0.95, 0)
    assert (np.diff(p_values) <= 1e-12).all()
    at = np.argmax(p_values <= TAIL / (DRAWS + 1))
    assert p_values[at] == pytest.approx(TAIL / (DRAWS + 1), rel=0.2)
    assert 0 < p_values[-1] < 1e-7
    assert (p_values[at:] > 2 * stats.t.sf(observed[at:], 59)).all(), "heavier than Student's"


def test_a_few_right_answers_show_little() -> None:
    """Three questions that one model alone gets right are about as telling as three coins, 2 / 2**3."""
    values = np.zeros((1, 200))
    values[0, :3] = 1
    observed, freedom = statistic(values, np.arange(200))
    p_values, _ = studentized([PairValues("d", values, np.arange(200))], observed, freedom, 0.95, 0)
    assert 0.15 < p_values[0] < 0.3


@pytest.mark.full
@pytest.mark.parametrize(("examples", "exceptions"), [(40, 1), (40, 3), (100, 2), (1000, 1), (1000, 3)])
def test_a_few_exceptions_do_not_hide_a_difference(examples: int, exceptions: int) -> None:
    scores = np.ones((2, 1, examples))
    scores[1, :, exceptions:] = 0
    (pair,) = analyse(cube_frame(scores), resamples=30, rankings=2, repeats=1)["pairs"]
    own = pair["performance"]["overall"]
    assert own["skewed"]
    assert own["p"] < 1e-4
    assert own["difference"] - 4 * exceptions / examples < own["low"] < own["difference"] < own["high"] <= 1


@pytest.mark.parametrize("differing", [2, 4, 5, 6])
def test_so_few_tables_show_no_more_than_their_signs(differing: int) -> None:
    scores = np.ones((2, 1, differing + 1))
    scores[1, :, 1:] = 0
    (pair,) = analyse(cube_frame(scores), resamples=30, rankings=2, repeats=1)["pairs"]
    own = pair["performance"]["overall"]
    assert own["p"] == pytest.approx(2 / 2**differing, rel=1e-6)
    assert own["paired"] == (own["low"] > 1e-9) == (differing == 6)


def test_a_few_exceptions_on_each_of_two_data_sets_do_not_hide_a_difference() -> None:
    """A draw that misses those of the smaller one has the error of the larger one alone."""
    parts = [PairValues(f"d{n}", 1.0 - (np.arange(n) < 1)[None], np.arange(n)) for n in (20, 1000)]
    found = [clustered_means(part.values, part.clusters) for part in parts]
    observed = sum(one.mean for one in found) / np.sqrt(sum(one.variance for one in found))
    assert studentized(parts, observed, np.array([19.0]), 0.95, 0)[0][0] < 1e-4


@pytest.mark.parametrize("value", [0.2, 1 / 7, 1 / 3])
def test_draws_of_one_value_alone_have_the_error_of_the_data(value: float) -> None:
    """One of 500 differences is another: 37 of 100 draws lack it, and their statistic is the data's."""
    values = np.full((1, 500), value)
    values[0, 3] += 0.5
    (error,) = np.sqrt(clustered_means(values, np.arange(500)).variance)
    shift = np.array([0.5 / 500])
    p_values, critical = studentized(
        [PairValues("d", values, np.arange(500))], shift / error, np.array([499.0]), 0.95, 0
    )
    # it is drawn no time, or three times or more: (k - 1) / sqrt(k) >= 1
    assert p_values[0] == pytest.approx(1 - 1.5 / np.e, abs=0.015)
    assert critical[0] < 2


def test_skewed_pairs_are_marked_and_others_are_students() -> None:
    rng = np.random.default_rng(6)
    base = rng.random((1, 2, 90))
    scores = np.concatenate(
        [base, base + rng.normal(0.02, 0.3, base.shape), base + 0.3 * (rng.random(90) < 0.05)]
    )
    found = analyse(cube_frame(np.clip(scores, 0, 1)), resamples=30)
    assert len(found["pairs"]) == 3
    for pair in found["pairs"]:
        own = pair["performance"]["overall"]
        assert own.get("skewed", False) == ({"m0", "m2"} == set(pair["models"]))
        assert own == pair["performance"]["datasets"]["d"]
        assert own["paired"] == (own["p"] <= 0.05)
