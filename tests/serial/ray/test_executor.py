"""The Ray executor: the same answers, and what becomes of actors that die."""

from __future__ import annotations

import os
import signal
from itertools import combinations
from pathlib import Path

import pytest

from torr_plugin.recipes import plan
from torr_plugin.running import Run, execute

from ...running.asked_models import Plan
from ...running.made import answers, entry
from ...running.rounds.test_staged_runs import answers_of, requests_of, study
from ...running.test_images import SHOWS, shown
from .helpers import all_words, job, processes, run, span, words

pytestmark = pytest.mark.full


@pytest.fixture(scope="module")
def disturbed(_ray, tmp_path_factory: pytest.TempPathFactory):
    """Models side by side that each meet something else: a kill, a broken engine, a bad request, a stop.

    One waits for the others, as it takes the whole node.
    """
    folder = tmp_path_factory.mktemp("disturbed")
    (folder / "signals").mkdir()
    stopped = job(entry("torr-stopped", seconds=0.02), 3000)
    killed = []

    def disturb(label: str, given: object) -> None:
        if label == "torr-killed" and not killed:
            killed.append(int(next((folder / "signals").iterdir()).name))
            os.kill(killed[0], signal.SIGKILL)
        if label == "torr-stopped":
            stopped.source.stop.requested = True

    found, errors = run(
        [
            job(entry("torr-killed", seconds=0.03, signals=str(folder / "signals")), 60),
            job(entry("torr-broken", seconds=0.03, broken=str(folder / "broken"))),
            job(entry("torr-poisoned", poison="w0"), 1),
            job(entry("torr-unloadable", error="no weights found there")),
            stopped,
            job(entry("hf", name="whole"), 20),  # an engine without a GPU takes all CPUs of a node
        ],
        each=disturb,
    )
    return found, {label: str(error) for label, error in errors.items()}, killed


def test_a_poison_request_becomes_an_error(disturbed) -> None:
    found, _, _ = disturbed
    (bad,) = found["torr-poisoned"]
    assert bad.key == "torr-poisoned-0"
    assert bad.error.startswith("the process that held the model ended: Worker unexpectedly exits")
    assert len(bad.error) < 200


def test_killed_actors_and_a_broken_engine_cost_no_answer(disturbed) -> None:
    found, _, killed = disturbed
    assert killed
    assert words(found["torr-killed"]) == all_words(60)
    assert words(found["torr-broken"]) == all_words(40)
    assert len(processes(found["torr-broken"])) >= 2


def test_a_model_that_cannot_be_loaded_fails_alone(disturbed) -> None:
    assert disturbed[1] == {"torr-unloadable": "no weights found there"}


def test_models_run_side_by_side_or_one_after_the_other_as_there_is_room(disturbed) -> None:
    found, _, _ = disturbed
    assert words(found["whole"]) == all_words(20)
    spans = [span(found[label]) for label in ("torr-killed", "torr-broken", "torr-stopped")]
    assert any(max(one[0], two[0]) < min(one[1], two[1]) for one, two in combinations(spans, 2))
    begun, ended = span(found["whole"])
    assert all(ended < first or begun > last for first, last in spans)


def test_a_stop_finishes_what_is_begun(disturbed) -> None:
    assert 0 < len(words(disturbed[0]["torr-stopped"])) < 1500


@pytest.mark.usefixtures("_ray")
def test_a_study_of_several_calls_is_as_without_ray(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    import ray

    models = [entry("test-saying", name="one"), entry("test-saying", name="two", word="other")]
    execute(plan(study(6)), models, tmp_path / "here")
    summary = execute(plan(study(6)), models, tmp_path / "ray", executor="ray")
    assert ray.is_initialized()  # it was not started by the run, and so is not stopped by it
    assert summary.requests == summary.answered == 2 * 2 * 6 * (4 + 2)
    assert requests_of(tmp_path / "ray").equals(requests_of(tmp_path / "here"))
    for label in ("one", "two"):
        assert answers_of(tmp_path / "ray", label) == answers_of(tmp_path / "here", label)
    recorded = [Run.open(tmp_path / where).study["models"] for where in ("here", "ray")]
    assert recorded[0] == recorded[1]
    assert all(model["sent"]["max_gen_toks"] > 0 for model in recorded[1])
    assert capfd.readouterr().out == ""


@pytest.mark.usefixtures("_ray")
def test_pictures_reach_a_model_on_ray(tmp_path: Path) -> None:
    class Shows(Plan):
        configurations = (SHOWS,)

    asked = Shows([shown(f"w{n}", (n + 1, 2)) for n in range(20)])
    execute(asked, [entry("test-seeing")], tmp_path / "ray", executor="ray")
    assert set(answers(tmp_path / "ray", "test-seeing").values()) == {f"{n + 1}x2: w{n}" for n in range(20)}
