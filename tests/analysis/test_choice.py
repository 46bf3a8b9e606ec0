"""Which serializer to use: against scipy's Tukey and t test, by plain loops, and with truth that is known."""

from __future__ import annotations

from dataclasses import replace
from statistics import fmean
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from scipy import stats

from tests.analysis.made import cube_frame
from tests.analysis.made import plain as plain_json
from torr_plugin.analysis.cube import Cube, cubes
from torr_plugin.analysis.figures import serializer_choice as figure
from torr_plugin.analysis.figures.factor_cubes import factor_cubes
from torr_plugin.analysis.frame import main_scores
from torr_plugin.analysis.options import Options

from . import plain_parts as plain
from .plain_parts import Cell

ERROR = 0.01
"""Of p-values and relative of limits that rest on 9,999 draws, three standard errors."""


def cube_of(means: np.ndarray, dataset: str = "d") -> Cube:
    """(serializers x examples) of one model, without perturbations; serializers are s0, s1 ..."""
    return cubes_of(means[None], dataset)


def cubes_of(means: np.ndarray, dataset: str = "d") -> Cube:
    """(models x serializers x examples)."""
    names = [
        tuple(f"{letter}{i:03d}" for i in range(n)) for letter, n in zip("mse", means.shape, strict=True)
    ]
    parts = {"serializer": {name: name for name in names[1]}}
    return Cube(dataset, "em", *names, means, parts)


def serializer_choice(all_cubes: list[Cube], options: Options) -> dict[str, Any]:
    compared = factor_cubes(all_cubes, "serializer")
    assert compared is not None
    return {m: plain_json(found) for m, found in figure.serializer_choice(compared, options).items()}


def chosen(*cubes: Cube, level: float = 0.95) -> list[dict[str, Any]]:
    """Of the first model, overall."""
    found = serializer_choice(list(cubes), Options(resamples=50, level=level))
    return list(found["m000"]["overall"])


