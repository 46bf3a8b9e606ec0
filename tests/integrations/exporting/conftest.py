"""A run with all that makes an export hard: failures, replicates, designs of two calls, a hostile name."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import yaml

from tests.cli.in_process import here
from torr_plugin.running import add_model
from torr_plugin.running.model_classes import models

from ...conftest import MadeOnce

PATCHY = "../../<b>Patchy\N{SNOWMAN} model"
RECIPE = f"""\
name: hard-to-export
cards:
- {{card: cards.bundled.cell_lookup, metrics: [f1_strings, exact_match]}}
- cards.bundled.fact_verification
configurations: {{serializers: [torr.html, torr.csv], designs: [default, self_augmented]}}
examples: {{count: 8}}
demonstrations: {{shots: 1}}
replicates: {{share: 0.5}}
models:
- torr-lexical
- {{model: test-patchy, name: "{PATCHY}", maker: "../Maker", open: true, args: {{pretrained: an-org/patchy}}}}
analysis: {{resamples: 20}}
"""
CELL = ["model", "dataset", "config", "example", "replicate", "metric"]


@pytest.fixture(scope="session")
def hard_run(made_once: MadeOnce) -> Path:
    """Its run, which all tests read; whoever changes it copies it."""

    def make(folder: Path) -> None:
        (folder / "recipe.yaml").write_text(RECIPE, encoding="utf-8")
        add_model("test-patchy", "tests.integrations.exporting.models:Patchy", origin="the tests")
        done = here("run", folder / "recipe.yaml", "--out", folder / "run")
        models.remove("test-patchy")  # which others list
        assert done.exit_code == 1, done.stderr  # some requests failed

    return made_once("hard-to-export", make) / "run"


@pytest.fixture(scope="session")
def analysis(hard_run: Path) -> dict[str, Any]:
    """The contents of its analysis.json."""
    return dict(json.loads((hard_run / "analysis.json").read_text()))


@pytest.fixture(scope="session")
def scores(hard_run: Path) -> pd.DataFrame:
    """All of its scores that there are, by ``CELL``."""
    found = pd.read_parquet(hard_run / "scores.parquet").dropna(subset="score")
    return found.astype(dict.fromkeys(set(CELL) - {"replicate"}, object)).set_index(CELL).sort_index()


ChangedRun = Callable[[Callable[[dict[str, Any]], object]], Path]


@pytest.fixture
def changed_run(hard_run: Path, tmp_path: Path) -> ChangedRun:
    """A copy of the run whose study.yaml is changed."""

    def make(change: Callable[[dict[str, Any]], object]) -> Path:
        run = tmp_path / "changed"
        shutil.copytree(hard_run, run)
        study = yaml.safe_load((run / "study.yaml").read_text())
        change(study)
        (run / "study.yaml").write_text(yaml.safe_dump(study, sort_keys=False, allow_unicode=True))
        return run

    return make


Export = Callable[..., dict[str, Any]]


@pytest.fixture
def export(hard_run: Path, tmp_path: Path) -> Export:
    """``torr export`` of the run, or another one, into the folder ``to``: what ``--json`` prints."""

    def run(to: str, *options: str | Path, run: Path = hard_run, out: Path | None = None) -> dict[str, Any]:
        done = here("export", run, "--to", to, "--out", out or tmp_path / to, "--json", *options)
        assert done.exit_code == 0, done.stderr
        return dict(json.loads(done.stdout))

    return run
