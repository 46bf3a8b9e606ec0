"""The Ray executor on a cluster of four nodes: the same answers as here, whatever replicas and nodes do."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import threading
from itertools import combinations
from pathlib import Path
from typing import Any

import psutil
import pytest

from torr_plugin.core.errors import RunError
from torr_plugin.recipes import ModelEntry, plan
from torr_plugin.running import Answer, Run, execute
from torr_plugin.running.ray.executor import ray_executor
from torr_plugin.running.ray.pool import PoolRules
from torr_plugin.running.runner import RayCluster

from ...running.asked_models import Plan
from ...running.made import answers, stored_keys
from ...running.made import entry as local_entry
from ...running.rounds.test_staged_runs import answers_of, requests_of, study
from ...running.test_images import SHOWS, shown
from ...timing import until
from .driver import ask
from .helpers import all_words, entry, job, nodes_of, processes, run, span, words

pytestmark = [pytest.mark.full, pytest.mark.usefixtures("cluster")]


@pytest.fixture(scope="module")
def disturbed(cluster: Any, tmp_path_factory: pytest.TempPathFactory):
    """Models side by side that each meet something else: a kill, a broken engine, a bad request, a stop.

    One waits for the others, as it takes the whole node.
    """
    folder = tmp_path_factory.mktemp("disturbed")
    (folder / "signals").mkdir()
    stopped = job(entry("stopped", seconds=0.02), 3000)
    killed = []

    def disturb(label: str, given: object) -> None:
        if label == "killed" and not killed:
            killed.append(int(next((folder / "signals").iterdir()).name))
            os.kill(killed[0], signal.SIGKILL)
        if label == "stopped":
            stopped.source.stop.requested = True

    found, errors = run(
        [
            job(entry("killed", seconds=0.03, signals=str(folder / "signals")), 60),
            job(entry("broken", seconds=0.03, broken=str(folder / "broken"))),
            job(entry("poisoned", poison="w0"), 1),
            job(entry("unloadable", error="no weights found there")),
            stopped,
            # an engine without a GPU takes all CPUs of a node
            job(ModelEntry(model="hf", name="whole"), 20),
        ],
        each=disturb,
        rules=PoolRules(chunk=64),
    )
    return found, {label: str(error) for label, error in errors.items()}, killed


def test_a_poison_request_becomes_an_error_that_names_the_node(disturbed) -> None:
    found, _, _ = disturbed
    (bad,) = found["poisoned"]
    assert bad.key == "poisoned-0"
    assert bad.error.startswith("node head: the process ended: Worker unexpectedly exits")
    assert len(bad.error) < 200


def test_killed_replicas_and_a_broken_engine_cost_no_answer(disturbed) -> None:
    found, _, killed = disturbed
    assert killed
    assert words(found["killed"]) == all_words(60)
    assert words(found["broken"]) == all_words(40)
    assert len(processes(found["broken"])) >= 2


def test_a_model_that_cannot_be_loaded_fails_alone(disturbed) -> None:
    expected = (
        "model 'unloadable': could not be loaded on any node; the last: node head: no weights found there"
    )
    assert disturbed[1] == {"unloadable": expected}


def test_models_run_side_by_side_or_one_after_the_other_as_there_is_room(disturbed) -> None:
    found, _, _ = disturbed
    assert words(found["whole"]) == all_words(20)
    spans = [span(found[label]) for label in ("killed", "broken", "stopped")]
    assert any(max(one[0], two[0]) < min(one[1], two[1]) for one, two in combinations(spans, 2))
    begun, ended = span(found["whole"])
    assert all(ended < first or begun > last for first, last in spans)


def test_a_stop_finishes_what_is_begun(disturbed) -> None:
    assert 0 < len(words(disturbed[0]["stopped"])) < 1500


def test_a_study_of_several_calls_is_as_without_ray(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    import ray

    models = [local_entry("test-saying", name="one"), local_entry("test-saying", name="two", word="other")]
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


def test_pictures_reach_a_model_and_its_versions_are_those_of_its_environment(tmp_path: Path) -> None:
    class Shows(Plan):
        configurations = (SHOWS,)

    package = tmp_path / "packages" / "vllm-9.9.9.dist-info"
    package.mkdir(parents=True)
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: vllm\nVersion: 9.9.9\n")
    path = os.pathsep.join([str(package.parent), os.environ.get("PYTHONPATH", "")])
    asked = Shows([shown(f"w{n}", (n + 1, 2)) for n in range(20)])
    environment = {"env_vars": {"PYTHONPATH": path}}
    execute(
        asked, [local_entry("test-seeing")], tmp_path / "ray", executor=RayCluster(runtime_env=environment)
    )
    assert set(answers(tmp_path / "ray", "test-seeing").values()) == {f"{n + 1}x2: w{n}" for n in range(20)}
    (model,) = Run.open(tmp_path / "ray").study["models"]
    assert model["answered_by"]["vllm"] == "9.9.9"


def test_a_driver_that_is_killed_and_run_again_loses_and_doubles_nothing(
    cluster: Any, tmp_path: Path
) -> None:
    out, folder = tmp_path / "run", tmp_path / "run" / "predictions" / "test-slow"
    command = [sys.executable, "-m", "tests.serial.ray.driver", str(out), cluster["cluster"].address]
    process = subprocess.Popen(command, cwd=Path(__file__).parents[3])
    until(lambda: (folder.exists() and stored_keys(folder)) or process.poll() is not None)
    process.kill()
    assert process.wait() == -signal.SIGKILL
    before = stored_keys(folder)
    assert 0 < len(before) < 500
    ask(out)
    stored = stored_keys(folder)
    assert len(stored) == len(set(stored)) == 500
    assert set(before) < set(stored)
    assert set(answers(out, "test-slow").values()) == {f"W{n}" for n in range(500)}


def test_a_replica_that_freezes_is_ended(tmp_path: Path) -> None:
    rules = PoolRules(chunk=16, silence=1.5)
    found, errors = run(
        [job(entry("frozen", freezes=str(tmp_path / "frozen"), ray={"replicas": 1}))], rules=rules
    )
    assert errors == {}
    assert words(found["frozen"]) == all_words(40)
    assert len(processes(found["frozen"])) == 2
    # it does not hear that it is to end
    until(lambda: not Path("/proc", (tmp_path / "frozen").read_text()).exists())


def test_shares_of_a_resource_and_a_node_where_loading_always_fails(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        model = entry(
            "shared",
            {"cpus": 0, "resources": {"slot": 0.5}},
            seconds=0.02,
            fails_on="odd",
            signals=str(tmp_path),
            company=2,
        )
        found, errors = run([job(model, 200)])
    assert errors == {}
    assert words(found["shared"]) == all_words(200)
    assert nodes_of(found["shared"]) == {"good"}
    assert len(processes(found["shared"])) == 2
    said = [message for message in caplog.messages if "could not be loaded" in message]
    assert 1 <= len(said) <= 3
    assert all("'shared'" in message and "node odd: OSError: no weights found" in message for message in said)


def test_a_replica_without_memory_costs_nothing_but_its_node(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        model = entry("hungry", {"cpus": 0, "resources": {"tight": 1}}, seconds=0.02)
        found, errors = run([job(model, 200)])
    assert errors == {}
    assert words(found["hungry"]) == all_words(200)
    assert any(
        "node tight: Ray ended the process, as memory ran low" in message for message in caplog.messages
    )


def test_a_node_lost_while_models_run_and_load_loses_and_doubles_nothing(
    cluster: Any, tmp_path: Path
) -> None:
    ray, waits = {"cpus": 0, "resources": {"going": 1}}, tmp_path / "waits"
    losing = threading.Thread(
        target=cluster["cluster"].remove_node, args=(cluster["odd"], False)
    )  # as by SIGKILL
    seen: set[str] = set()

    def lose(label: str, given: list[Answer]) -> None:
        if label == "running":
            seen.update(nodes_of(given))
        if "odd" in seen and waits.exists() and losing.ident is None:
            losing.start()

    loading = entry("loading", ray, seconds=0.02, waits_on="odd", waits=str(waits))
    found, errors = run([job(entry("running", ray, seconds=0.05), 400), job(loading, 400)], each=lose)
    assert losing.ident is not None
    losing.join()
    assert errors == {}
    for label in ("running", "loading"):
        assert words(found[label]) == all_words(400)
        assert [answer for answer in found[label] if answer.error is not None] == []


@pytest.mark.parametrize("address", ["127.0.0.1:1", "auto"])
def test_no_cluster_at_the_address(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    import ray

    monkeypatch.setattr(ray, "is_initialized", lambda: False)
    monkeypatch.setenv("RAY_ADDRESS", "127.0.0.1:1")
    with pytest.raises(RunError, match=r"no Ray cluster at '127\.0\.0\.1:1'"), ray_executor(address):
        pass


def test_a_part_of_ray_that_dies_ends_the_run_with_one_line(cluster: Any) -> None:
    """Of the node that the driver is on; the last test, as the cluster cannot be used afterwards."""
    given: list[Answer] = []
    (raylet,) = (
        each.process
        for kind, processes in cluster["cluster"].head_node.all_processes.items()
        for each in processes
        if kind == "raylet"
    )

    def kill(label: str, found: list[Answer]) -> None:
        if not given:
            raylet.kill()
        given.extend(found)

    with pytest.raises(RunError, match="Ray's raylet process ended; the answers so far are kept"):
        run([job(entry("lean", seconds=0.05), 2000)], each=kill)
    assert 0 < len({answer.key for answer in given}) == len(given) < 2000
    mine = psutil.Process().children(recursive=True)
    until(lambda: not [each for each in mine if each.is_running() and each.name().startswith("ray::Replica")])
