"""How many actors a model gets on Ray, and which resources each of them holds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ....core.errors import ModelError
from ...dispatch import ActorResources, ClusterNode, DispatchRules
from ...model_class import positive_integer

if TYPE_CHECKING:
    from ....recipes import ModelEntry

# lm-eval models that compute in their own process, on a GPU where there is one
_TRANSFORMERS = ("hf", "hf-auto", "huggingface", "hf-multimodal", "hf-mistral3", "hf-audiolm-qwen", "steered")
_ENGINES = frozenset(
    (*_TRANSFORMERS, "mamba_ssm", "vllm", "vllm-vlm", "sglang", "trtllm", "nemo_lm", "megatron_lm")
)
_PARALLEL = (("tensor_parallel_size", "tp_size"), ("pipeline_parallel_size", "pp_size"))
_OF_A_CLIENT = 0.25


def needs(entry: ModelEntry, count: int, nodes: Sequence[ClusterNode]) -> ActorResources:
    """The resources that a model with ``count`` pending requests gets on a cluster.

    An engine on GPUs: GPUs per actor as in the entry, else tensor times pipeline parallelism; as many actors
    as are worth their loading. An engine without GPUs: all CPUs of a node per actor. An embedded baseline: a
    CPU per actor. A client of a server: a single actor, as the server limits the concurrency.

    Raises:
        ModelError: an argument that names a number of GPUs is wrong.
    """
    worth = max(1, math.ceil(count / DispatchRules().requests_per_actor))
    gpus = _gpus(entry, nodes)
    if gpus:
        return ActorResources(1, gpus, worth)
    if entry.model.startswith("torr-"):
        return ActorResources(1, 0, worth)
    if entry.model in _ENGINES:
        return ActorResources(_cpus_of_a_node(nodes), 0, worth)
    return ActorResources(_OF_A_CLIENT, 0, 1)


def engine_arguments(entry: ModelEntry) -> dict[str, Any]:
    """The model's arguments inside an actor: vLLM's own workers are processes there, never Ray actors.

    Raises:
        ModelError: the arguments ask for Ray inside the actor.
    """
    arguments = dict(entry.args)
    if not entry.model.startswith("vllm"):
        return arguments
    if _number(entry, "data_parallel_size") > 1:
        raise ModelError(
            f"model {entry.label!r}: data_parallel_size starts Ray in a Ray actor; leave it out, "
            "the executor 'ray' uses all GPUs by starting more actors"
        )
    if arguments.get("distributed_executor_backend") == "ray":
        raise ModelError(
            f"model {entry.label!r}: distributed_executor_backend=ray starts Ray in a Ray actor; leave it out"
        )
    if _number(entry, "tensor_parallel_size") > 1 or _number(entry, "pipeline_parallel_size") > 1:
        arguments.setdefault("distributed_executor_backend", "mp")
    return arguments


def _gpus(entry: ModelEntry, nodes: Sequence[ClusterNode]) -> int:
    named: int | None = getattr(entry, "gpus", None)
    if named is not None:
        return named
    if entry.model not in _ENGINES or str(entry.args.get("device", "")).startswith(("cpu", "mps")):
        return 0
    most = int(max((node.gpus for node in nodes), default=0))
    wanted = math.prod(max(_number(entry, name) for name in names) for names in _PARALLEL)
    if wanted == 1 and entry.args.get("parallelize") in (True, "True", "true"):
        return most
    return wanted if most or wanted > 1 else 0


def _cpus_of_a_node(nodes: Sequence[ClusterNode]) -> float:
    """All CPUs of a node: the smallest of those with at least half as many as the largest."""
    most = max((node.cpus for node in nodes), default=1.0)
    return max(1.0, min((node.cpus for node in nodes if node.cpus >= most / 2), default=1.0))


def _number(entry: ModelEntry, name: str) -> int:
    return positive_integer(f"model {entry.label!r}: {name}", entry.args.get(name, 1))
