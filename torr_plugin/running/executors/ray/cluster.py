"""The Ray cluster: its nodes, its autoscaler, whether it can be reached, why an actor died."""

from __future__ import annotations

import re
import socket
from collections.abc import Mapping, Sequence
from typing import Any

from ....core.errors import RunError
from ...answer import one_line
from ...dispatch import ClusterNode


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
                    f"Ray's {name} process ended; what was answered is kept, the same command resumes"
                )
        return not self._since


def _reachable(host: str, port: int) -> bool:
    try:
        socket.create_connection((host, port), timeout=_REACH).close()
    except OSError:
        return False
    return True
