"""Parts of the Ray executor, without a cluster: monitor, resources, causes of death, a replica's code."""

from __future__ import annotations

import socket
import sys
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import MagicMock

import pytest
from pydantic import ValidationError

from tests.running.asked_models import Plan
from tests.running.made import entry
from torr_plugin.core.errors import ModelError, RunError, ServerLostError
from torr_plugin.prompts.message import Message
from torr_plugin.recipes import ModelEntry
from torr_plugin.running import execute
from torr_plugin.running.answer import Answer
from torr_plugin.running.loaded_model import OnKnown
from torr_plugin.running.ray.cluster import (
    ClusterMonitor,
    death_of,
    engine_arguments,
    most_replicas,
    needs,
    node_named_in,
    strategy_without,
)
from torr_plugin.running.ray.executor import _Actors, _RayModel, ray_executor
from torr_plugin.running.ray.pool import ClusterNode, PooledReplica
from torr_plugin.running.ray.replica import LoadResult, Replica, ReplicaQueue, ReplicaReport, as_row
from torr_plugin.running.request_sources import ListedRequests, PendingRequest
from torr_plugin.running.runner import AskedModel
from torr_plugin.running.store.shards import AnswerStore


def test_ray_that_is_not_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(RunError, match=r"pip install '\.\[ray\]' in a checkout"):
        execute(Plan(), [entry("torr-lexical")], tmp_path / "run", executor="ray")


def test_an_address_of_another_kind() -> None:
    with (
        pytest.raises(RunError, match="found 'ray://host:1', expected 'auto' or 'host:port'"),
        ray_executor("ray://host:1"),
    ):
        pass


def test_what_has_gone_is_waited_for_and_then_named_and_anew_once_it_was_back() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        address = listener.getsockname()
        monitor = ClusterMonitor({"GCS": (*address, 4.0)})
        assert monitor.is_reachable(0.0)
    assert not monitor.is_reachable(1.0)
    with socket.create_server(address):
        assert monitor.is_reachable(3.0)
    assert not monitor.is_reachable(5.0)
    assert not monitor.is_reachable(8.9)
    with pytest.raises(RunError, match=r"^Ray's GCS process ended; the answers so far are kept"):
        monitor.is_reachable(9.0)


def machine(cpus: float, gpus: float = 0) -> ClusterNode:
    return ClusterNode(f"{cpus}-{gpus}", "n", {"CPU": cpus, "GPU": gpus})


@pytest.mark.parametrize(
    ("model", "nodes", "gpus", "cpus"),
    [
        (entry("torr-lexical"), [machine(8)], 0, 1),
        (entry("local-chat-completions"), [machine(8, 8)], 0, 0.25),
        (entry("vllm", tensor_parallel_size=2), [machine(8, 8)], 2, 1),
        (entry("vllm", tensor_parallel_size=2, pipeline_parallel_size=3), [machine(8, 8)], 6, 1),
        (entry("vllm", tensor_parallel_size=2), [machine(8)], 2, 1),
        (entry("vllm"), [machine(8, 1)], 1, 1),
        (entry("vllm"), [machine(8)], 0, 8),
        (entry("vllm"), [machine(8), machine(6), machine(1)], 0, 6),
        (entry("sglang", tp_size="4"), [machine(8, 4)], 4, 1),
        (entry("hf", device="cpu"), [machine(8, 4)], 0, 8),
        (entry("hf", parallelize=True), [machine(8, 4), machine(8, 2)], 4, 1),
        (entry("hf"), [machine(8, 16)], 1, 1),
        (ModelEntry(model="vllm", gpus=4), [machine(8, 8)], 4, 1),
        (ModelEntry(model="hf", gpus=0.5, ray={"cpus": 2}), [machine(8, 8)], 0.5, 2),
    ],
)
def test_needs(model: ModelEntry, nodes: list[ClusterNode], gpus: float, cpus: float) -> None:
    assert needs(model, nodes) == {"GPU": gpus, "CPU": cpus}


