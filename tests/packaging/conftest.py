"""The project's source distribution, its wheel and the example plugin's, built and installed once."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ..conftest import MadeOnce
from .home import Home, install

ROOT = Path(__file__).resolve().parents[2]
PLUGIN = ROOT / "examples" / "plugin"


@pytest.fixture(scope="session")
def wheels(made_once: MadeOnce) -> Path:
    """The folder of both wheels and of ``venv``, an environment that has them; all workers share it.

    As ``python -m build`` does, the project's wheel is built from its source distribution, unpacked.
    """

    def build(folder: Path) -> None:
        def distribution(kind: str, source: Path) -> None:
            hatchling = (sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", str(folder))
            subprocess.run(hatchling, cwd=source, check=True)

        distribution("sdist", ROOT)
        [packed] = folder.glob("*.tar.gz")
        shutil.unpack_archive(packed, folder / "unpacked")
        [unpacked] = (folder / "unpacked").iterdir()
        distribution("wheel", unpacked)
        distribution("wheel", PLUGIN)
        install(folder / "venv", *folder.glob("*.whl"))

    return made_once("wheels", build)


@pytest.fixture
def home(wheels: Path, tmp_path: Path) -> Home:
    """An empty folder to run the commands of the environment in."""
    return Home(tmp_path, wheels / "venv" / "bin" / "python")
