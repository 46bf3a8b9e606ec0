"""The parts of the Ray executor, without Ray: the monitor of a cluster, resources, the code of an actor."""

from __future__ import annotations

import socket
import sys
import threading
from collections import deque
from pathlib import Path
from typing import Any

import pytest

from tests.running.asked_models import Plan
from tests.running.made import entry
from torr_plugin.core.errors import ModelError, RunError
from torr_plugin.prompts.message import Message
from torr_plugin.running import execute
from torr_plugin.running.answer import Answer
from torr_plugin.running.dispatch import ActorResources, ClusterNode
from torr_plugin.running.executors.ray import ray_executor
from torr_plugin.running.executors.ray.cluster import ClusterMonitor, engine_arguments, needs
from torr_plugin.running.executors.ray.worker import ModelWorker, WorkerQueue, as_row
from torr_plugin.running.pending_request import PendingRequest
from torr_plugin.running.traffic import ServerTraffic, SummedTraffic


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


@pytest.fixture
def listener():
    with socket.create_server(("127.0.0.1", 0)) as found:
        yield found


def monitored(listener: socket.socket) -> ClusterMonitor:
    return ClusterMonitor({"GCS": (*listener.getsockname(), 4.0)})


def test_what_is_there(listener: socket.socket) -> None:
    assert monitored(listener).is_reachable(0.0)


def test_what_has_gone_is_waited_for_and_then_named(listener: socket.socket) -> None:
    monitor = monitored(listener)
    listener.close()
    assert not monitor.is_reachable(10.0)
    assert not monitor.is_reachable(13.9)
    with pytest.raises(RunError, match=r"^Ray's GCS process ended; the answers so far are kept"):
        monitor.is_reachable(14.0)


def test_what_comes_back_in_time_is_waited_for_anew(listener: socket.socket) -> None:
    monitor, address = monitored(listener), listener.getsockname()
    listener.close()
    assert not monitor.is_reachable(0.0)
    with socket.create_server(address):
        assert monitor.is_reachable(3.0)
    assert not monitor.is_reachable(5.0)
    assert not monitor.is_reachable(8.9)


@pytest.mark.parametrize(
    ("model", "nodes", "expected"),
    [
        (entry("torr-lexical"), [ClusterNode("a", 8, 0)], ActorResources(1, 0, 4)),
        (entry("local-chat-completions"), [ClusterNode("a", 8, 8)], ActorResources(0.25, 0, 1)),
        (entry("vllm", tensor_parallel_size=2), [ClusterNode("a", 8, 8)], ActorResources(1, 2, 4)),
        (
            entry("vllm", tensor_parallel_size=2, pipeline_parallel_size=3),
            [ClusterNode("a", 8, 8)],
            ActorResources(1, 6, 4),
        ),
        (entry("vllm", tensor_parallel_size=2), [ClusterNode("a", 8, 0)], ActorResources(1, 2, 4)),
        (entry("vllm"), [ClusterNode("a", 8, 1)], ActorResources(1, 1, 4)),
        (entry("vllm"), [ClusterNode("a", 8, 0)], ActorResources(8, 0, 4)),
        (
            entry("vllm"),
            [ClusterNode("a", 8, 0), ClusterNode("b", 6, 0), ClusterNode("head", 1, 0)],
            ActorResources(6, 0, 4),
        ),
        (entry("sglang", tp_size="4"), [ClusterNode("a", 8, 4)], ActorResources(1, 4, 4)),
        (entry("hf", device="cpu"), [ClusterNode("a", 8, 4)], ActorResources(8, 0, 4)),
        (
            entry("hf", parallelize=True),
            [ClusterNode("a", 8, 4), ClusterNode("b", 8, 2)],
            ActorResources(1, 4, 4),
        ),
        (entry("hf"), [ClusterNode("a", 8, 16)], ActorResources(1, 1, 4)),
    ],
)
def test_needs(model, nodes: list[ClusterNode], expected: ActorResources) -> None:
    assert needs(model, 1000, nodes) == expected


def test_gpus_that_the_entry_names() -> None:
    assert needs(
        entry("vllm").model_copy(update={"gpus": 4}), 10, [ClusterNode("a", 8, 8)]
    ) == ActorResources(1, 4, 1)


def test_a_number_that_is_none() -> None:
    with pytest.raises(ModelError, match="tensor_parallel_size is 'two', expected a whole number"):
        needs(entry("vllm", tensor_parallel_size="two"), 10, [ClusterNode("a", 8, 2)])


def test_no_ray_inside_an_actor() -> None:
    with pytest.raises(ModelError, match="data_parallel_size starts Ray in a Ray actor"):
        engine_arguments(entry("vllm", data_parallel_size=2))
    with pytest.raises(ModelError, match="distributed_executor_backend=ray starts Ray"):
        engine_arguments(entry("vllm", distributed_executor_backend="ray"))
    assert engine_arguments(entry("vllm", tensor_parallel_size=2))["distributed_executor_backend"] == "mp"
    assert engine_arguments(entry("vllm", pretrained="x")) == {"pretrained": "x"}


class Cleared(deque[Any]):
    """Another thread clears it between a look and a take."""

    def popleft(self) -> Any:
        self.clear()
        return super().popleft()


def test_what_is_recalled_while_it_is_taken_is_not_taken() -> None:
    fed = WorkerQueue(4)
    fed._waiting = Cleared([PendingRequest("k", (Message("user", "say a"),))])
    assert fed.take(4) == []


class Late:
    """When the report is made the model's thread gives its last answer and ends."""

    def __init__(self, worker: ModelWorker) -> None:
        self._worker, self._told = worker, False

    @property
    def appetite(self) -> int:
        if not self._told:
            self._told = True
            thread = threading.Thread(target=self._last)
            thread.start()
            thread.join(timeout=0.2)
        return 1

    def _last(self) -> None:
        with self._worker._news:
            self._worker._answers.append(as_row(Answer("last", "x")))
        self._worker._end(None)


def test_no_end_is_told_before_the_last_answers() -> None:
    worker = ModelWorker(entry("test-echo"), {}, {})
    worker._fed = Late(worker)  # type: ignore[assignment]
    worker._answers.append(as_row(Answer("first", "x")))
    keys: list[str] = []
    for _ in range(3):
        report = worker.collect(5)
        keys += [row[0] for row in report.answers]
        if report.ended:
            break
    assert keys == ["first", "last"]


def test_what_servers_did_is_summed_over_actors() -> None:
    worker = ModelWorker(entry("test-echo"), {}, {})
    worker._fed = WorkerQueue(1)
    worker._listen(ServerTraffic(rate_limited=2))
    assert worker.collect(0).traffic == ServerTraffic(rate_limited=2)
    told: list[ServerTraffic] = []
    summed = SummedTraffic(told.append)
    for actor, traffic in ((7, ServerTraffic()), (7, ServerTraffic(2, 1)), (8, ServerTraffic(retries=3))):
        summed.update(actor, traffic)
        summed.update(actor, traffic)
    assert told == [ServerTraffic(2, 1), ServerTraffic(2, 4)]
    for actor, sent in ((9, "first"), (10, "another's")):
        summed.update(actor, ServerTraffic(sent=sent))
    assert told[-1].sent == "first"
