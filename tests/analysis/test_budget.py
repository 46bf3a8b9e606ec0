"""The budget: the cheapest numbers and the limits; as a pure function and as a command."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from tests.analysis.made import as_cube, cube_frame, plain
from tests.studies import Population, population, shown, study_frame
from torr_plugin.analysis.budget import Prediction, budget, rounded_up
from torr_plugin.analysis.complete import crossed
from torr_plugin.analysis.cube import Cube
from torr_plugin.analysis.decision import best_shares, ratio, relative_error
from torr_plugin.analysis.figures.generalizability import generalizability
from torr_plugin.analysis.options import AnalysisError, Options
from torr_plugin.analysis.study_components import study_components
from torr_plugin.analysis.variance_components import anova
from torr_plugin.cli.commands.budget import show_budget

from ..conftest import Torr
from .test_generalizability import BRENNAN

OPTIONS = Options(resamples=200)


@pytest.fixture(scope="module")
def base() -> Population:
    return population(np.random.default_rng(8), models=6, configurations=6, datasets=2, kind="binary")


@pytest.fixture(scope="module")
def cubes(base: Population) -> list[Cube]:
    return [as_cube(scores, f"d{d}") for d, scores in enumerate(base.draw(np.random.default_rng(1), 40))]


def test_components_below_0_and_models_that_do_not_differ_are_said() -> None:
    """Without a seen interaction of models and configurations one configuration seems enough."""
    scores = np.random.default_rng(1).random((3, 3, 8))
    assert anova(scores).squares["model:configuration"].value < anova(scores).squares["residual"].value
    found = budget([as_cube(scores)], 0.9, OPTIONS)
    assert any(note.startswith("estimated below 0") and "model:conf" in note for note in found["notes"])
    found = budget([as_cube(np.full((3, 2, 4), 0.5))], 0.9, OPTIONS)
    assert (found["reachable"], found["cheapest"]) == (False, None)
    assert found["notes"] == [
        "models differ no more than noise lets them: no number of examples is seen to rank them reliably"
    ]


def test_brennans_study_by_hand() -> None:
    """Items are our examples, occasions our configurations; section 4.1 has the formula."""
    found = budget([as_cube(BRENNAN / 10)], 0.7, OPTIONS)
    ways = {way["configurations"]: way["examples"] for way in found["options"]}
    # error allowed: .5528 * .3 / .7 = .2369; one occasion: (.5750 + .9352) / (.2369 - .1009) = 11.1
    # two: (.5750 + .4676) / (.2369 - .05045) = 5.6; three: (.5750 + .3117) / (.2369 - .03363) = 4.4
    assert (ways[1], ways[2], ways[3]) == (12, 6, 5)
    assert found["cheapest"]["requests_per_model"] == 12
    assert found["cheapest"]["requests"] == 120
    assert found["study"]["value"] == pytest.approx(0.64, abs=0.001)
    limit = found["limits"]["one_configuration"]
    assert limit["value"] == pytest.approx(0.5528 / (0.5528 + 0.1009), abs=0.0002)
    assert found["limits"]["one_example"]["value"] == pytest.approx(0.5528 / (0.5528 + 0.5750), abs=0.0002)


def test_each_option_is_the_cheapest_that_reaches_the_target(cubes: list[Cube]) -> None:
    found = budget(cubes, 0.85, OPTIONS)
    part = crossed(cubes)
    components = study_components(part, OPTIONS)
    assert components is not None
    prediction = Prediction(components, OPTIONS)
    assert found["options"]
    for way in found["options"]:
        k, n = way["configurations"], way["examples"]
        assert way["value"] == pytest.approx(prediction.value(k, n), abs=1e-9)
        assert way["value"] >= 0.85 - 1e-6
        assert way["low"] <= way["value"] <= way["high"]
        less = n - (10 if n > 100 else 5 if n > 20 else 1)
        assert less < 1 or prediction.value(k, less) < 0.85
        assert rounded_up(n) == n
        assert 1 / 6 < way["best"] <= 1
        assert way["requests"] == 2 * 6 * k * n
    assert found["cheapest"]["requests"] == min(way["requests"] for way in found["options"])
    examples = [way["examples"] for way in found["options"]]
    assert examples == sorted(set(examples), reverse=True)


def test_the_study_is_predicted_as_its_own_coefficient(cubes: list[Cube]) -> None:
    found = budget(cubes, 0.9, OPTIONS)
    own = plain(generalizability(cubes, OPTIONS)["overall"].coefficient)
    assert {name: found["study"][name] for name in own} == pytest.approx(own, abs=1e-9)
    assert found["dataset"] == "overall"
    assert budget(cubes[:1], 0.9, OPTIONS)["dataset"] == "d0"


def test_what_cannot_be_reached_says_so_and_gives_the_ceiling(
    cubes: list[Cube], capsys: pytest.CaptureFixture[str]
) -> None:
    found = budget(cubes, 0.9999999, OPTIONS)
    assert (found["options"], found["cheapest"], found["reachable"]) == ([], None, False)
    components = study_components(crossed(cubes), OPTIONS)
    assert components is not None
    parts = components.estimates
    expected = float(ratio(parts["model"], relative_error(parts, 100, 100_000)))
    assert found["ceiling"]["value"] == pytest.approx(expected)
    show_budget({**found, "label_keeping": False, "cost": None})
    shown = capsys.readouterr().out
    assert shown.startswith(
        "Out of reach: a generalizability coefficient of 0.9999999.\n6 models, mean of 2 data sets"
    )
    assert "100 configurations with 100,000 examples: 0.9" in shown


def test_equal_models_are_never_ranked() -> None:
    scores = np.random.default_rng(0).random((1, 4, 9))
    found = budget([as_cube(np.repeat(scores, 3, axis=0))], 0.9, OPTIONS)
    assert not found["reachable"]
    assert found["options"] == []


@pytest.mark.parametrize("target", [0.0, 1.0, 90.0, float("nan")])
def test_a_target_that_is_no_share(cubes: list[Cube], target: float) -> None:
    with pytest.raises(
        AnalysisError, match=r"^target: found .*; expected a number between 0 and 1, e.g. 0.9$"
    ):
        budget(cubes, target, OPTIONS)


def test_a_study_of_one_configuration_is_planned_for_that_one() -> None:
    """By hand: of models x examples, the coefficient is (MS m - MS rest) / E over itself and MS rest / n."""
    scores = BRENNAN[:, 0] / 10
    found = budget([as_cube(BRENNAN[:, :1] / 10)], 0.6, OPTIONS)
    rest = scores - scores.mean(axis=0) - scores.mean(axis=1, keepdims=True) + scores.mean()
    error = (rest**2).sum() / 9 / 3
    model = scores.mean(axis=1).var(ddof=1) - error / 4
    assert found["study"]["value"] == pytest.approx(model / (model + error / 4))
    (way,) = found["options"]
    assert way["examples"] == rounded_up(error / (model * 0.4 / 0.6))
    assert {way["configurations"] for way in found["options"]} == {1}
    assert list(found["limits"]) == ["one_configuration"]
    assert found["notes"][0] == "of one configuration: nothing says what others would change"


def test_of_two_data_sets_one_configuration_is_planned_over_both(base: Population) -> None:
    drawn = [scores[:, :1] for scores in base.draw(np.random.default_rng(1), 40)]
    found = budget([as_cube(one, f"d{d}") for d, one in enumerate(drawn)], 0.8, OPTIONS)
    assert (found["dataset"], found["datasets"]) == ("overall", 2)
    assert found["study"]["low"] <= found["study"]["value"] <= found["study"]["high"]


def test_one_model_bears_no_budget() -> None:
    with pytest.raises(AnalysisError) as raised:
        budget([as_cube(BRENNAN[:1])], 0.9, OPTIONS)
    assert str(raised.value) == (
        "scores of d: there are not two models; expected two or more of models, configurations and examples"
    )


def test_the_right_best_model_is_found_as_often_as_said() -> None:
    rng = np.random.default_rng(4)
    means, errors = np.array([[0.0, 0.1, 0.12]]).repeat(4000, axis=0), np.array([0.0, 0.01, 100.0])
    found = best_shares(means, errors, rng.normal(size=(4000, 3)))
    drawn = (means + 0.1 * np.random.default_rng(5).normal(size=(4000, 3))).argmax(axis=1) == 2
    assert found[0] == 1
    assert found[1] == pytest.approx(drawn.mean(), abs=0.03)
    assert found[2] == pytest.approx(1 / 3, abs=0.03)


def test_holes_take_the_largest_part_without_any_which_is_named(cubes: list[Cube]) -> None:
    scores = [cube.scores.copy() for cube in cubes]
    scores[0][:, 2, 5:] = np.nan
    scores[1][0, 0, :3] = np.nan
    holed = [as_cube(each, cube.dataset) for each, cube in zip(scores, cubes, strict=True)]
    found = budget(holed, 0.8, OPTIONS)
    assert found["reachable"]
    said = "left out, since not every model has a score in every configuration: "
    assert found["notes"][0] == f"{said}1 configuration ({cubes[0].configurations[2]}), 3 examples"
    part = crossed(holed)
    assert [cube.scores.shape for cube in part.cubes] == [(6, 5, 40), (6, 5, 37)]
    assert not any(np.isnan(cube.scores).any() for cube in part.cubes)


def predicted_of(pilot: Sequence[np.ndarray], configurations: int, examples: int) -> float:
    """What a pilot's scores let expect of another size."""
    part = crossed([as_cube(one) for one in pilot])
    components = study_components(part, Options(resamples=20))
    assert components is not None
    return Prediction(components, Options(resamples=20)).value(configurations, examples)


