"""The folder that every test of these begins with."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.catalog.own_tables.places import fill


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    fill(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TORR_DATA", raising=False)
    return tmp_path
