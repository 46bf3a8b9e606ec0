"""What it takes to see a difference: by subsets of configurations, by hand, and as the study itself."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, pairwise

import numpy as np
import pytest

from tests.analysis.made import as_cube, study_of
from torr_plugin.analysis.cube import Cube
from torr_plugin.analysis.detection import Detection, detection_budget
from torr_plugin.analysis.figures.detectable import detectable_differences
from torr_plugin.analysis.options import AnalysisError, Options
from torr_plugin.analysis.power import least_detectable
from torr_plugin.cli.commands.budget import show_budget

OPTIONS = Options(resamples=20)


def scores(seed: int, models: int = 4, configurations: int = 5, examples: int = 120) -> np.ndarray:
    """Right or wrong, of examples that are hard for all and hard for some."""
    rng = np.random.default_rng(seed)
    shape = (models, configurations, examples)
    ease = rng.normal(0.5, 0.3, (1, 1, examples)) + rng.normal(0, 0.2, (models, 1, examples))
    return (rng.random(shape) < ease).astype(float)


@pytest.mark.parametrize("tables", [120, 30])
def test_fewer_configurations_are_the_mean_of_all_subsets(tables: int) -> None:
    cube = replace(as_cube(scores(0, models=2)), clusters=np.arange(120) % tables)
    variances = Detection([cube], OPTIONS).variances
    difference = cube.scores[0] - cube.scores[1]
    for k in (1, 2, 4, 5):
        found = []
        for chosen in combinations(range(5), k):
            own = difference[list(chosen)].mean(axis=0)
            sums = np.bincount(cube.clusters, weights=own - own.mean())
            found.append(tables / (tables - 1) * (sums**2).sum() / 120)
        assert variances.common[0, 0] + variances.single[0, 0] / k == pytest.approx(np.mean(found))
    assert variances.tables[0, 0] == tables / 120


def test_the_study_sees_what_is_detectable() -> None:
    for cubes in ([as_cube(scores(1))], [as_cube(scores(2), "a"), as_cube(scores(3), "b")]):
        shown = detectable_differences(study_of(cubes, OPTIONS))
        assert shown is not None
        found = detection_budget(cubes, 0.05, OPTIONS)
        assert found["study"]["difference"] == pytest.approx(shown.overall.difference)
        assert found["pairs"] == shown.overall.pairs == 6


def test_each_option_is_the_least_that_sees_it() -> None:
    cubes = [as_cube(scores(4), "a"), as_cube(scores(5), "b")]
    found = detection_budget(cubes, 0.04, OPTIONS)
    variances = Detection(cubes, OPTIONS).variances
    for options, alpha in ((found["options"], 0.05), (found["corrected"]["options"], 0.05 / 6)):
        assert [way["configurations"] for way in options][:3] == [1, 2, 3]
        assert all(a["examples"] > b["examples"] for a, b in pairwise(options))
        for way in options:
            k, n = way["configurations"], way["examples"]
            assert variances.least_detectable((k, n), alpha) <= 0.04
            less = n - (100 if n > 1000 else 10 if n > 100 else 5)
            assert variances.least_detectable((k, less), alpha) > 0.04
            assert way["hardest_power"] == variances.hardest_power((k, n), 0.04, alpha) < 0.8
            assert way["requests_per_model"] == 2 * k * n
            assert way["requests"] == 8 * k * n
    assert found["corrected"]["cheapest"]["requests"] > found["cheapest"]["requests"]
    assert found["cheapest"]["configurations"] == 1, "a second configuration never halves the examples"


def test_by_hand_of_one_configuration() -> None:
    """Differences of 1, -1, 0, 0 have a variance of 2 / 3: 2.8 times the root of 2 / 3 / n is to be 0.1."""
    cube = as_cube(np.array([[[1.0, 0, 1, 0]], [[0, 1.0, 1, 0]]]))
    found = detection_budget([cube], 0.1, OPTIONS)
    ways = [way["examples"] for way in found["options"]]
    expected = next(
        n
        for n in range(2, 999)
        if least_detectable(np.array((2 / 3 / n) ** 0.5), np.array(n - 1.0), 0.05) <= 0.1
    )
    assert (ways, expected) == ([530], 526)
    assert found["cheapest"]["hardest_power"] == pytest.approx(0.8, abs=0.01), "of one pair"
    assert found["notes"] == ["of one configuration, nothing says what more of them would save"]


@pytest.mark.full
def test_tables_make_it_dearer_and_are_said() -> None:
    one = scores(6, examples=60)
    apart = as_cube(np.repeat(one, 2, axis=2))
    together = replace(apart, clusters=np.repeat(np.arange(60), 2))
    single, clustered = (detection_budget([cube], 0.05, OPTIONS) for cube in (apart, together))
    assert (single["design_effect"], clustered["design_effect"]) == (None, pytest.approx(2, rel=0.02))
    ratio = clustered["cheapest"]["examples"] / single["cheapest"]["examples"]
    assert ratio == pytest.approx(2, rel=0.1)


@pytest.mark.full
def test_holes_and_models_without_a_data_set() -> None:
    holed, rng = scores(7), np.random.default_rng(8)
    holed[rng.random(holed.shape) < 0.02] = np.nan
    whole = detection_budget([as_cube(scores(7))], 0.05, OPTIONS)["cheapest"]["examples"]
    assert detection_budget([as_cube(holed)], 0.05, OPTIONS)["cheapest"]["examples"] == pytest.approx(
        whole, rel=0.1
    )
    holed[2] = np.nan
    found = detection_budget([as_cube(holed), as_cube(scores(9), "b")], 0.05, OPTIONS)
    assert (found["models"], found["pairs"]) == (3, 3)
    assert found["notes"] == ["1 of 4 models lack a data set and are left out"]


@pytest.mark.full
def test_the_terminal_says_what_tables_cost(capsys: pytest.CaptureFixture[str]) -> None:
    cube = replace(
        as_cube(np.repeat(scores(6, examples=60), 2, axis=2)), clusters=np.repeat(np.arange(60), 2)
    )
    show_budget({**detection_budget([cube], 0.05, OPTIONS), "label_keeping": False, "cost": None})
    said = capsys.readouterr().out
    assert "Examples share tables, so it takes 2.02 times as many." in said
    assert "Corrected for 6 pairs: 1 configuration with" in said
    found = detection_budget([cube], 0.05, OPTIONS)
    show_budget({**found, "design_effect": 0.74, "label_keeping": False, "cost": None})
    assert "Examples share tables" not in capsys.readouterr().out


def test_what_cannot_be_seen_and_wrong_wishes(capsys: pytest.CaptureFixture[str]) -> None:
    cube: Cube = as_cube(scores(10))
    found = detection_budget([cube], 0.0001, OPTIONS)
    assert (found["reachable"], found["cheapest"], found["corrected"]["cheapest"]) == (False, None, None)
    assert found["ceiling"]["difference"] > 0.0001
    show_budget({**found, "label_keeping": False, "cost": None})
    said = capsys.readouterr().out
    assert said.startswith(
        "Out of reach: a difference of 0.0001 with 80% power.\n4 models, d.\n100 configurations"
    )
    with pytest.raises(
        AnalysisError, match=r"detect: found 2; expected a number between 0 and 1, e\.g\. 0\.02"
    ):
        detection_budget([cube], 2, OPTIONS)
    with pytest.raises(
        AnalysisError, match=r"scores of d: no two models differ on .* enough of them to differ"
    ):
        detection_budget([as_cube(np.ones((2, 2, 4)))], 0.02, OPTIONS)
