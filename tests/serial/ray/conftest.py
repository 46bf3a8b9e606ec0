"""One cluster for all tests of Ray: every node costs seconds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from ...running.conftest import _test_models  # noqa: F401
from .lean_model import NODE


@pytest.fixture(scope="package")
def cluster() -> Iterator[dict[str, Any]]:
    """The nodes by name, and the ``cluster``; the driver has joined it.

    All CPUs are on the head. ``tight`` has too little memory for any process; ``odd`` may be taken away.
    """
    import ray
    from ray.cluster_utils import Cluster

    made = Cluster(
        initialize_head=True, head_node_args={"num_cpus": 4, "include_dashboard": False, "node_name": "head"}
    )
    nodes = {"cluster": made}
    for name, resources, variables in (
        ("good", {"slot": 1, "tight": 1, "going": 2}, {}),
        ("tight", {"tight": 1}, {"RAY_memory_usage_threshold": "0.001"}),
        ("odd", {"slot": 1, "going": 2}, {}),
    ):
        with pytest.MonkeyPatch.context() as patch:
            for variable, value in ({NODE: name} | variables).items():
                patch.setenv(variable, value)
            nodes[name] = made.add_node(num_cpus=0, node_name=name, resources=resources)
    ray.init(made.address, log_to_driver=False)
    yield nodes
    ray.shutdown()
    made.shutdown()
