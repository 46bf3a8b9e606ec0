"""The project's wheel and the example plugin's, built and installed once."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from filelock import FileLock

from .home import Home, install

ROOT = Path(__file__).resolve().parents[2]
PLUGIN = ROOT / "examples" / "plugin"


@pytest.fixture(scope="session")
def wheels(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """The folder of both wheels and of ``venv``, an environment that has them; all workers share it."""
    place = tmp_path_factory.getbasetemp()
    shared = (place if worker_id == "master" else place.parent) / "wheels"
    with FileLock(f"{shared}.lock"):
        if not (shared / "venv").exists():
            for source in (ROOT, PLUGIN):
                build = (sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(shared))
                subprocess.run(build, cwd=source, check=True)
            install(shared / "venv", *shared.glob("*.whl"))
    return shared


@pytest.fixture
def home(wheels: Path, tmp_path: Path) -> Home:
    """An empty folder to run the commands of the environment in."""
    return Home(tmp_path, wheels / "venv" / "bin" / "python")