def by_name(rows: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {row["serializer"]: row for row in rows}


def test_uncorrelated_serializers_of_one_variance_are_scipys_tukey() -> None:
    """With the identity as observed covariance the largest difference is the studentized range.

    Of many examples, where it does not matter that Tukey's variance is pooled and a pair's own is not.
    """
    size, things, level = 2000, 5, 0.9
    rng = np.random.default_rng(0)
    raw = rng.normal(size=(size, things + 1))
    raw[:, 0] = 1  # what is orthogonal to it has mean 0
    columns = np.linalg.qr(raw)[0][:, 1:] * np.sqrt(size - 1) * 0.05
    error = 0.05 * np.sqrt(2 / size)
    steps = np.array([0, 0.3, 1.6, 2.6, 6])
    means = 0.6 - error * steps[:, None] + columns.T
    assert np.cov(means) == pytest.approx(0.05**2 * np.eye(things), abs=1e-12)
    limit = stats.studentized_range.ppf(level, things, size - 1) / np.sqrt(2)
    rows = chosen(cube_of(means), level=level)
    assert [row["serializer"] for row in rows] == ["s000", "s001", "s002", "s003", "s004"]
    for row, step in zip(rows, steps, strict=True):
        assert row["behind"]["value"] == pytest.approx(error * step, abs=1e-12)
        low = error * max(0, step - limit)
        assert row["behind"]["low"] == pytest.approx(low, abs=ERROR * error * 3)
        p = stats.studentized_range.sf(np.sqrt(2) * step, things, size - 1) if step else 1.0
        assert row["behind"]["p"] == pytest.approx(p, abs=ERROR)
    # how far the best itself may lie behind: as far as the second may be ahead of it
    assert rows[0]["behind"]["high"] == pytest.approx(error * (limit - 0.3), abs=ERROR * error * 3)
    assert rows[-1]["behind"]["high"] == pytest.approx(error * (limit + 6), abs=ERROR * error * 3)


def test_two_serializers_are_scipys_paired_t_test() -> None:
    rng = np.random.default_rng(1)
    base = rng.random(30)
    means = np.stack([base, base + rng.normal(0.02, 0.05, 30)])
    better, other = chosen(cube_of(means))
    assert (better["serializer"], other["serializer"]) == ("s001", "s000")
    test = stats.ttest_rel(means[1], means[0])
    bounds = test.confidence_interval(0.95)
    half = bounds.high - (means[1] - means[0]).mean()
    assert other["behind"]["p"] == pytest.approx(test.pvalue, abs=ERROR)
    assert other["behind"]["high"] == pytest.approx(bounds.high, abs=2 * ERROR * half)
    assert other["behind"]["low"] == pytest.approx(max(0.0, bounds.low), abs=2 * ERROR * half)
    assert better["behind"] == {
        "value": 0.0,
        "low": 0.0,
        "high": pytest.approx(max(0.0, -bounds.low), abs=2 * ERROR * half),
        "p": 1.0,
    }


@pytest.mark.full
@settings(max_examples=15, deadline=None)
@given(plain.whole())
def test_any_scores_as_plain_loops_have_them(cells: dict[Cell, float]) -> None:
    """Means over what all serializers have; what each says of itself fits together."""
    all_cubes = cubes(main_scores(plain.frame(cells)))
    found = serializer_choice(all_cubes, Options(resamples=20))
    for model, places in found.items():
        for dataset, rows in places["datasets"].items():
            own = [cell for cell in cells if (cell.model, cell.dataset) == (model, dataset)]
            asked: dict[str, set[tuple[str, str]]] = {}
            for cell in own:
                asked.setdefault(cell.serializer, set()).add((cell.perturbation, cell.design))
            shared = set.intersection(*asked.values())
            expected = (
                {
                    name: fmean(
                        cells[cell]
                        for cell in own
                        if cell.serializer == name and (cell.perturbation, cell.design) in shared
                    )
                    for name in asked
                }
                if shared
                else {}
            )
            if len(expected) > 1:
                assert {row["serializer"]: row["value"] for row in rows} == pytest.approx(expected)
            else:
                assert rows == []
            check(rows, compared([other["datasets"][dataset] for other in found.values()]))
        check(places["overall"], compared([other["overall"] for other in found.values()]))


def compared(models: list[list[dict[str, Any]]]) -> int:
    """How many models have a test."""
    return sum(any(row["behind"]["p"] is not None for row in rows) for rows in models)


def check(rows: list[dict[str, Any]], models: int, level: float = 0.95) -> None:
    """What must hold of any comparison."""
    best = max((row["value"] for row in rows), default=0.0)
    assert [row["value"] for row in rows] == sorted((row["value"] for row in rows), reverse=True)
    for row in rows:
        behind = row["behind"]
        assert behind["value"] == pytest.approx(best - row["value"], abs=1e-9)
        if behind["p"] is None:
            assert behind["low"] is behind["high"] is None
            assert not row["worse"]
            continue
        assert 0 <= behind["low"] <= behind["value"]
        assert behind["high"] is None or behind["value"] <= behind["high"]
        assert (behind["low"] > 0) == (behind["p"] <= 1 - level + 1e-9)
        assert row["worse"] == (models * behind["p"] <= 1 - level + 1e-9)
    assert not rows or not rows[0]["worse"], "the best is never worse than the best"


def test_where_all_are_asked_alike_the_means_are_those_of_serializers_scores() -> None:
    rows = cube_frame(np.random.default_rng(2).random((2, 6, 12)), parts=True)
    found = plain.figures(rows, resamples=100)["serializers"]
    for model in ("m0", "m1"):
        for row in found["choice"][model]["overall"]:
            scores = found["scores"]["overall"][row["serializer"]][model]
            assert {key: row[key] for key in ("value", "low", "high")} == pytest.approx(scores)


def test_examples_that_lack_a_serializer_are_left_out_of_that_models_comparison() -> None:
    rng = np.random.default_rng(3)
    means = rng.random((2, 3, 20))
    means[0, 1, 4] = np.nan
    found = serializer_choice([cubes_of(means)], Options(resamples=20))
    first, second = (by_name(found[model]["overall"]) for model in ("m000", "m001"))
    there = np.arange(20) != 4
    for place in range(3):
        name = f"s{place:03d}"
        assert first[name]["value"] == pytest.approx(means[0, place, there].mean())
        assert first[name]["complete"] is False
        assert second[name]["value"] == pytest.approx(means[1, place].mean())
        assert "complete" not in second[name]
    alone = serializer_choice([cubes_of(means[:, :, there][:1])], Options(resamples=20))["m000"]["overall"]
    for row in alone:
        assert row["behind"] == pytest.approx(first[row["serializer"]]["behind"])


def test_asking_every_question_thrice_shows_no_more() -> None:
    """Of equal standard errors and degrees of freedom, the same draws; score intervals count examples too."""
    means = np.random.default_rng(13).random((1, 3, 12))
    thrice = replace(cubes_of(np.repeat(means, 3, axis=2)), clusters=np.repeat(np.arange(12), 3))
    for once, row in zip(chosen(cubes_of(means)), chosen(thrice), strict=True):
        assert row["value"] == pytest.approx(once["value"])
        assert row["behind"] == pytest.approx(once["behind"])


def test_a_serializer_without_any_score_of_a_model_is_left_out_for_it() -> None:
    means = np.random.default_rng(4).random((2, 3, 9))
    means[1, 2] = np.nan
    found = serializer_choice([cubes_of(means)], Options(resamples=20))
    assert set(by_name(found["m000"]["overall"])) == {"s000", "s001", "s002"}
    assert set(by_name(found["m001"]["overall"])) == {"s000", "s001"}
    means[1, 1] = np.nan
    assert serializer_choice([cubes_of(means)], Options(resamples=20))["m001"]["overall"] == []


def test_overall_is_of_the_serializers_that_all_data_sets_have() -> None:
    rng = np.random.default_rng(5)
    a, b = cube_of(rng.random((3, 10)), "a"), cube_of(rng.random((2, 30)), "b")
    found = serializer_choice([a, b], Options(resamples=20))["m000"]
    assert set(by_name(found["datasets"]["a"])) == {"s000", "s001", "s002"}
    overall = by_name(found["overall"])
    assert set(overall) == {"s000", "s001"}
    for place, name in enumerate(("s000", "s001")):
        assert overall[name]["value"] == pytest.approx(
            (a.scores[0, place].mean() + b.scores[0, place].mean()) / 2
        )


def test_only_what_all_serializers_were_asked_under_counts() -> None:
    """b alone was asked transposed, where everything is right: that must not make it the better one."""
    scores = {
        Cell("m", "d", serializer, perturbation, "x", f"e{e}"): score
        for serializer, perturbation, score in (
            ("a", "none", 0.5),
            ("a", "shuffle", 0.3),
            ("b", "none", 0.4),
            ("b", "shuffle", 0.2),
            ("b", "transpose", 1.0),
        )
        for e in range(4)
    }
    rows = plain.figures(plain.frame(scores))["serializers"]["choice"]["m"]["overall"]
    assert [(row["serializer"], row["value"]) for row in rows] == [("a", 0.4), ("b", pytest.approx(0.3))]
    apart = {
        cell: score
        for cell, score in scores.items()
        if (cell.serializer == "a") == (cell.perturbation == "none")
    }
    assert plain.figures(plain.frame(apart))["serializers"]["choice"] == {}, "nothing is shared"


def test_no_serializers_no_choice() -> None:
    rng = np.random.default_rng(6)
    assert "serializers" not in plain.figures(cube_frame(rng.random((2, 4, 5))))
    assert serializer_choice([cube_of(rng.random((1, 5)))], Options(resamples=5)) == {}


def test_one_example_and_constant_differences() -> None:
    for row in chosen(cube_of(np.array([[0.2], [0.4]]))):
        assert (row["behind"]["low"], row["behind"]["high"], row["behind"]["p"], row["worse"]) == (
            None,
            None,
            None,
            False,
        )
    base = np.linspace(0.1, 0.5, 9)
    rows = by_name(chosen(cube_of(np.stack([base, base, base + 0.25]))))
    assert rows["s002"]["behind"] == {"value": 0.0, "low": 0.0, "high": 0.0, "p": 1.0}
    assert rows["s000"]["worse"]
    assert rows["s000"]["behind"] == rows["s001"]["behind"]
    assert rows["s000"]["behind"]["low"] == pytest.approx(0.25)
    equal = chosen(cube_of(np.stack([base, base])))
    assert [row["behind"] for row in equal] == [{"value": 0.0, "low": 0.0, "high": 0.0, "p": 1.0}] * 2


@pytest.mark.parametrize(("examples", "sure"), [(2, False), (6, False), (7, True)])
def test_constant_differences_are_as_sure_as_there_are_examples(examples: int, sure: bool) -> None:
    """Right on every example against wrong on every one: of two examples that happens by chance."""
    right, wrong = np.ones(examples), np.zeros(examples)
    rows = by_name(chosen(cube_of(np.stack([right, right, wrong]))))
    p = min(1.0, 3 * 2 / 2**examples)
    expected = {"value": 1.0, "low": float(sure), "high": 1.0 if sure else None, "p": pytest.approx(p)}
    assert rows["s002"]["behind"] == expected
    assert rows["s002"]["worse"] is sure
    assert not rows["s001"]["worse"]


def test_no_serializer_lies_more_than_1_behind() -> None:
    right = np.ones(60)
    rows = by_name(chosen(cube_of(np.stack([right, right, 1.0 * (np.arange(60) < 1)]))))
    behind = rows["s002"]["behind"]
    assert (behind["value"], behind["high"]) == (pytest.approx(59 / 60), 1.0)
    assert rows["s002"]["worse"]
    assert 0.9 < behind["low"] < behind["value"]


@pytest.mark.full
@pytest.mark.parametrize(("kind", "examples"), [("binary", 2), ("normal", 4)])
def test_few_examples_of_equal_serializers_tell_none_apart(kind: str, examples: int) -> None:
    """On two examples some of seven are right on both and some wrong on both; each pair has its own error."""
    rng, studies = np.random.default_rng(12), 60
    shape = (studies, 7, examples)
    scores = (rng.random(shape) < 0.5).astype(float) if kind == "binary" else rng.normal(0.5, 0.1, shape)
    found = serializer_choice([cubes_of(scores)], Options(resamples=5))
    wrong = sum(any(row["worse"] for row in model["overall"]) for model in found.values())
    assert wrong / studies <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / studies)


