"""Models that misbehave, by name."""

from __future__ import annotations

import pytest

from torr_plugin.running import add_model

MODELS = (
    *("Echo", "Failing", "Mumbling", "Short", "Saying", "Slow", "Stopped"),
    *("ChatEcho", "OnlyChat", "Unloadable", "NeedsPackage", "Seeded"),
    *("Seeing", "SeeingChat", "NoSystem", "DropsSystem"),
)


@pytest.fixture(autouse=True, scope="session")
def _test_models() -> None:
    for name in MODELS:
        add_model(f"test-{name.lower()}", f"tests.running.asked_models:{name}", origin="the tests")