def test_kinds_of_gpus_and_custom_resources() -> None:
    options = {"accelerator_type": "H100", "resources": {"fast_disk": 0.5}, "replicas": 3}
    model = ModelEntry(model="vllm", ray=options)
    assert needs(model, [machine(8, 8)]) == {
        "GPU": 1,
        "CPU": 1,
        "accelerator_type:H100": 0.001,
        "fast_disk": 0.5,
    }
    assert most_replicas(model) == 3
    assert most_replicas(entry("local-chat-completions")) == 1  # the server limits the concurrency
    assert most_replicas(entry("hf")) > 1000
    with pytest.raises(ValidationError, match="gpus"):
        ModelEntry(model="vllm", gpus=1.5)


def test_a_number_that_is_none() -> None:
    with pytest.raises(ModelError, match="tensor_parallel_size is 'two', expected a whole number"):
        needs(entry("vllm", tensor_parallel_size="two"), [machine(8, 2)])


def test_of_what_an_actor_died() -> None:
    ray = pytest.importorskip("ray")
    errors = ray.exceptions
    text = "Memory on the node (IP: 1.2.3.4) was 3.70GB used / 23.54GB limit (0.1)\nOOM kill reason: ..."
    reason = "Ray ended the process, as memory ran low (3.70GB used / 23.54GB limit)"
    assert death_of(ray, errors.OutOfMemoryError(text), "") == (reason, "memory")
    assert death_of(ray, errors.NodeDiedError("gone"), "")[1] == "loss"
    assert death_of(ray, errors.ActorUnavailableError("socket closed", None), "")[1] == "loss"
    text = "Worker exit type: SYSTEM_ERROR Worker exit detail: Worker unexpectedly exits. There are ..."
    reason = "the process ended: Worker unexpectedly exits (SYSTEM_ERROR)"
    assert death_of(ray, errors.RayActorError(error_msg=text), "") == (reason, "crash")


@pytest.mark.parametrize(
    ("environment", "message"),
    [
        ({"env_var": {"A": "b"}}, "found 'env_var'; did you mean 'env_vars'"),
        ({"env_vars": {"A": 1}}, r"env_vars.*Dict\[str, str\]"),
    ],
)
def test_an_environment_that_ray_does_not_take(environment: dict[str, Any], message: str) -> None:
    pytest.importorskip("ray")
    with (
        pytest.raises(RunError, match=f"--ray-runtime-env: .*{message}"),
        ray_executor(runtime_env=environment),
    ):
        pass


def test_nodes_are_left_out_by_the_label_that_ray_gives_them_whatever_it_is_called() -> None:
    pytest.importorskip("ray")
    assert strategy_without([]) == "DEFAULT"
    left_out = {each.key: each.operator.values for each in strategy_without(["x", "y"]).hard}
    assert left_out == {"ray.io/node-id": ["x", "y"], "ray.io/node_id": ["x", "y"]}


def test_an_error_may_name_a_node_that_is_gone() -> None:
    ray = MagicMock(nodes=lambda: [{"NodeID": "cafe", "Alive": False}])
    assert node_named_in(ray, RuntimeError("the node cafe was terminated")) == "cafe"
    assert node_named_in(ray, RuntimeError("why not?")) == ""


def test_no_ray_inside_an_actor() -> None:
    with pytest.raises(ModelError, match="data_parallel_size and distributed"):
        engine_arguments(entry("vllm", data_parallel_size=2))
    with pytest.raises(ModelError, match="distributed_executor_backend=ray start Ray"):
        engine_arguments(entry("vllm", distributed_executor_backend="ray"))
    assert engine_arguments(entry("vllm", tensor_parallel_size=2))["distributed_executor_backend"] == "mp"
    assert engine_arguments(entry("vllm", pretrained="x")) == {"pretrained": "x"}