def test_serializers_that_hardly_differ_are_compared_exactly() -> None:
    """Differences of a millionth of the scores' spread keep their own error."""
    rng = np.random.default_rng(7)
    base, small = rng.random(40), rng.normal(1e-7, 1e-7, 40)
    found = by_name(chosen(cube_of(np.stack([base, base + small]))))
    assert found["s000"]["behind"]["p"] == pytest.approx(stats.ttest_1samp(small, 0).pvalue, abs=ERROR)
    assert found["s000"]["worse"]


@pytest.mark.full
def test_the_order_of_rows_and_other_models_change_nothing() -> None:
    rows = cube_frame(np.random.default_rng(8).random((3, 6, 8)), parts=True)
    rows = pd.concat([rows, rows.assign(dataset="other", score=rows["score"] ** 2)])
    whole = plain.figures(rows)["serializers"]["choice"]
    assert plain.figures(rows.sample(frac=1, random_state=1))["serializers"]["choice"] == whole
    alone = plain.figures(rows[rows["model"] == "m1"])["serializers"]["choice"]
    assert alone["m1"] == whole["m1"]


def rates(kind: str, truth: np.ndarray, studies: int, datasets: int = 1) -> tuple[float, float]:
    """Share of studies that call any of the truly best worse; share whose bounds all hold the truth."""
    rng = np.random.default_rng(11)
    wrong = covered = 0
    for _ in range(studies):
        parts = []
        for place in range(datasets):
            # an example is easy or hard under all serializers, so that their scores go together
            chance = np.clip(truth[:, None] + rng.normal(0, 0.15, 60), 0.02, 0.98)
            score = (rng.random(chance.shape) < chance).astype(float)
            if kind == "continuous":
                score = truth[:, None] + rng.normal(0, 0.1, 60) + rng.normal(0, 0.1, chance.shape)
            parts.append(cube_of(score, f"d{place}"))
        rows = by_name(chosen(*parts))
        behind = truth.max() - truth
        names = [f"s{i:03d}" for i in range(len(truth))]
        wrong += any(rows[name]["worse"] for name, true in zip(names, behind, strict=True) if true == 0)
        ends = [(rows[name]["behind"]["low"], rows[name]["behind"]["high"]) for name in names]
        covered += all(low <= true <= high for (low, high), true in zip(ends, behind, strict=True))
    return wrong / studies, covered / studies


