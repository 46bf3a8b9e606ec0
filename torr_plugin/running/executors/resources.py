"""How many actors a model gets on Ray, and what each of them holds."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ...errors import ModelError

if TYPE_CHECKING:
    from ...recipes import ModelEntry

# lm-eval models that compute in their own process, on a GPU where there is one
_ENGINES = frozenset(
    {
        *(
            "hf",
            "hf-auto",
            "huggingface",
            "hf-multimodal",
            "hf-mistral3",
            "hf-audiolm-qwen",
            "steered",
            "mamba_ssm",
        ),
        *("vllm", "vllm-vlm", "sglang", "trtllm", "nemo_lm", "megatron_lm"),
    }
)
_PARALLEL = (("tensor_parallel_size", "tp_size"), ("pipeline_parallel_size", "pp_size"))
_REQUESTS_AN_ACTOR = 256


@dataclass(frozen=True, slots=True)
class Resources:
    """``actors`` actors, each with so many CPUs and GPUs."""

    actors: int
    cpus: int
    gpus: int


def resources(entry: ModelEntry, count: int, cluster: Mapping[str, float]) -> Resources:
    """What a model with ``count`` pending requests gets of a cluster (Ray's ``{"CPU": ..., "GPU": ...}``).

    An engine gets as many GPUs as its tensor and pipeline parallelism name, and as many actors as fit; an
    embedded baseline an actor a CPU; a client of a server a single actor, since the server decides how much
    it takes at once.

    Raises:
        ModelError: it wants more GPUs than the cluster has, or would start Ray inside its actor.
    """
    most = max(1, math.ceil(count / _REQUESTS_AN_ACTOR))
    there = int(cluster.get("GPU", 0))
    gpus = _gpus(entry, there)
    if gpus > there:
        raise ModelError(f"model {entry.label!r} wants {gpus} GPUs an actor, the Ray cluster has {there}")
    if gpus:
        return Resources(min(there // gpus, most), 1, gpus)
    if entry.model.startswith("torr-"):
        return Resources(min(max(1, int(cluster.get("CPU", 1))), most), 1, 0)
    return Resources(1, 1, 0)


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
            "the executor 'ray' uses all GPUs by more actors"
        )
    if arguments.get("distributed_executor_backend") == "ray":
        raise ModelError(
            f"model {entry.label!r}: distributed_executor_backend=ray starts Ray in a Ray actor; leave it out"
        )
    if _number(entry, "tensor_parallel_size") > 1 or _number(entry, "pipeline_parallel_size") > 1:
        arguments.setdefault("distributed_executor_backend", "mp")
    return arguments


def _gpus(entry: ModelEntry, there: int) -> int:
    if entry.model not in _ENGINES or str(entry.args.get("device", "")).startswith(("cpu", "mps")):
        return 0
    wanted = math.prod(max(_number(entry, name) for name in names) for names in _PARALLEL)
    if wanted == 1 and entry.args.get("parallelize") in (True, "True", "true"):
        return there
    return wanted if there or wanted > 1 else 0


def _number(entry: ModelEntry, name: str) -> int:
    value = entry.args.get(name, 1)
    try:
        number = int(str(value))
    except ValueError:
        number = 0
    if number < 1:
        raise ModelError(f"model {entry.label!r}: {name} is {value!r}, expected a whole number of at least 1")
    return number
