"""The budget: the cheapest numbers, the exchange, the limits; as a pure function and as a command."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.analysis.made import as_cube, cube_frame, plain
from tests.studies import Population, Spread, population, shown, study_frame
from torr_plugin.analysis.budget import Limits, Prediction, budget
from torr_plugin.analysis.complete import crossed
from torr_plugin.analysis.cube import Cube
from torr_plugin.analysis.decision import pair_errors, ratio, relative_error
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
    found = budget([as_cube(scores)], 0.9, "generalizability", OPTIONS)
    assert any(note.startswith("estimated below 0") and "model:conf" in note for note in found["notes"])
    found = budget([as_cube(np.full((3, 2, 4), 0.5))], 0.9, "w", OPTIONS)
    assert (found["reachable"], found["cheapest"]) == (False, None)
    assert found["notes"] == [
        "models differ no more than noise lets them: no number of examples is seen to rank them reliably"
    ]


def test_brennans_study_by_hand() -> None:
    """Items are our examples, occasions our configurations; section 4.1 has the formula."""
    found = budget([as_cube(BRENNAN / 10)], 0.7, "generalizability", OPTIONS)
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
    # 1 occasion with 4 items errs by .1009 + (.5750 + .9352) / 4 = .47845; with 2: 1.0426 / .428 = 2.4
    assert found["exchange"]["equal"][:2] == [
        {"configurations": 1, "examples": 4},
        {"configurations": 2, "examples": 3},
    ]


@pytest.mark.parametrize("measure", ["generalizability", "w"])
def test_each_option_is_the_cheapest_that_reaches_the_target(cubes: list[Cube], measure: str) -> None:
    found = budget(cubes, 0.85, measure, OPTIONS)  # type: ignore[arg-type]
    part = crossed(cubes)
    components = study_components(part, OPTIONS)
    assert components is not None
    prediction = Prediction(components, pair_errors(part.cubes), measure, OPTIONS)  # type: ignore[arg-type]
    assert found["options"]
    for way in found["options"]:
        k, n = way["configurations"], way["examples"]
        assert way["value"] == pytest.approx(prediction.value(k, n), abs=1e-9)
        assert way["value"] >= 0.85 - 1e-6
        assert way["low"] <= way["value"] <= way["high"]
        if n > 1:
            assert prediction.value(k, n - 1) < 0.85
        assert way["requests"] == 2 * 6 * k * n
    assert found["cheapest"]["requests"] == min(way["requests"] for way in found["options"])
    examples = [way["examples"] for way in found["options"]]
    assert examples == sorted(set(examples), reverse=True)


def test_the_study_is_predicted_as_its_own_coefficient(cubes: list[Cube]) -> None:
    found = budget(cubes, 0.9, "generalizability", OPTIONS)
    own = plain(generalizability(cubes, OPTIONS)["overall"].coefficient)
    assert {name: found["study"][name] for name in own} == pytest.approx(own, abs=1e-9)
    assert found["dataset"] == "overall"
    assert budget(cubes[:1], 0.9, "generalizability", OPTIONS)["dataset"] == "d0"


def test_what_cannot_be_reached_says_so_and_gives_the_ceiling(
    cubes: list[Cube], capsys: pytest.CaptureFixture[str]
) -> None:
    found = budget(cubes, 0.999, "generalizability", OPTIONS, Limits(configurations=3, examples=500))
    assert (found["options"], found["cheapest"], found["reachable"]) == ([], None, False)
    components = study_components(crossed(cubes), OPTIONS)
    assert components is not None
    parts = components.estimates
    expected = float(ratio(parts["model"], relative_error(parts, 3, 500)))
    assert found["ceiling"]["value"] == pytest.approx(expected)
    show_budget({**found, "label_keeping": False, "cost": None})
    shown = capsys.readouterr().out
    assert shown.startswith(
        "Out of reach: generalizability coefficient: 0.999.\n6 models, mean of 2 data sets"
    )
    assert "3 configurations with 500 examples: 0.9" in shown


def test_equal_models_are_never_ranked() -> None:
    scores = np.random.default_rng(0).random((1, 4, 9))
    for measure in ("generalizability", "w"):
        found = budget([as_cube(np.repeat(scores, 3, axis=0))], 0.9, measure, OPTIONS)  # type: ignore[arg-type]
        assert not found["reachable"]
        assert found["options"] == []


@pytest.mark.parametrize("target", [0.0, 1.0, 90.0, float("nan")])
def test_a_target_that_is_no_share(cubes: list[Cube], target: float) -> None:
    with pytest.raises(
        AnalysisError, match=r"^target: found .*; expected a number between 0 and 1, e.g. 0.9$"
    ):
        budget(cubes, target, "w", OPTIONS)


def test_one_configuration_bears_no_budget() -> None:
    with pytest.raises(AnalysisError) as raised:
        budget([as_cube(BRENNAN[:, :1])], 0.9, "w", OPTIONS)
    assert str(raised.value) == (
        "scores of d: there are not two configurations; expected two or more of models, "
        "configurations and examples"
    )


def test_holes_hardly_change_the_budget_and_are_said(cubes: list[Cube]) -> None:
    rng = np.random.default_rng(3)
    holed = [as_cube(np.where(rng.random(c.scores.shape) < 0.03, np.nan, c.scores), c.dataset) for c in cubes]
    found, expected = (budget(each, 0.8, "generalizability", OPTIONS) for each in (holed, cubes))
    assert found["study"]["value"] == pytest.approx(expected["study"]["value"], abs=0.03)
    assert found["study"]["examples"] == expected["study"]["examples"]
    assert found["reachable"]
    assert " missing; components are estimated from the others" in found["notes"][0]


def predicted_of(pilot: Sequence[np.ndarray], measure: str, configurations: int, examples: int) -> float:
    """What a pilot's scores let expect of another size."""
    part = crossed([as_cube(one) for one in pilot])
    components = study_components(part, Options(resamples=20))
    assert components is not None
    told = Prediction(components, pair_errors(part.cubes), measure, Options(resamples=20))  # type: ignore[arg-type]
    return told.value(configurations, examples)


