"""``torr analyse``, ``torr budget``: kinds of examples, described models, what a ranking needs."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import yaml

from ..analysis.made import cube_frame
from .conftest import REQUESTS
from .in_process import here

pytestmark = pytest.mark.full


def done(*line: str | Path) -> str:
    """Run a command that has to succeed; what it prints."""
    result = here(*line)
    assert result.exit_code == 0, result.output
    return result.stdout


def analysis_in(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "analysis.json").read_text())
    return found


def analysed(scores: Path, out: Path, *more: str | Path) -> dict[str, Any]:
    done("analyse", scores, "--out", out, "--no-charts", "--resamples", "20", *more)
    return analysis_in(out)


@pytest.fixture(scope="session")
def run(quick_run: Path) -> Path:
    """Two data sets, one of which has kinds of examples, and three models, two of which are described."""
    return quick_run


def test_ratings_of_a_run_s_battles_stand_beside_its_analysis(run: Path, tmp_path: Path) -> None:
    copied = tmp_path / "run"
    shutil.copytree(run, copied)
    rows = [(f"d/{at}", "x", "y", "ab", "x", ["model_a", "model_b"][at % 2]) for at in range(8)]
    names = ["question", "model_a", "model_b", "order", "judge", "winner"]
    pd.DataFrame(rows, columns=names).to_parquet(copied / "battles.parquet")
    analysed(copied, copied)
    assert json.loads((copied / "ratings.json").read_text())["battles"] == 8
    shown = done("rate", copied, "--out", copied, "--resamples", "9")
    assert all(len(line) <= 80 for line in shown.splitlines())
    assert "What their verdicts say of the judges:" in shown
    assert "0 of 1 pair of models differ" in shown


def test_the_run_keeps_what_is_known_of_its_examples(run: Path) -> None:
    examples = pd.read_parquet(run / "examples.parquet")
    assert list(examples.columns) == ["dataset", "example", "groups", "properties", "cells"]
    assert len(examples) == 20
    examples = examples[examples.dataset == "hctqa.synthetic"]
    assert {"table", "template"} <= set(json.loads(examples["groups"].iloc[0]))
    assert set(json.loads(examples["properties"].iloc[0])) == {"table", "question"}
    assert (examples["cells"] > 0).all()
    lengths = pd.read_parquet(run / "lengths.parquet")
    assert len(lengths) == 3 * REQUESTS / 2
    assert (lengths[["values", "truth"]] >= 1).all(axis=None)


def test_the_analysis_has_scores_by_kind(run: Path) -> None:
    found = analysis_in(run)
    slices = found["slices"]["hctqa.synthetic"]
    by_template = slices["groups"]["template"]
    assert set(by_template) <= {str(number) for number in range(1, 16)}
    assert sum(one["examples"] for one in by_template.values()) == 10
    whole = sum(one["examples"] * one["overall"]["value"] for one in by_template.values()) / 10
    models = [figure["datasets"]["hctqa.synthetic"]["value"] for figure in found["performance"].values()]
    assert whole == pytest.approx(sum(models) / 3)
    assert set(slices["properties"]) == {"table", "question"}
    assert set(found["verbosity"]["hctqa.synthetic"]["models"]) == set(found["performance"])


def test_torr_analyse_reads_them_again(run: Path, tmp_path: Path) -> None:
    again, there = analysed(run, tmp_path), analysis_in(run)
    for figure in ("slices", "verbosity", "groups"):
        assert again[figure] == there[figure]
    assert (tmp_path / "slices.csv").is_file()
    other = analysed(run, tmp_path, "--metric", "precision")
    assert other["settings"]["metrics"]["hctqa.synthetic"] == "precision"
    assert here("analyse", run, "--out", tmp_path, "--metric", "precison").exit_code == 2


def test_a_model_that_was_interrupted_before_its_scores_is_named(run: Path, tmp_path: Path) -> None:
    begun = shutil.copytree(run, tmp_path / "begun")
    study = yaml.safe_load((begun / "study.yaml").read_text())
    study["models"].append({**study["models"][0], "label": "late"})
    (begun / "study.yaml").write_text(yaml.safe_dump(study))
    result = here("analyse", begun, "--out", tmp_path / "out", "--no-charts", "--resamples", "20")
    assert result.exit_code == 0
    assert "late: no answer of it is scored" in result.output


def test_a_run_of_an_earlier_version_has_none_of_it(run: Path, tmp_path: Path) -> None:
    old = shutil.copytree(run, tmp_path / "old")
    (old / "examples.parquet").unlink()
    (old / "lengths.parquet").unlink()
    found = analysed(old, tmp_path / "out")
    assert not {"slices", "regression", "verbosity", "modalities"} & set(found)


def test_a_scores_file_with_its_card_has_the_same_slices(run: Path, tmp_path: Path) -> None:
    scores = run / "scores.parquet"
    assert "slices" not in analysed(scores, tmp_path)
    found = analysed(scores, tmp_path, "--card", "cards.hctqa.synthetic")
    assert found["slices"] == {name: analysis_in(run)["slices"][name] for name in ["hctqa.synthetic"]}
    assert here("analyse", scores, "--out", tmp_path, "--card", "cards.hctqa.nothing").exit_code == 2


def test_a_run_describes_its_models(run: Path, tmp_path: Path) -> None:
    study = yaml.safe_load((run / "study.yaml").read_text())
    sizes = {model["label"]: model.get("size") for model in study["models"]}
    assert sizes == {"torr-lexical": 2.0, "torr-majority": 1.0, "torr-random-cell": None}
    found = analysis_in(run)["groups"]
    assert found["openness"]["models"] == {"open": ["torr-lexical"], "closed": ["torr-majority"]}
    family = found["families"]["families"]["baselines"]
    assert [entry["model"] for entry in family["models"]] == ["torr-majority", "torr-lexical"]
    # a file overrules what it says, and leaves the rest
    (tmp_path / "models.yaml").write_text("- {name: torr-majority, open: true}\n")
    overruled = analysed(run, tmp_path / "analysis", "--models", tmp_path / "models.yaml")["groups"]
    assert overruled["openness"]["models"] == {"open": ["torr-lexical", "torr-majority"], "closed": []}
    assert overruled["families"] == found["families"]
    # named on the command line alone, a model keeps what the recipe says of it
    again = shutil.copytree(run, tmp_path / "run")
    done("run", run.parent / "quick.yaml", "--model", "torr-lexical", "--out", again)
    assert analysis_in(again)["groups"] == found


def test_the_command_line_says_whether_chat_templates_are_used(run: Path, tmp_path: Path) -> None:
    line = ("run", run.parent / "quick.yaml", "--limit", "1", "--out")
    done(*line, tmp_path / "run", "--no-chat")
    study = yaml.safe_load((tmp_path / "run" / "study.yaml").read_text())
    assert [model["chat"] for model in study["models"]] == [False] * 3
    # the same model asked otherwise is another one, and one without a template cannot be asked so
    other = here(*line, tmp_path / "run", "--model", "torr-lexical")
    assert (other.exit_code, "chat: False there" in other.stderr) == (2, True), other.stderr
    refused = here(*line, tmp_path / "new", "--model", "torr-lexical", "--chat")
    assert refused.exit_code == 2
    assert "has no usable chat template" in refused.stderr
    assert refused.stderr.rstrip().endswith("leave out 'chat: true' (--chat)")


def test_a_run_says_what_its_options_cost(run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    report = here("budget", run, "--target", "0.8", "--json")
    assert report.exit_code == 0, report.stderr
    found = json.loads(report.stdout)
    assert found["models"] == 3
    assert found["study"]["requests_per_model"] == REQUESTS
    assert found["cost"]["requests"] == 1
    for option in [found["study"], *found["options"]]:
        per_request = option["prompt_tokens"] / option["requests"]
        assert per_request == pytest.approx(found["cost"]["prompt_tokens"], rel=0.01)
        assert per_request > 50, "a prompt holds a table"
    assert ("estimated, four characters each" in report.stderr) is bool(found["cost"]["estimated"])
    seen = json.loads(done("budget", run, "--detect", "0.1", "--json"))
    assert (seen["detect"], seen["power"], seen["pairs"]) == (0.1, 0.8, 3)
    for option in [seen["cheapest"], seen["corrected"]["cheapest"]]:
        assert option["prompt_tokens"] == pytest.approx(
            option["requests"] * seen["cost"]["prompt_tokens"], abs=1
        )
    shown = done("budget", run, "--detect", "0.1")
    assert shown.startswith("To detect a difference of 0.1 with 80% power, middle pair. *: fewest requests.")
    assert "Corrected for 3 pairs: " in shown
    assert max(map(len, shown.splitlines())) <= 80


def test_two_questions_at_once_are_refused(tmp_path: Path) -> None:
    refused = here("budget", tmp_path, "--detect", "0.1", "--target", "0.9")
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert refused.stderr == "torr: --detect: found with --target; expected one of the two questions\n"


def test_a_hostile_name_drives_no_terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    frame = cube_frame(np.random.default_rng(0).random((2, 2, 9)))
    frame.assign(dataset="d\x1b[31m").to_csv("scores.csv", index=False)
    shown = done("budget", "scores.csv") + done("budget", "scores.csv", "--detect", "0.3")
    assert "\x1b" not in shown
    assert "2 models, d?[31m." in shown
