"""A sandbox for tests that attack nothing."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from torr_plugin.scoring.sandbox import ChartSandbox


@pytest.fixture(scope="module")
def sandbox() -> Iterator[ChartSandbox]:
    with ChartSandbox(unsafe=False) as made:
        yield made
