"""``torr analyse``, ``torr budget``: kinds of examples, described models, what a ranking needs."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest
import yaml
from typer.testing import CliRunner

from tests.conftest import Torr
from torr_plugin.cli.app import app

RECIPE = """\
name: kinds
cards: [cards.hctqa.synthetic]
configurations: [html/none/default, markdown/none/default]
examples: {count: 30}
models: [torr-lexical, torr-random-cell, torr-majority]
analysis: {resamples: 20}
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
    assert len(examples) == 30
    assert {"table", "template"} <= set(json.loads(examples["groups"][0]))
    assert set(json.loads(examples["properties"][0])) == {"table", "question"}
    assert (examples["cells"] > 0).all()
    lengths = pd.read_parquet(run / "lengths.parquet")
    assert len(lengths) == 3 * 2 * 30
    assert (lengths[["values", "truth"]] >= 1).all(axis=None)


def test_the_analysis_has_scores_by_kind(run: Path) -> None:
    found = json.loads((run / "analysis.json").read_text())
    slices = found["slices"]["hctqa.synthetic"]
    by_template = slices["groups"]["template"]
    assert set(by_template) <= {str(number) for number in range(1, 16)}
    assert sum(one["examples"] for one in by_template.values()) == 30
    whole = sum(one["examples"] * one["overall"]["value"] for one in by_template.values()) / 30
    models = [figure["overall"]["value"] for figure in found["performance"].values()]
    assert whole == pytest.approx(sum(models) / 3)
    assert set(slices["properties"]) == {"table", "question"}
    assert set(found["verbosity"]["hctqa.synthetic"]["models"]) == set(found["performance"])


def test_torr_analyse_reads_them_again(run: Path, tmp_path: Path) -> None:
    command = ["analyse", str(run), "--out", str(tmp_path / "out"), "--no-charts", "--resamples", "20"]
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
    command = ["analyse", scores, "--out", str(out), "--no-charts", "--resamples", "20"]
    assert CliRunner().invoke(app, command).exit_code == 0
    assert "slices" not in json.loads((out / "analysis.json").read_text())
    asked = CliRunner().invoke(app, [*command, "--card", "cards.hctqa.synthetic"])
    assert asked.exit_code == 0, asked.output
    there = json.loads((run / "analysis.json").read_text())
    assert json.loads((out / "analysis.json").read_text())["slices"] == there["slices"]
    assert CliRunner().invoke(app, [*command, "--card", "cards.hctqa.nothing"]).exit_code == 2


DESCRIBED = """\
name: small
cards: [cards.bundled.fact_verification]
configurations: {serializers: [torr.html, torr.csv], perturbations: [none, shuffle_rows]}
examples: {count: 3}
models:
- {model: torr-lexical, family: baselines, size: 2, open: true}
- {model: torr-majority, family: baselines, size: 1, open: false}
"""


@pytest.fixture
def scores(tmp_path: Path) -> Path:
    """Two models on two examples."""
    rows = [
        {"model": m, "dataset": "d", "config": "c", "example": e, "metric": "em", "score": score}
        for m, score in (("big", 0.75), ("small", 0.25))
        for e in ("e0", "e1")
    ]
    path = tmp_path / "scores.csv"
    pd.DataFrame(rows).to_csv(path, index=False)
    return path


def test_a_run_describes_its_models(torr: Torr, tmp_path: Path) -> None:
    (tmp_path / "small.yaml").write_text(DESCRIBED)
    assert torr("run", "small.yaml", "--out", "run").returncode == 0
    study = yaml.safe_load((tmp_path / "run" / "study.yaml").read_text())
    assert {model["label"]: model.get("size") for model in study["models"]} == {
        "torr-lexical": 2.0,
        "torr-majority": 1.0,
    }
    found = json.loads((tmp_path / "run" / "analysis.json").read_text())["groups"]
    assert found["openness"]["models"] == {"open": ["torr-lexical"], "closed": ["torr-majority"]}
    family = found["families"]["families"]["baselines"]
    assert [entry["model"] for entry in family["models"]] == ["torr-majority", "torr-lexical"]
    assert torr("analyse", "run", "--no-charts", "--out", "again").returncode == 0
    assert json.loads((tmp_path / "again" / "analysis.json").read_text())["groups"] == found
    # a file overrules what it says, and leaves the rest
    (tmp_path / "models.yaml").write_text("- {name: torr-majority, open: true}\n")
    done = torr("analyse", "run", "--models", "models.yaml", "--no-charts", "--out", "third")
    assert done.returncode == 0, done.stderr
    overruled = json.loads((tmp_path / "third" / "analysis.json").read_text())["groups"]
    assert overruled["openness"]["models"] == {"open": ["torr-lexical", "torr-majority"], "closed": []}
    assert overruled["families"] == found["families"]
    # named on the command line alone, a model keeps what the recipe says of it
    assert torr("run", "small.yaml", "--model", "torr-lexical", "--out", "run").returncode == 0
    assert json.loads((tmp_path / "run" / "analysis.json").read_text())["groups"] == found


