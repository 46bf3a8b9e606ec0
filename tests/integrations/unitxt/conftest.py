from __future__ import annotations

from collections.abc import Iterator

import pytest

import torr_plugin


@pytest.fixture(autouse=True)
def in_unitxt(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Our catalog is in unitxt's, and no name is looked for on GitHub."""
    torr_plugin.register()
    from unitxt.settings_utils import get_settings

    with get_settings().context(use_only_local_catalogs=True):
        yield
    torr_plugin.register()
