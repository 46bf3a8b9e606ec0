"""Models that misbehave, by name, and a Ray for all who need no cluster of their own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ...running.conftest import _test_models  # noqa: F401


@pytest.fixture(scope="module")
def _ray() -> Iterator[None]:
    import ray

    ray.init("local", include_dashboard=False, log_to_driver=False, num_cpus=4)
    yield
    ray.shutdown()
