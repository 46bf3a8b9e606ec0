"""The Ray cluster: its nodes, what models get of them, whether it can be reached, why an actor died."""

from __future__ import annotations

import math
import re
import socket
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ....core.errors import ModelError, RunError
from ...answer import one_line
from ...dispatch import ActorResources, ClusterNode, DispatchRules
from ...model_class import positive_integer

if TYPE_CHECKING:
    from ....recipes import ModelEntry


def nodes(ray: Any, held: Mapping[str, tuple[float, float]]) -> list[ClusterNode]:
    """The nodes that are alive; ``held``: CPUs and GPUs of our own actors on each."""
    available = _available(ray)
    found = []
    for node in ray.nodes():
        name = node["NodeID"]
        if not node.get("Alive"):
            continue
        total = node.get("Resources", {})
        cpus, gpus = float(total.get("CPU", 0)), float(total.get("GPU", 0))
        free = available.get(name)
        ours = held.get(name, (0.0, 0.0))
        taken = [
            0.0 if free is None else max(whole - free.get(kind, 0.0) - own, 0.0)
            for kind, whole, own in (("CPU", cpus, ours[0]), ("GPU", gpus, ours[1]))
        ]
        found.append(ClusterNode(name, cpus, gpus, *taken))
    return found


def _available(ray: Any) -> Mapping[str, Mapping[str, float]]:
    """What is free on each node; empty where this version of Ray has no such call."""
    state = getattr(getattr(ray, "_private", None), "state", None)
    ask = getattr(state, "available_resources_per_node", None)
    return ask() if ask else {}


def grows(ray: Any) -> bool:
    """Whether the cluster has an autoscaler that may add nodes."""
    state = getattr(getattr(getattr(ray, "_private", None), "state", None), "state", None)
    ask = getattr(state, "get_max_resources_from_cluster_config", None)
    return bool(ask and ask())


def ask_for(wanted: Sequence[tuple[float, float]]) -> None:
    """Ask the autoscaler for what all actors together could use (CPUs and GPUs each); none withdraws it."""
    from ray.autoscaler.sdk import request_resources

    request_resources(bundles=[_bundle(cpus, gpus) for cpus, gpus in wanted])


def _bundle(cpus: float, gpus: float) -> dict[str, float]:
    return {name: number for name, number in (("CPU", cpus), ("GPU", gpus)) if number}


def death_of(error: BaseException) -> str:
    """Why an actor died, without Ray's advice."""
    found = re.search(r"Worker exit type: (\w+) Worker exit detail: ([^.]*)", " ".join(str(error).split()))
    return f"{found[2]} ({found[1]})" if found else one_line(error)


def blameless(ray: Any, error: BaseException, node: str) -> bool:
    """Whether an actor died because its node was lost or taken away."""
    if isinstance(error, ray.exceptions.NodeDiedError) or getattr(error, "preempted", False):
        return True
    if "node has died" in str(error) or "node was" in str(error):
        return True
    return node not in {each["NodeID"] for each in ray.nodes() if each.get("Alive")}


_REACH = 2.0  # seconds
_LOCAL = 4.0
_RESTART = 45.0  # a cluster may restart its GCS; Ray gives it 60 s, then it ends the driver


class ClusterMonitor:
    """Checks that the processes a driver depends on can be reached: the GCS, and the raylet of its own node.

    Args:
        parts: host, port and patience in seconds, by the name of each process.
    """

    def __init__(self, parts: Mapping[str, tuple[str, int, float]]) -> None:
        self._parts = dict(parts)
        self._since: dict[str, float] = {}

    @classmethod
    def of(cls, ray: Any, *, joined: bool) -> ClusterMonitor:
        """The monitor of a connected driver; ``joined``: to a cluster that others look after."""
        context = ray.get_runtime_context()
        host, _, port = context.gcs_address.rpartition(":")
        parts = {"GCS": (host.strip("[]"), int(port), _RESTART if joined else _LOCAL)}
        for node in ray.nodes():
            if node["NodeID"] == context.get_node_id():
                parts["raylet"] = (node["NodeManagerAddress"], int(node["NodeManagerPort"]), _LOCAL)
        return cls(parts)

    def is_reachable(self, now: float) -> bool:
        """Whether all can be reached now.

        Raises:
            RunError: one could not be reached for too long.
        """
        for name, (host, port, patience) in self._parts.items():
            if _reachable(host, port):
                self._since.pop(name, None)
            elif now - self._since.setdefault(name, now) >= patience:
                raise RunError(
                    f"Ray's {name} process ended; the answers so far are kept; run the same command again"
                )
        return not self._since


def _reachable(host: str, port: int) -> bool:
    try:
        socket.create_connection((host, port), timeout=_REACH).close()
    except OSError:
        return False
    return True


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
