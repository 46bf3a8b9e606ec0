"""A sandbox for tests that attack nothing."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from torr_plugin.scoring.sandbox import ChartLimits, ChartSandbox

from ...timing import PATIENCE


@pytest.fixture(scope="module")
def sandbox() -> Iterator[ChartSandbox]:
    with ChartSandbox(limits=ChartLimits(seconds=PATIENCE)) as made:
        yield made
