"""What all tests share."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

# Before anything imports datasets: no network, and no cache that another version of it may have written.
os.environ["HF_HUB_OFFLINE"] = "1"
_CACHE = tempfile.TemporaryDirectory(prefix="torr-tests-")
os.environ["HF_DATASETS_CACHE"] = _CACHE.name

ROOT = Path(__file__).resolve().parents[1]


def missing(reason: str) -> None:
    """Skip for want of something outside the project; where everything must be there (CI), fail instead."""
    if os.environ.get("TORR_REQUIRE_ALL") == "1":
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The mirror of real data sets, named by TORR_DATA or lying beside the checkout."""
    for place in (os.environ.get("TORR_DATA"), ROOT.parent / "shared" / "data"):
        if place and (Path(place) / "wikitq").is_dir():
            return Path(place).resolve()
    missing("the data mirror is not here: set TORR_DATA to a folder with wikitq/test.parquet and the others")
    raise AssertionError("unreachable")


@pytest.fixture
def mirror(shared_data: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """``shared_data`` with TORR_DATA pointing at it."""
    monkeypatch.setenv("TORR_DATA", str(shared_data))
    return shared_data


@pytest.fixture
def unitxt_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """unitxt's own catalogs only: once registered, our cards stand before its cards of the same names."""
    from unitxt.artifact import Catalogs

    own = [catalog for catalog in Catalogs().catalogs if type(catalog).__name__ != "TorrCatalog"]
    monkeypatch.setattr(Catalogs(), "catalogs", own)


Torr = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def torr(tmp_path: Path) -> Torr:
    """Runs the real ``torr`` command in its own process and directory; ``data`` becomes TORR_DATA."""

    def run(
        *arguments: str | Path, data: Path | None = None, cwd: Path = tmp_path
    ) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "COLUMNS": "80"}
        environment.pop("TORR_DATA", None)
        if data is not None:
            environment["TORR_DATA"] = str(data)
        return subprocess.run(
            [sys.executable, "-m", "torr_plugin.cli", *map(str, arguments)],
            cwd=cwd,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )

    return run
