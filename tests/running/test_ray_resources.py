"""What a model gets of a cluster."""

from __future__ import annotations

import pytest

from torr_plugin.core.errors import ModelError
from torr_plugin.running.dispatch import ActorResources, ClusterNode
from torr_plugin.running.executors.ray.resources import engine_arguments, needs

from .made import entry


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
