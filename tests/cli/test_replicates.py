"""``--replicates`` of the commands: its price, its answers, its figures, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd

from .in_process import here

RECIPE = """\
name: small
cards: [cards.bundled.fact_verification]
configurations: {serializers: [torr.html, torr.csv]}
examples: {count: 6}
models: [torr-majority]
demonstrations: {shots: 1}
analysis: {resamples: 20}
"""


def test_a_study_asks_a_share_again_from_the_plan_to_the_figures(tmp_path: Path) -> None:
    recipe, run = tmp_path / "small.yaml", tmp_path / "run"
    recipe.write_text(RECIPE)
    shown = here("plan", recipe, "--replicates", "0.1", "--out", run)
    assert "of these replicates" in shown.stdout
    (row,) = json.loads(here("plan", recipe, "--replicates", "0.1", "--out", run, "--json").stdout)["models"]
    assert (row["requests"], row["replicates"]["requests"]) == (24, 12)  # fewer than 100 cells: all of them

    done = here("run", recipe, "--replicates", "0.1", "--out", run, "--json")
    assert (done.exit_code, json.loads(done.stdout)["answered"]) == (0, 24)
    (status,) = json.loads(here("status", run, "--json").stdout)["models"]
    assert (status["requests"], status["replicates"], status["answered"]) == (24, 12, 24)
    assert "replicates: each model is asked 12 prompts a second time" in here("status", run).stdout
    assert pd.read_parquet(run / "scores.parquet").query("main")["replicate"].tolist().count(1) == 12
    found = json.loads((run / "analysis.json").read_text())
    assert found["noise"]["torr-majority"]["overall"] == {
        **found["noise"]["torr-majority"]["datasets"]["bundled.fact_verification"],
        "value": 0.0,
        "cells": 12,
    }


def test_a_wrong_share_is_refused(tmp_path: Path) -> None:
    recipe = tmp_path / "small.yaml"
    recipe.write_text(RECIPE)
    for command in ("plan", "run"):
        refused = here(command, recipe, "--replicates", "10", "--out", tmp_path / "run")
        assert (refused.exit_code, refused.stdout) == (2, "")
        assert (
            refused.stderr
            == "torr: --replicates: found 10; expected a share from 0 (none) to 1 (all cells)\n"
        )
