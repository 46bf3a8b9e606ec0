"""One suite of a small study, run by HELM and by torr, for all tests that read what came out."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import NamedTuple

import pytest

from ...conftest import MadeOnce
from .harness import LIMIT, MODELS, RECIPE, command, torr_in


class Both(NamedTuple):
    """A study run by both: HELM's working directory, the recipe, torr's run directory."""

    folder: Path
    recipe: Path
    run: Path

    @property
    def suite(self) -> Path:
        """What HELM wrote of all runs together."""
        return self.folder / "benchmark_output" / "runs" / "s"


@pytest.fixture(scope="session")
def both(made_once: MadeOnce) -> Both:
    """A small study by ``helm-run`` and ``helm-summarize``, and by ``torr run``; all workers share it."""
    return in_folder(made_once("helm", lambda folder: run_by_both(in_folder(folder))))


def in_folder(folder: Path) -> Both:
    return Both(folder, folder / "small.yaml", folder / "run")


def run_by_both(made: Both) -> None:
    made.recipe.write_text(RECIPE)
    asked = [word for model in MODELS for word in ("--model", model)]
    torr_in(made.folder, "helm-entries", "small.yaml", *asked, "--out", "small.conf")
    command("helm-run", "--conf-paths", "small.conf", "--suite", "s", "-m", str(LIMIT), cwd=made.folder)
    command("helm-summarize", "--suite", "s", "--auto-generate-schema", cwd=made.folder)
    torr_in(made.folder, "run", "small.yaml", "--limit", str(LIMIT), "--out", "run")


@pytest.fixture
def copy(both: Both, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Both:
    """A copy of the suite, in the working directory."""
    shutil.copytree(both.folder / "benchmark_output", tmp_path / "benchmark_output")
    shutil.copy(both.recipe, tmp_path)
    monkeypatch.chdir(tmp_path)
    return in_folder(tmp_path)._replace(run=both.run)
