"""A whole study of generated human-centric tables: what is known of examples reaches the analysis."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest
from typer.testing import CliRunner

from torr_plugin.cli.app import app

RECIPE = """\
name: kinds
cards: [cards.hctqa.synthetic]
configurations: [html/none/default, markdown/none/default]
examples: {count: 60}
models: [torr-lexical, torr-random-cell, torr-majority]
analysis: {resamples: 50}
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("kinds")
    (folder / "kinds.yaml").write_text(RECIPE)
    asked = CliRunner().invoke(app, ["run", str(folder / "kinds.yaml"), "--out", str(folder / "run")])
    assert asked.exit_code == 0, asked.output
    return folder / "run"


def test_the_run_keeps_what_is_known_of_its_examples(run: Path) -> None:
    examples = pd.read_parquet(run / "examples.parquet")
    assert list(examples.columns) == ["dataset", "example", "groups", "properties", "cells"]
    assert len(examples) == 60
    assert {"table", "template"} <= set(json.loads(examples["groups"][0]))
    assert set(json.loads(examples["properties"][0])) == {"table", "question"}
    assert (examples["cells"] > 0).all()
    lengths = pd.read_parquet(run / "lengths.parquet")
    assert len(lengths) == 3 * 2 * 60
    assert (lengths[["values", "truth"]] >= 1).all(axis=None)


def test_the_analysis_has_scores_by_kind(run: Path) -> None:
    found = json.loads((run / "analysis.json").read_text())
    slices = found["slices"]["hctqa.synthetic"]
    by_template = slices["groups"]["template"]
    assert set(by_template) <= {str(number) for number in range(1, 16)}
    assert sum(one["examples"] for one in by_template.values()) == 60
    whole = sum(one["examples"] * one["overall"]["value"] for one in by_template.values()) / 60
    models = [figure["overall"]["value"] for figure in found["performance"].values()]
    assert whole == pytest.approx(sum(models) / 3)
    assert set(slices["properties"]) == {"table", "question"}
    assert set(found["verbosity"]["hctqa.synthetic"]["models"]) == set(found["performance"])


def test_torr_analyse_reads_them_again(run: Path, tmp_path: Path) -> None:
    command = ["analyse", str(run), "--out", str(tmp_path / "out"), "--no-charts", "--resamples", "50"]
    assert CliRunner().invoke(app, command).exit_code == 0
    again = json.loads((tmp_path / "out" / "analysis.json").read_text())
    there = json.loads((run / "analysis.json").read_text())
    assert [again[key] for key in ("slices", "verbosity")] == [there[key] for key in ("slices", "verbosity")]
    assert (tmp_path / "out" / "slices.csv").is_file()
    asked = CliRunner().invoke(app, [*command, "--metric", "precision"])
    assert asked.exit_code == 0
    other = json.loads((tmp_path / "out" / "analysis.json").read_text())
    assert other["settings"]["metrics"] == {"hctqa.synthetic": "precision"}
    wrong = CliRunner().invoke(app, [*command, "--metric", "precison"])
    assert wrong.exit_code == 2


def test_a_run_of_an_earlier_version_has_none_of_it(run: Path, tmp_path: Path) -> None:
    import shutil

    old = tmp_path / "old"
    shutil.copytree(run, old)
    (old / "examples.parquet").unlink()
    (old / "lengths.parquet").unlink()
    asked = CliRunner().invoke(app, ["analyse", str(old), "--out", str(tmp_path / "out"), "--no-charts"])
    assert asked.exit_code == 0
    found = json.loads((tmp_path / "out" / "analysis.json").read_text())
    assert not {"slices", "regression", "verbosity", "modalities"} & set(found)


def test_a_scores_file_with_its_card_has_the_same_slices(run: Path, tmp_path: Path) -> None:
    scores, out = str(run / "scores.parquet"), tmp_path / "out"
    command = ["analyse", scores, "--out", str(out), "--no-charts", "--resamples", "50"]
    assert CliRunner().invoke(app, command).exit_code == 0
    assert "slices" not in json.loads((out / "analysis.json").read_text())
    asked = CliRunner().invoke(app, [*command, "--card", "cards.hctqa.synthetic"])
    assert asked.exit_code == 0, asked.output
    there = json.loads((run / "analysis.json").read_text())
    assert json.loads((out / "analysis.json").read_text())["slices"] == there["slices"]
    assert CliRunner().invoke(app, [*command, "--card", "cards.hctqa.nothing"]).exit_code == 2