class Cleared(deque[Any]):
    """Another thread clears it between a look and a take."""

    def popleft(self) -> Any:
        self.clear()
        return super().popleft()


def test_what_is_recalled_while_it_is_taken_is_not_taken() -> None:
    fed = ReplicaQueue()
    fed._waiting = Cleared([PendingRequest("k", (Message("user", "say a"),))])
    assert fed.take(4) == []


def breaking(*arguments: Any) -> Any:
    """A model that gives an answer and then breaks."""

    def stream(source: ReplicaQueue, on_known: OnKnown) -> Iterator[list[Answer]]:
        yield []
        on_known("sent", {"until": []})
        yield [Answer(each.key, "A") for each in source.take(4)]
        raise ServerLostError("model 'a': gone; what it answered is kept")

    return SimpleNamespace(engine=MagicMock(room=lambda: 4), stream=stream)


def test_a_replica_says_where_it_is_what_it_answers_and_why_it_answers_no_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "ray", MagicMock())
    replica = Replica(entry("test-echo", name="a"), {}, {}, f"{__name__}:breaking")
    replica.feed([PendingRequest("k", (Message("user", "say a"),))])
    _, loaded, *said = replica.run()
    assert loaded[:2] == (4, None)
    assert said == [
        ReplicaReport([as_row(Answer("k", "A"))], 4, known={"sent": {"until": []}}),
        ReplicaReport([], 4, "gone; what it answered is kept", lost=True),
    ]
    absent = Replica(entry("test-echo"), {}, {}, "nowhere:load")
    assert list(absent.run())[1] == LoadResult(0, "ModuleNotFoundError: No module named 'nowhere'")


def replicas_of(on_known: OnKnown) -> tuple[Any, list[PooledReplica]]:
    """Two replicas of a model that were started, without Ray and a pool."""
    source = ListedRequests([])
    asked = AskedModel(entry("test-echo"), {}, source, AnswerStore(Path("unused")), on_known=on_known)
    model = _RayModel("test-echo", {"CPU": 1, "GPU": 0}, source, 0, asked=asked, made_from=())
    actors: Any = _Actors(MagicMock(), [model], {}, MagicMock())
    actors._pool = MagicMock()
    actors._pool.reported.return_value = []
    replicas = [PooledReplica(model, frozenset(), 0.0) for _ in range(2)]
    for replica in replicas:
        actors.start(replica)
    return actors, replicas


@pytest.mark.parametrize(
    ("first", "second", "refusal"),
    [
        ({}, {}, None),  # of a server no package here answers
        ({"vllm": "1.0"}, {"vllm": "1.0"}, None),
        ({"vllm": "1.0"}, {"vllm": "1.1"}, "has other versions than the first replica: vllm 1.0, now 1.1"),
    ],
)
def test_a_second_replica_has_the_versions_of_the_first_whatever_a_server_is_called(
    first: dict[str, str], second: dict[str, str], refusal: str | None
) -> None:
    actors, (first_replica, second_replica) = replicas_of(lambda field, value: None)
    actors._loaded(first_replica, LoadResult(1, None, first))
    actors._reported(first_replica, ReplicaReport([], 1, known={"answered_by": {"models": ["large-0806"]}}))
    actors._loaded(second_replica, LoadResult(1, None, second))
    pool = actors._pool
    if refusal is None:
        pool.failed_to_load.assert_not_called()
    else:
        pool.failed_to_load.assert_called_once_with(second_replica, refusal)


def test_answers_are_kept_though_who_gave_them_cannot_be_recorded() -> None:
    def full(field: str, value: object) -> None:
        raise RunError("study.yaml: no space left on device")

    actors, (replica, _) = replicas_of(full)
    actors._pool.reported.return_value = ["k"]
    with pytest.raises(RunError, match="no space left"):
        actors._reported(replica, ReplicaReport([as_row(Answer("k", "A"))], 1, known={"sent": {"until": []}}))
    assert actors._outcomes == [("test-echo", [Answer("k", "A")])]
