"""Reliability against plain loops over the same draws, and what its curves must do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from tests.analysis.made import cube_frame
from torr_plugin.analysis import analyse
from torr_plugin.analysis.reliability_draws import (
    Draws,
    cell_sums,
    disjoint_means,
    draws_w,
    example_means,
    prompt_means,
    random_orders,
    steps,
    table_orders,
)
from torr_plugin.core.seeds import generator

from .slow_reference import slow_disjoint_w, slow_prompt_w, slow_w_of_draws

NAN = float("nan")
SCORES = st.sampled_from([0.0, 0.25, 0.5, 1.0, 1 / 3])
HOLED = st.one_of(SCORES, SCORES, SCORES, SCORES, st.just(NAN))


@st.composite
def drawn_cubes(draw: st.DrawFn) -> tuple[np.ndarray, Draws]:
    shape = draw(st.tuples(st.integers(2, 4), st.integers(1, 5), st.integers(1, 5)))
    cube = draw(hnp.arrays(float, shape, elements=draw(st.sampled_from([SCORES, HOLED]))))
    rng = np.random.default_rng(draw(st.integers(0, 1000)))
    rankings = draw(st.integers(2, 4))
    orders = [random_orders(rng, size, 3, rankings) for size in shape[1:]]
    return cube, Draws(*orders)


def same(found: np.ndarray, expected: list[float]) -> None:
    np.testing.assert_allclose(found, expected, atol=1e-12)


@pytest.mark.full
@given(drawn_cubes())
@settings(max_examples=40, deadline=None)
def test_every_point_is_the_plain_loops(given_draws: tuple[np.ndarray, Draws]) -> None:
    cube, draws = given_draws
    _, configurations, examples = cube.shape
    by_k = draws_w(prompt_means(*cell_sums(cube), draws.configurations))
    for k in range(1, configurations + 1):
        same(by_k[k - 1], slow_prompt_w(cube, draws.configurations, k))
    for k in range(1, configurations // 2 + 1):
        found = draws_w(disjoint_means(*cell_sums(cube), draws.configurations, k))
        same(found, slow_disjoint_w(cube, draws.configurations, k))
    ks, ns = list(range(1, configurations + 1)), list(range(1, examples + 1))
    table = draws_w(example_means(cube, draws, ks, ns))
    for row, n in enumerate(ns):
        for column, k in enumerate(ks):
            expected = slow_w_of_draws(cube, draws.configurations, draws.examples, k, n)
            same(table[row, column], expected)


def test_orders_are_permutations_each_its_own() -> None:
    orders = random_orders(np.random.default_rng(0), 6, 500, 4)
    assert orders.shape == (500, 4, 6)
    assert (np.sort(orders, axis=2) == np.arange(6)).all()
    share = (orders == np.arange(6)).mean(axis=(0, 1))
    np.testing.assert_allclose(share, 1 / 6, atol=0.04)
    assert len(np.unique(orders.reshape(-1, 6), axis=0)) > 600


def test_examples_of_a_table_are_drawn_together() -> None:
    clusters = np.array([0, 1, 0, 2, 1, 0, 3])
    orders = table_orders(np.random.default_rng(0), clusters, 300, 2)
    assert (np.sort(orders, axis=2) == np.arange(7)).all()
    assert ((np.diff(clusters[orders], axis=2) != 0).sum(axis=2) == 3).all(), "each table in one piece"
    first = np.bincount(clusters[orders[..., 0]].ravel(), minlength=4) / 600
    np.testing.assert_allclose(first, 0.25, atol=0.06)
    own = table_orders(np.random.default_rng(1), np.arange(7), 4, 2)
    np.testing.assert_array_equal(own, random_orders(np.random.default_rng(1), 7, 4, 2))


def test_steps() -> None:
    assert steps(1, 7) == [1, 2, 5, 7]
    assert steps(1, 1) == [1]
    assert steps(1, 0) == []
    assert steps(5, 100) == [5, 10, 20, 50, 100]
    assert steps(5, 4) == [4]
    assert steps(1, 35) == [1, 2, 5, 10, 20, 35]


def cube(models: int = 8, configurations: int = 12, examples: int = 40, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    ability = rng.normal(0, 0.06, (models, 1, 1)) + rng.normal(0, 0.06, (models, configurations, 1))
    return np.clip(0.5 + ability + rng.normal(0, 0.3, (models, configurations, examples)), 0, 1)


@pytest.fixture(scope="module")
def curves() -> dict[str, Any]:
    rows = pd.concat([cube_frame(cube(), "a"), cube_frame(cube(seed=1, examples=25), "b")])
    return dict(analyse(rows, resamples=50, repeats=60)["reliability"])


def test_the_shape_is_the_designs(curves: dict[str, Any]) -> None:
    assert set(curves) == {"a", "b", "overall"}
    for name, examples in (("a", 40), ("b", 25), ("overall", None)):
        own = curves[name]
        assert set(own) == {"prompts", "examples", "disjoint"}
        assert [(p["k"], p["n"], p["rankings"]) for p in own["prompts"]] == [
            (k, examples, 10) for k in range(1, 13)
        ]
        fitting = {1: 10, 2: 6, 3: 4, 4: 3, 5: 2, 6: 2}
        assert {p["k"]: p["rankings"] for p in own["disjoint"]} == fitting
        assert {p["k"] for p in own["examples"]} == {1, 2, 5, 10, 12}
    assert {p["n"] for p in curves["a"]["examples"]} == {5, 10, 20, 40}
    assert {p["n"] for p in curves["overall"]["examples"]} == {5, 10, 20, 25}
    for own in curves.values():
        for point in [*own["prompts"], *own["examples"], *own["disjoint"]]:
            assert set(point) == {"k", "n", "w", "low", "high", "spearman", "rankings", "chance"}
            assert point["low"] <= point["w"] <= point["high"]
            assert point["chance"] == pytest.approx(1 / point["rankings"])
            m = point["rankings"]
            assert point["spearman"] == pytest.approx((m * point["w"] - 1) / (m - 1))


def test_all_configurations_and_examples_agree_by_definition(curves: dict[str, Any]) -> None:
    """Overlap alone drives W to 1; draws that share no configuration do not."""
    for own in curves.values():
        last = own["prompts"][-1]
        assert (last["w"], last["low"], last["high"], last["spearman"]) == (1, 1, 1, 1)
        assert own["disjoint"][-1]["spearman"] < 0.97 * own["prompts"][-2]["spearman"]
    assert [p["w"] for p in curves["a"]["examples"] if (p["k"], p["n"]) == (12, 40)] == [1]
    assert [p["w"] for p in curves["a"]["examples"] if (p["k"], p["n"]) == (12, 20)] != [1]


def test_more_configurations_and_examples_agree_more(curves: dict[str, Any]) -> None:
    for own in curves.values():
        by_k = [point["w"] for point in own["prompts"]]
        assert by_k == sorted(by_k)
        for k in (1, 5):
            by_n = [point["w"] for point in own["examples"] if point["k"] == k]
            assert by_n == sorted(by_n)


@pytest.mark.full
def test_one_configuration_each_is_about_the_agreement_of_single_configurations() -> None:
    rows = cube_frame(cube(configurations=10))
    found = analyse(rows, resamples=20)
    (first, *_) = found["reliability"]["d"]["disjoint"]
    assert first["rankings"] == 10
    assert first["w"] == pytest.approx(found["configuration_agreement"]["d"]), "all ten, in another order"
    more = analyse(cube_frame(cube(configurations=30)), resamples=20)
    first = more["reliability"]["d"]["disjoint"][0]
    pairs = (30 * more["configuration_agreement"]["d"] - 1) / 29
    assert first["spearman"] == pytest.approx(pairs, abs=0.02)


def test_models_without_differences_are_ranked_by_chance() -> None:
    rng = np.random.default_rng(0)
    orders = random_orders(rng, 40, 20, 10)
    noise = [rng.random((12, 40, 5)) for _ in range(40)]
    for k, rankings in ((1, 10), (4, 10), (13, 3), (20, 2)):
        found = [draws_w(disjoint_means(*cell_sums(one), orders, k)).mean() for one in noise]
        assert np.mean(found) == pytest.approx(1 / rankings, abs=0.025)
    overlapping = [draws_w(prompt_means(*cell_sums(one), orders))[34].mean() for one in noise]
    assert np.mean(overlapping) > 0.5, "overlap alone"


def test_rankings_and_repeats_are_what_is_asked_for() -> None:
    rows = cube_frame(cube(configurations=6, examples=10))
    found = analyse(rows, resamples=5, rankings=3, repeats=7)
    assert (found["settings"]["rankings"], found["settings"]["repeats"]) == (3, 7)
    assert {point["rankings"] for point in found["reliability"]["d"]["prompts"]} == {3}
    orders = random_orders(
        generator(0, "reliability", "configurations", *(f"c{c}" for c in range(6))), 6, 7, 3
    )
    scores = np.round(cube(configurations=6, examples=10), 15)
    expected = [np.mean(slow_prompt_w(scores, orders, k)) for k in range(1, 7)]
    assert [point["w"] for point in found["reliability"]["d"]["prompts"]] == pytest.approx(expected)
    low = np.quantile(slow_prompt_w(scores, orders, 2), 0.025)
    assert found["reliability"]["d"]["prompts"][1]["low"] == pytest.approx(low)


def test_overall_is_by_the_mean_over_data_sets_in_the_same_configurations() -> None:
    one, other = cube(5, 4, 9), cube(5, 4, 9, seed=1)
    found = analyse(pd.concat([cube_frame(one, "a"), cube_frame(other, "b")]), resamples=5, repeats=8)
    names = "reliability", "configurations", *(f"c{c}" for c in range(4))
    orders = random_orders(generator(0, *names), 4, 8, 10)
    expected = [np.mean(slow_prompt_w((one + other) / 2, orders, k)) for k in range(1, 5)]
    assert [p["w"] for p in found["reliability"]["overall"]["prompts"]] == pytest.approx(expected)


def test_holes_count_for_nothing() -> None:
    holed = cube(4, 6, 12)
    holed[1, 2, 3] = holed[0, 5, :6] = NAN
    found = analyse(cube_frame(holed), resamples=5, repeats=8)
    names = "reliability", "configurations", *(f"c{c}" for c in range(6))
    orders = random_orders(generator(0, *names), 6, 8, 10)
    holed[:, 2, 3] = holed[:, 5, :6] = NAN  # models are ranked by the cells that all of them have
    expected = [np.mean(slow_prompt_w(holed, orders, k)) for k in range(1, 7)]
    assert [p["w"] for p in found["reliability"]["d"]["prompts"]] == pytest.approx(expected)
    assert found["reliability"]["d"]["prompts"][-1]["w"] == 1


def test_a_draw_without_a_models_scores_is_left_out() -> None:
    holed = cube(3, 2, 6)
    holed[0, 0, 1:] = NAN  # one score in this configuration: most draws of a single example lack it
    found = draws_w(
        example_means(
            holed,
            Draws(
                *(random_orders(np.random.default_rng(seed), size, 50, 2) for seed, size in ((0, 2), (1, 6)))
            ),
            [1, 2],
            [1, 6],
        )
    )
    assert np.isnan(found[0, 0]).any()
    assert not np.isnan(found[1]).any()
