"""One suite of a small study, run by HELM and by torr, for all tests that read what came out."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

from .harness import LIMIT, MODELS, RECIPE, SUMMARIZER, command


class Both(NamedTuple):
    """A study run by both: HELM's working directory, the recipe, torr's run directory."""

    folder: Path
    recipe: Path
    run: Path


@pytest.fixture(scope="session")
def both(tmp_path_factory: pytest.TempPathFactory) -> Both:
    """A small study by ``helm-run`` and ``helm-summarize``, and by ``torr run``."""
    folder = tmp_path_factory.mktemp("helm")
    recipe = folder / "small.yaml"
    recipe.write_text(RECIPE)
    asked = [word for model in MODELS for word in ("--model", model)]
    command("torr", "helm-entries", "small.yaml", *asked, "--out", "small.conf", cwd=folder)
    command("helm-run", "--conf-paths", "small.conf", "--suite", "s", "-m", str(LIMIT), cwd=folder)
    summarize = ["--suite", "s", "--auto-generate-schema", "--summarizer-class-name", SUMMARIZER]
    command("helm-summarize", *summarize, cwd=folder)
    command("torr", "run", "small.yaml", "--limit", str(LIMIT), "--out", "run", cwd=folder)
    return Both(folder, recipe, folder / "run")
