"""Models described in a recipe, and in a file beside scores from elsewhere."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest
import yaml

from ..conftest import Torr

RECIPE = """\
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
    (tmp_path / "small.yaml").write_text(RECIPE)
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
    (tmp_path / "small.yaml").write_text(RECIPE)
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