def test_a_file_describes_models(torr: Torr, tmp_path: Path, scores: Path) -> None:
    (tmp_path / "models.yaml").write_text(
        "- {name: big, family: x, size: 70, open: false}\n- {name: small, family: x, size: 7, open: true}\n"
    )
    done = torr("analyse", scores, "--models", "models.yaml", "--no-charts", "--out", "out")
    assert done.returncode == 0, done.stderr
    groups = json.loads((tmp_path / "out" / "analysis.json").read_text())["groups"]
    assert groups["openness"]["performance"]["overall"]["difference"]["value"] == 0.5
    assert groups["families"]["families"]["x"]["difference"]["value"] == 0.5


def test_a_wrong_file_is_one_line(torr: Torr, tmp_path: Path, scores: Path) -> None:
    (tmp_path / "models.yaml").write_text("- {name: big, size: 70b}\n")
    done = torr("analyse", scores, "--models", "models.yaml", "--out", "out")
    assert done.returncode == 2
    assert (
        done.stderr.strip()
        .splitlines()[-1]
        .endswith("models.yaml:1: [0].size: found '70b'; expected a number")
    )
    assert "Traceback" not in done.stderr
    assert torr("analyse", scores, "--models", "gone.yaml", "--out", "out").returncode == 2


def test_the_command_line_says_whether_chat_templates_are_used(torr: Torr, tmp_path: Path) -> None:
    (tmp_path / "small.yaml").write_text(DESCRIBED)
    assert torr("run", "small.yaml", "--no-chat", "--out", "run").returncode == 0
    study = yaml.safe_load((tmp_path / "run" / "study.yaml").read_text())
    assert [model["chat"] for model in study["models"]] == [False, False]
    # the same model asked otherwise is another one, and one without a template cannot be asked so
    other = torr("run", "small.yaml", "--model", "torr-lexical", "--out", "run")
    assert (other.returncode, "chat: false" in other.stderr) == (2, True), other.stderr
    refused = torr("run", "small.yaml", "--model", "torr-lexical", "--chat", "--out", "new")
    assert refused.returncode == 2
    assert "has no usable chat template" in refused.stderr
    assert refused.stderr.rstrip().endswith("leave out 'chat: true' (--chat)")


BUDGETED = """\
name: small
seed: 1
cards: [cards.bundled.cell_lookup]
configurations:
  - serializers: [html, csv]
    perturbations: [none, transpose, shuffle_rows]
examples: {count: 6}
demonstrations: {shots: 0}
models: [torr-majority, torr-lexical, torr-random-cell]
analysis: {resamples: 100}
"""


def test_a_run_says_what_its_options_cost(torr: Torr, tmp_path) -> None:
    (tmp_path / "small.yaml").write_text(BUDGETED)
    done = torr("run", "small.yaml", "--out", "run")
    assert done.returncode == 0, done.stderr
    told = torr("budget", "run", "--target", "0.8", "--json")
    assert told.returncode == 0, told.stderr
    found = json.loads(told.stdout)
    assert found["models"] == 3
    assert found["study"]["requests_per_model"] == 36
    assert found["cost"]["requests"] == 1
    for option in [found["study"], *found["options"]]:
        per_request = option["prompt_tokens"] / option["requests"]
        assert per_request == pytest.approx(found["cost"]["prompt_tokens"], rel=0.01)
        assert per_request > 50, "a prompt holds a table"
    if found["cost"]["estimated"]:
        assert "estimated, four characters each" in told.stderr
    kept = torr("budget", "run", "--label-keeping")
    assert kept.returncode == 0, kept.stderr
    assert "Label-keeping perturbations alone." in kept.stdout
    assert max(map(len, kept.stdout.splitlines())) <= 80