EQUAL, ONE_BEST = np.full(6, 0.5), np.array([0.55, 0.5, 0.5, 0.5, 0.45, 0.45])


@pytest.mark.full
@pytest.mark.parametrize("kind", ["binary", "continuous"])
def test_equal_serializers_are_rarely_told_apart_quickly(kind: str) -> None:
    """60 studies: far from exact, but one that forgets the choice of the best would show (some 25 %)."""
    wrong, _ = rates(kind, EQUAL, 60)
    assert wrong <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 60)


@pytest.mark.release
def test_tables_with_several_questions_call_no_equal_serializer_worse() -> None:
    """An intraclass correlation of 0.2: 5 % by tables; by questions more than twice as many."""
    rng, studies = np.random.default_rng(12), 1000
    tables = np.repeat(np.arange(40), rng.integers(1, 10, 40))
    of_table = rng.normal(0, 0.2**0.5, (studies, 4, 40))[..., tables]
    cube = cubes_of(0.5 + 0.1 * (of_table + rng.normal(0, 0.8**0.5, (studies, 4, len(tables)))))
    by_table, by_question = (
        np.mean([any(row["behind"]["p"] <= 0.05 for row in model["overall"]) for model in found.values()])
        for found in (
            serializer_choice([replace(cube, clusters=clusters)], Options(resamples=5))
            for clusters in (tables, np.arange(len(tables)))
        )
    )
    assert by_table == pytest.approx(0.05, abs=0.02)
    assert by_question > 0.1


@pytest.mark.release
@pytest.mark.parametrize("kind", ["binary", "continuous"])
@pytest.mark.parametrize("datasets", [1, 3])
def test_the_truly_best_is_called_worse_as_rarely_as_the_level_says(kind: str, datasets: int) -> None:
    studies = 1000
    error = 3 * np.sqrt(0.05 * 0.95 / studies)
    if kind == "binary":  # t is an approximation there: 7.1 % of these studies, with a score an example
        error += 0.01
    wrong, covered = rates(kind, EQUAL, studies, datasets)
    assert 0.05 - 2 * error <= wrong <= 0.05 + error, "of equal ones, some pair is claimed at about the level"
    assert covered >= 0.95 - error
    if kind == "continuous":  # the truth of clipped chances is not the mean that is asked for
        wrong, covered = rates(kind, ONE_BEST, studies, datasets)
        assert wrong <= 0.05 + error
        assert covered >= 0.95 - error