@pytest.mark.full
@pytest.mark.parametrize("kind", ["binary", "continuous"])
def test_a_pilot_predicts_what_a_larger_study_shows(kind: str) -> None:
    """Quick: the mean of twenty pilots' predictions; more in test_simulated_studies.py."""
    rng = np.random.default_rng(12)
    models = population(rng, models=8, configurations=8, kind=kind)  # type: ignore[arg-type]
    predicted = []
    for _ in range(20):
        drawn = models.with_fresh_configurations(rng, 8).draw(rng, 40)
        predicted.append(predicted_of(drawn, 10, 60))
    true = shown(models, rng, 10, 60, studies=100)
    assert np.mean(predicted) == pytest.approx(true, abs=0.05)


@pytest.mark.full
def test_the_command_on_a_scores_file(torr: Torr, tmp_path: Path, base: Population) -> None:
    study_frame(base.draw(np.random.default_rng(2), 20)).to_csv(tmp_path / "scores.csv", index=False)
    done = torr("budget", "scores.csv", "--target", "0.8")
    assert done.returncode == 0, done.stderr
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert "To reach a generalizability coefficient of 0.8" in done.stdout
    assert "only requests are counted" in done.stderr
    told = torr("budget", "scores.csv", "--target", "0.8", "--json")
    found = json.loads(told.stdout)
    assert (found["dataset"], found["cost"], found["models"]) == ("overall", None, 6)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--target", "1"], "torr: target: found 1.0; expected a number between 0 and 1, e.g. 0.9"),
    ],
)
def test_wrong_input_to_the_command(torr: Torr, tmp_path: Path, arguments: list[str], message: str) -> None:
    cube_frame(BRENNAN / 10).to_csv(tmp_path / "scores.csv", index=False)
    done = torr("budget", "scores.csv", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(message)
    assert len(done.stderr.splitlines()) == 1


def test_what_a_run_cost(tmp_path: Path) -> None:
    """Tokens of a cell: known where the engine tells them, a quarter of the characters where not."""
    import pyarrow as pa

    from torr_plugin.running.usage import usage

    class Stored:
        def models(self) -> list[str]:
            return ["known", "silent"]

        def request_tables(self, columns: object) -> list[pa.Table]:
            rows = [("k1", "c", "x" * 400), ("k2", "c", "x" * 800), ("k3", "other", "x" * 8000)]
            return [
                pa.table(
                    {
                        "key": [key for key, _, _ in rows],
                        "model": pa.array([None] * 3, pa.string()),
                        "dataset": ["d"] * 3,
                        "example": ["e1", "e2", "e1"],
                        "config": [config for _, config, _ in rows],
                        "prompt": [prompt for _, _, prompt in rows],
                    }
                )
            ]

        def predictions(self, label: str, columns: tuple[str, ...]) -> pa.Table:
            told = label == "known"
            return pa.table(
                {
                    "key": ["k1", "k2", "k3"],
                    "prediction": ["y" * 40, "y" * 80, "y"],
                    "prompt_tokens": pa.array([90, 210, 1] if told else [None] * 3, pa.int64()),
                    "completion_tokens": pa.array([9, 11, 1] if told else [None] * 3, pa.int64()),
                }
            )

    found = usage(Stored(), {"d": ["c"]})["d"]  # type: ignore[arg-type]
    assert found["requests"] == 1
    assert found["prompt_tokens"] == pytest.approx((90 + 210 + 100 + 200) / 4)
    assert found["completion_tokens"] == pytest.approx((9 + 11 + 10 + 20) / 4)
    assert found["estimated"] == 0.5


@pytest.mark.parametrize("asked", [False, True])
def test_a_run_without_requests_or_answers_has_no_cost(asked: bool) -> None:
    import pyarrow as pa

    from torr_plugin.recipes import request_schema
    from torr_plugin.running.answer import answer_schema
    from torr_plugin.running.usage import usage

    class Stored:
        def models(self) -> list[str]:
            return ["silent"]

        def request_tables(self, columns: list[str]) -> list[pa.Table]:
            return [request_schema().empty_table().select(list(columns))] if asked else []

        def predictions(self, label: str, columns: list[str]) -> pa.Table:
            return answer_schema().empty_table().select(list(columns))

    assert usage(Stored(), {"d": ["c"]}) == {}  # type: ignore[arg-type]
