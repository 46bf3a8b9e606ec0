"""What a driver hangs on: the cluster's control process (GCS) and the raylet of its own node.

Without them Ray's calls wait for a minute and then end the process, or wait for ever.
"""

from __future__ import annotations

import socket
from collections.abc import Mapping
from typing import Any

from ....core.errors import RunError

_REACH = 2.0  # seconds
_LOCAL = 4.0
_RESTART = 45.0  # a cluster may restart its GCS; Ray gives it 60 s, then it ends the driver


class Lifeline:
    """Looks whether both can be reached.

    Args:
        parts: host, port and how long it is waited for (seconds), by the name of each part.
    """

    def __init__(self, parts: Mapping[str, tuple[str, int, float]]) -> None:
        self._parts = dict(parts)
        self._since: dict[str, float] = {}

    @classmethod
    def of(cls, ray: Any, *, joined: bool) -> Lifeline:
        """Those of a driver that is connected; ``joined``: to a cluster that others look after."""
        context = ray.get_runtime_context()
        host, _, port = context.gcs_address.rpartition(":")
        parts = {"GCS": (host.strip("[]"), int(port), _RESTART if joined else _LOCAL)}
        for node in ray.nodes():
            if node["NodeID"] == context.get_node_id():
                parts["raylet"] = (node["NodeManagerAddress"], int(node["NodeManagerPort"]), _LOCAL)
        return cls(parts)

    def holds(self, now: float) -> bool:
        """Whether both can be reached at this moment.

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
