"""Ray clusters of several nodes on this machine: one is lost mid-run, a model waits, one bad request."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest

from torr_plugin.core.errors import RunError
from torr_plugin.running import Answer
from torr_plugin.running.dispatch import DispatchRules
from torr_plugin.running.executors.ray import ray_executor

from ..timing import PATIENCE
from .made import entry
from .ray_helpers import all_words, job, processes, run, span, words

pytestmark = pytest.mark.faults


@pytest.fixture
def two_nodes():
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    lost = cluster.add_node(num_cpus=2)
    yield cluster, lost
    cluster.shutdown()


def test_a_node_lost_mid_run_loses_and_doubles_nothing(two_nodes, caplog) -> None:
    cluster, lost = two_nodes
    seen: set[str] = set()
    losing = threading.Thread(target=cluster.remove_node, args=(lost, False))  # as by SIGKILL

    def lose(label: str, given: list[Answer]) -> None:
        seen.update(processes(given))
        if len(seen) >= 2 and losing.ident is None:  # the node that stays has one of them
            losing.start()

    found, errors = run([job(entry("torr-model", seconds=0.05), 600)], each=lose, address=cluster.address)
    assert losing.ident is not None
    assert errors == {}
    assert words(found["torr-model"]) == all_words(600)
    assert [answer for answer in found["torr-model"] if answer.error is not None] == []


def test_a_model_too_large_for_every_node_fails_alone_and_a_large_one_waits(two_nodes) -> None:
    cluster, _ = two_nodes
    cluster.add_node(num_cpus=2, num_gpus=2)
    jobs = [
        job(entry("torr-small", seconds=0.02), 100),
        job(entry("vllm", name="large").model_copy(update={"gpus": 2}), 20),
        job(entry("vllm", name="other", seconds=0.05).model_copy(update={"gpus": 1}), 20),
        job(entry("vllm", name="huge").model_copy(update={"gpus": 4}), 20),
    ]
    found, errors = run(jobs, address=cluster.address)
    assert {label: str(error) for label, error in errors.items()} == {
        "huge": "model 'huge' needs 4 GPUs per actor, the largest node of the Ray cluster has 2"
    }
    assert words(found["torr-small"]) == all_words(100)
    assert words(found["large"]) == words(found["other"]) == all_words(20)
    assert span(found["large"])[1] < span(found["other"])[0]


def test_one_poison_request_among_five_hundred() -> None:
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 2, "include_dashboard": False})
    rules = DispatchRules(first=256, fewest=256, requests_per_actor=250)
    try:
        found, errors = run(
            [job(entry("torr-poisoned", poison="w313"), 500)], rules=rules, address=cluster.address
        )
    finally:
        cluster.shutdown()
    assert errors == {}
    (bad,) = [answer for answer in found["torr-poisoned"] if answer.error is not None]
    assert bad.key == "torr-poisoned-313"
    assert words(found["torr-poisoned"]) == all_words(500) - {"w313"}


@pytest.mark.parametrize("how", ["hangs", "freezes"])
def test_an_actor_that_hangs_is_ended(two_nodes, tmp_path, how) -> None:
    cluster, _ = two_nodes
    rules = DispatchRules(first=4, fewest=4, requests_per_actor=64, silence=3.0, silence_factor=1.0)
    model = entry("torr-hung", **{how: str(tmp_path / "hangs")})
    found, errors = run([job(model, 40)], rules=rules, address=cluster.address)
    assert errors == {}
    assert words(found["torr-hung"]) == all_words(40)
    assert len(processes(found["torr-hung"])) == 2
    if how == "freezes":  # it does not hear that it is to end
        process = Path("/proc", (tmp_path / "hangs").read_text())
        wait_until(lambda: not process.exists(), PATIENCE)


def wait_until(found, within: float) -> None:
    end = time.monotonic() + within
    while not found():
        assert time.monotonic() < end
        time.sleep(0.1)


def test_no_cluster_at_the_address() -> None:
    with pytest.raises(RunError, match=r"no Ray cluster at '127\.0\.0\.1:1'"), ray_executor("127.0.0.1:1"):
        pass


def test_a_cluster_named_by_the_environment_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAY_ADDRESS", "127.0.0.1:1")
    with pytest.raises(RunError, match=r"no Ray cluster at '127\.0\.0\.1:1'"), ray_executor("auto"):
        pass
