"""The Ray cluster: its nodes, what a replica needs of them, whether it can be reached, why an actor died."""

from __future__ import annotations

import math
import re
import socket
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ...core.errors import ModelError, RunError, described
from ..model_classes import positive_integer, requirements_of
from .pool import ClusterNode, Death

if TYPE_CHECKING:
    from ...recipes import ModelEntry


def nodes(ray: Any) -> list[ClusterNode]:
    """The nodes that are alive, by their names (``ray start --node-name``), else by their hosts'."""
    found = []
    for node in ray.nodes():
        if node.get("Alive"):
            named = node["NodeName"] != node["NodeManagerAddress"]
            name = node["NodeName"] if named else node["NodeManagerHostname"]
            found.append(ClusterNode(node["NodeID"], name, node.get("Resources", {})))
    return found


_NODE_LABELS = ("ray.io/node-id", "ray.io/node_id")  # as versions of Ray call it; each node has one of them


def strategy_without(avoided: Sequence[str]) -> Any:
    """A strategy of scheduling that leaves out these nodes."""
    from ray.util.scheduling_strategies import NodeLabelSchedulingStrategy, NotIn

    if not avoided:
        return "DEFAULT"
    return NodeLabelSchedulingStrategy({label: NotIn(*avoided) for label in _NODE_LABELS})


def death_of(ray: Any, error: BaseException, node: str) -> tuple[str, Death]:
    """Why an actor on a node died, without Ray's advice, and of what kind that is."""
    errors, text = ray.exceptions, " ".join(str(error).split())
    if isinstance(error, errors.OutOfMemoryError):
        used = re.search(r"was (\S+ used / \S+ limit)", text)
        return f"Ray ended the process, as memory ran low ({used[1] if used else described(error)})", "memory"
    if isinstance(error, errors.NodeDiedError | errors.ActorUnavailableError | errors.ObjectLostError):
        return described(error), "loss"
    found = re.search(r"Worker exit type: (\w+) Worker exit detail: ([^.]*)", text)
    reason = f"the process ended: {f'{found[2]} ({found[1]})' if found else described(error)}"
    gone = node and node not in {each.id for each in nodes(ray)}
    is_loss = gone or getattr(error, "preempted", False) or "node has died" in text or "node was" in text
    return reason, "loss" if is_loss else "crash"


def node_named_in(ray: Any, error: BaseException) -> str:
    """The node that an error of Ray's names, alive or gone; empty where it names none."""
    text = str(error)
    return next((str(node["NodeID"]) for node in ray.nodes() if node["NodeID"] in text), "")


_REACH = 2.0  # seconds
_LOCAL = 4.0  # without its raylet a driver can do nothing
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
    def of(cls, ray: Any) -> ClusterMonitor:
        """The monitor of a connected driver."""
        context = ray.get_runtime_context()
        host, _, port = context.gcs_address.rpartition(":")
        parts = {"GCS": (host.strip("[]"), int(port), _RESTART)}
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
            if listens(host, port, _REACH) is None:
                self._since.pop(name, None)
            elif now - self._since.setdefault(name, now) >= patience:
                raise RunError(
                    f"Ray's {name} process ended; the answers so far are kept; run the same command again"
                )
        return not self._since


def listens(host: str, port: int | str, seconds: float) -> Exception | None:
    """Whether something listens there; if not, the error."""
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=seconds).close()
    except (OSError, ValueError) as error:
        return error
    return None


_PARALLEL = (("tensor_parallel_size", "tp_size"), ("pipeline_parallel_size", "pp_size"))
_OF_A_CLIENT = 0.25


def needs(entry: ModelEntry, nodes: Sequence[ClusterNode]) -> dict[str, float]:
    """What a replica of a model takes of a node, by Ray's names.

    GPUs as in the entry, else tensor times pipeline parallelism of an engine, and with them a CPU. An engine
    without GPUs: all CPUs of a node. A baseline or a plugin's model: a CPU. A client of a server: a quarter.

    Raises:
        ModelError: an argument that names a number of GPUs is wrong.
    """
    gpus = _gpus(entry, nodes)
    cpus = entry.ray.cpus
    if cpus is None:
        by_kind = {"in process": _cpus_of_a_node(nodes), "server": _OF_A_CLIENT}
        cpus = 1 if gpus else by_kind.get(_kind(entry), 1)
    kind = entry.ray.accelerator_type
    return {
        "GPU": gpus,
        "CPU": cpus,
        **({f"accelerator_type:{kind}": 0.001} if kind else {}),
        **entry.ray.resources,
    }


def most_replicas(entry: ModelEntry) -> int:
    """How many replicas it may have: one for a client of a server, which limits the concurrency itself."""
    is_client = _kind(entry) == "server" and not entry.gpus
    return entry.ray.replicas or (1 if is_client else 1_000_000)


def _kind(entry: ModelEntry) -> str:
    """``in process``, ``server``, or ``plugin`` of an embedded baseline as well."""
    need = requirements_of(entry.model)
    return need.kind if need else "plugin"


def engine_arguments(entry: ModelEntry) -> dict[str, Any]:
    """The model's arguments inside an actor: vLLM's own workers are processes there, never Ray actors.

    Raises:
        ModelError: the arguments ask for Ray inside the actor.
    """
    arguments = dict(entry.args)
    if not entry.model.startswith("vllm"):
        return arguments
    if _number(entry, "data_parallel_size") > 1 or arguments.get("distributed_executor_backend") == "ray":
        raise ModelError(
            f"model {entry.label!r}: data_parallel_size and distributed_executor_backend=ray start Ray in a "
            "Ray actor; leave them out, the executor 'ray' uses all GPUs by starting more replicas"
        )
    if _number(entry, "tensor_parallel_size") > 1 or _number(entry, "pipeline_parallel_size") > 1:
        arguments.setdefault("distributed_executor_backend", "mp")
    return arguments


def _gpus(entry: ModelEntry, nodes: Sequence[ClusterNode]) -> float:
    if entry.gpus is not None:
        return entry.gpus
    if _kind(entry) != "in process" or str(entry.args.get("device", "")).startswith(("cpu", "mps")):
        return 0
    most = int(max((node.resources.get("GPU", 0) for node in nodes), default=0))
    wanted = math.prod(max(_number(entry, name) for name in names) for names in _PARALLEL)
    if wanted == 1 and entry.args.get("parallelize") in (True, "True", "true"):
        return most
    return wanted if most or wanted > 1 else 0


def _cpus_of_a_node(nodes: Sequence[ClusterNode]) -> float:
    """All CPUs of a node: the smallest of those with at least half as many as the largest."""
    cpus = [node.resources.get("CPU", 0) for node in nodes] or [1.0]
    return max(1.0, min(number for number in cpus if number >= max(cpus) / 2))


def _number(entry: ModelEntry, name: str) -> int:
    return positive_integer(f"model {entry.label!r}: {name}", entry.args.get(name, 1))
