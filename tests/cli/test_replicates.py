"""``--replicates`` of the commands: its price, its answers, its figures, and what is refused."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from ..running.servers import chat_server
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


@pytest.mark.full
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
    assert "replicates: each model is asked 12 prompts again" in here("status", run).stdout
    assert pd.read_parquet(run / "scores.parquet").query("main")["replicate"].tolist().count(1) == 12
    found = json.loads((run / "analysis.json").read_text())
    assert found["noise"]["torr-majority"]["overall"] == {
        **found["noise"]["torr-majority"]["datasets"]["bundled.fact_verification"],
        "value": 0.0,
        "cells": 12,
    }


@pytest.mark.full
def test_a_server_that_honours_seeds_shows_its_noise(tmp_path: Path) -> None:
    """It answers by the seed and the prompt, right in about half of the cells."""
    recipe, run = tmp_path / "small.yaml", tmp_path / "run"
    text = RECIPE.replace("torr.csv", "torr.csv, torr.json").replace("count: 6", "count: 20")
    recipe.write_text(f"{text}replicates: {{share: 0, count: 3}}\n")

    def seeded(body: dict[str, Any]) -> str:
        digest = hashlib.sha256(json.dumps([body["seed"], body["messages"]]).encode()).digest()
        return ("entailed", "refuted")[digest[0] % 2]

    with chat_server(whole_body=seeded) as server:
        options = ("--model", "local-chat-completions", "--model-args", server.arguments())
        more = ("--replicates", "1", "--out", run)
        done = here("run", recipe, *options, *more)
        assert done.exit_code == 0, done.output
        asked = len(server.asked)
        again = here("run", recipe, *options, *more)
        assert (again.exit_code, len(server.asked)) == (0, asked)
    assert len({body["seed"] for body in server.asked}) == 4
    (noise,) = json.loads((run / "analysis.json").read_text())["noise"].values()
    assert noise["overall"]["cells"] == 60
    assert 0.35 < noise["overall"]["value"] < 0.65
    (right,) = json.loads((run / "analysis.json").read_text())["pass_k"].values()
    values = [own["value"] for own in right["overall"].values()]
    assert list(right["overall"]) == ["1", "2", "3", "4"]
    assert values == sorted(values, reverse=True)
    scores = pd.read_parquet(run / "scores.parquet").query("main")
    cells = scores.pivot_table("score", ["config", "example"], "replicate")
    assert values[3] == pytest.approx((cells == 1).all(axis=1).mean())
    assert noise["overall"]["value"] == pytest.approx(2 * cells.var(axis=1).mean()), "right or wrong"
    shown = here("analyse", run, "--no-charts", "--out", tmp_path / "analysis").output
    assert f"right all 4 times: {values[3]:.1%}" in shown