@pytest.mark.full
def test_the_w_of_models_of_unlike_noise_is_theirs() -> None:
    """Three models that find the same examples hard, and one at the ceiling that finds none so.

    Were every pair's difference as noisy as the mean pair's, 0.86 would be predicted.
    """
    rng = np.random.default_rng(4)
    spread = Spread(0, 0.02, 0.3, 0.005, 0.03, 0.02, 0.05)
    models = population(rng, models=4, configurations=5, kind="continuous", spread=spread)
    models = replace(models, model=np.array([[-0.02, 0, 0.02, 0.45]]))
    predicted = predicted_of(models.draw(rng, 4000), "w", 1, 50)
    assert predicted == pytest.approx(shown(models, rng, 1, 50, studies=2000)["w"], abs=0.015)


@pytest.mark.full
@pytest.mark.parametrize("kind", ["binary", "continuous"])
@pytest.mark.parametrize("measure", ["generalizability", "w"])
def test_a_pilot_predicts_what_a_larger_study_shows(kind: str, measure: str) -> None:
    """Quick: the mean of twenty pilots' predictions; more in test_simulated_studies.py."""
    rng = np.random.default_rng(12)
    models = population(rng, models=8, configurations=8, kind=kind)  # type: ignore[arg-type]
    predicted = []
    for _ in range(20):
        drawn = models.with_fresh_configurations(rng, 8).draw(rng, 40)
        predicted.append(predicted_of(drawn, measure, 10, 60))
    true = shown(models, rng, 10, 60, studies=100)[measure]
    assert np.mean(predicted) == pytest.approx(true, abs=0.05)


@pytest.mark.full
def test_the_command_on_a_scores_file(torr: Torr, tmp_path: Path, base: Population) -> None:
    study_frame(base.draw(np.random.default_rng(2), 20)).to_csv(tmp_path / "scores.csv", index=False)
    done = torr("budget", "scores.csv", "--target", "0.8")
    assert done.returncode == 0, done.stderr
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert "To reach generalizability coefficient: 0.8" in done.stdout
    assert "only requests are counted" in done.stderr
    told = torr("budget", "scores.csv", "--target", "0.8", "--dataset", "d1", "--measure", "w", "--json")
    found = json.loads(told.stdout)
    assert (found["dataset"], found["measure"], found["cost"], found["models"]) == ("d1", "w", None, 6)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--target", "1"], "torr: target: found 1.0; expected a number between 0 and 1, e.g. 0.9"),
        (["--dataset", "e"], "torr: scores.csv: has no data set 'e'; "),
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
    assert found.requests == 1
    assert found.prompt_tokens == pytest.approx((90 + 210 + 100 + 200) / 4)
    assert found.completion_tokens == pytest.approx((9 + 11 + 10 + 20) / 4)
    assert found.estimated == 0.5


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
