"""The container's recipe copies all that the package is built from, and runs a command that there is."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.cli.in_process import here

from .conftest import ROOT

LINES = (ROOT / "examples" / "container" / "Containerfile").read_text(encoding="utf-8").splitlines()


def test_its_command_is_one_of_ours() -> None:
    (command,) = (json.loads(line.removeprefix("CMD ")) for line in LINES if line.startswith("CMD "))
    assert here(command[0], "--help").exit_code == 0
    assert {option for option in command if option.startswith("--")} <= set(
        here(command[0], "--help").stdout.split()
    )


@pytest.mark.full
def test_the_wheel_is_built_from_what_is_copied(wheels: Path, tmp_path: Path) -> None:
    for line in LINES:
        if line.startswith("COPY "):
            *sources, target = line.split()[1:]
            place = tmp_path / target.strip("/")
            for source in sources:
                whole = ROOT / source
                if whole.is_dir():
                    shutil.copytree(whole, place, ignore=shutil.ignore_patterns("__pycache__"))
                else:
                    place.mkdir(parents=True, exist_ok=True)
                    shutil.copy(whole, place)
    build = (sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path))
    subprocess.run(build, cwd=tmp_path / "src", check=True)
    [made], [ours] = tmp_path.glob("*.whl"), wheels.glob("torr_plugin-*.whl")
    assert sorted(zipfile.ZipFile(made).namelist()) == sorted(zipfile.ZipFile(ours).namelist())
