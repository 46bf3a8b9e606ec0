"""Clusters of several nodes on this machine: an actor freezes, a node is lost, a part of Ray dies."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from torr_plugin.core.errors import RunError
from torr_plugin.running import Answer
from torr_plugin.running.dispatch import DispatchRules
from torr_plugin.running.executors.ray import ray_executor

from ...running.made import entry
from ...timing import until
from .helpers import all_words, job, processes, run, words

pytestmark = pytest.mark.full


@pytest.fixture(scope="module")
def two_nodes() -> Iterator[tuple[Any, Any]]:
    """A cluster and its larger node; the tests take away an actor, that node, and at last the other one."""
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    lost = cluster.add_node(num_cpus=2)
    yield cluster, lost
    cluster.shutdown()


def test_an_actor_that_freezes_is_ended(two_nodes, tmp_path: Path) -> None:
    cluster, _ = two_nodes
    rules = DispatchRules(first=4, fewest=4, requests_per_actor=64, silence=3.0, silence_factor=1.0)
    model = entry("torr-hung", freezes=str(tmp_path / "frozen"))
    found, errors = run([job(model, 40)], rules=rules, address=cluster.address)
    assert errors == {}
    assert words(found["torr-hung"]) == all_words(40)
    assert len(processes(found["torr-hung"])) == 2
    # it does not hear that it is to end
    until(lambda: not Path("/proc", (tmp_path / "frozen").read_text()).exists())


def test_a_node_lost_mid_run_loses_and_doubles_nothing(two_nodes) -> None:
    cluster, lost = two_nodes
    seen: set[str] = set()
    losing = threading.Thread(target=cluster.remove_node, args=(lost, False))  # as by SIGKILL

    def lose(label: str, given: list[Answer]) -> None:
        seen.update(processes(given))
        if len(seen) >= 2 and losing.ident is None:  # the node that stays has one of them
            losing.start()

    found, errors = run([job(entry("torr-model", seconds=0.05), 400)], each=lose, address=cluster.address)
    assert losing.ident is not None
    losing.join()
    assert errors == {}
    assert words(found["torr-model"]) == all_words(400)
    assert [answer for answer in found["torr-model"] if answer.error is not None] == []


def test_a_part_of_ray_that_dies_ends_the_run_with_one_line(two_nodes) -> None:
    given: list[Answer] = []

    def kill(label: str, answers: list[Answer]) -> None:
        if not given:
            (raylet,) = running("raylet")  # of the node that is left
            raylet.kill()
        given.extend(answers)

    with pytest.raises(RunError, match="Ray's raylet process ended; the answers so far are kept"):
        run([job(entry("torr-model", seconds=0.05), 2000)], each=kill, address=two_nodes[0].address)
    assert 0 < len({answer.key for answer in given}) == len(given) < 2000
    until(lambda: not running("ray::"))


def running(name: str) -> list[psutil.Process]:
    """The processes below this one whose names begin so."""
    mine = psutil.Process().children(recursive=True)
    return [each for each in mine if each.name().startswith(name) and each.status() != "zombie"]


@pytest.mark.parametrize("address", ["127.0.0.1:1", "auto"])
def test_no_cluster_at_the_address(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAY_ADDRESS", "127.0.0.1:1")
    with pytest.raises(RunError, match=r"no Ray cluster at '127\.0\.0\.1:1'"), ray_executor(address):
        pass
