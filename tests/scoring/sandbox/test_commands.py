"""A study of charts and a file of answers by command; and both where nothing contains programs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.catalog.realhitbench import write_mirror
from tests.cli.in_process import here
from torr_plugin.catalog import load_card, read_examples
from torr_plugin.running import Run
from torr_plugin.scoring.sandbox import ChartSandbox

pytestmark = pytest.mark.full

CARD = "realhitbench.chart_generation"
READS = (
    "import pandas as pd\nimport matplotlib.pyplot as plt\n"
    "df = pd.read_excel('table.xlsx', header=None)\nplt.bar(range(len(df)), range(len(df)))\nplt.show()"
)


@pytest.fixture
def mirror(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = write_mirror(tmp_path / "mirror", 2)
    monkeypatch.setenv("TORR_DATA", str(folder))
    return folder


@pytest.fixture
def answers(mirror: Path, tmp_path: Path) -> Path:
    """One right chart, and one with other values."""
    first, second = read_examples(load_card(CARD), "test")
    values = first.references[0]
    right = f"import matplotlib.pyplot as plt\ny = {values}\nplt.bar(range(len(y)), y)"
    rows = [
        {"example": first.id, "prediction": f"{right}\nplt.show()"},
        {"example": second.id, "prediction": READS},
    ]
    path = tmp_path / "answers.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    return path


@pytest.fixture
def no_walls(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("torr_plugin.scoring.sandbox.sandbox._sandbox_of", lambda *_: ChartSandbox())


def test_a_file_of_answers_is_scored(answers: Path) -> None:
    done = here("score", "--card", CARD, "--predictions", str(answers), "--json")
    scores = json.loads(done.stdout)
    assert scores["chart_pass"]["value"] == 0.5
    assert scores["chart_ecr"]["value"] == 1.0


def test_a_study_runs_the_programs(mirror: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    recipe = recipe_in(tmp_path)
    done = here("run", str(recipe), "--out", str(out))
    assert done.exit_code == 0, done.stderr
    scores = Run.open(out).scores()
    assert set(scores.loc[scores["metric"] == "chart_ecr", "score"]) == {1.0}
    assert set(scores.loc[scores["metric"] == "chart_pass", "main"]) == {True}


def recipe_in(folder: Path) -> Path:
    path = folder / "charts.yaml"
    path.write_text(
        f"name: charts\ncards: [{CARD}]\nconfigurations: html/none/default\n"
        "analysis: {resamples: 20}\n"
        f"models:\n  - model: torr-constant\n    args: {{answer: {json.dumps(READS)}}}\n"
    )
    return path


def test_without_walls_both_end_in_one_line_before_anything_is_asked(
    no_walls: None, answers: Path, tmp_path: Path
) -> None:
    for words in (
        ["run", str(recipe_in(tmp_path)), "--out", str(tmp_path / "run")],
        ["score", "--card", CARD, "--predictions", str(answers)],
    ):
        done = here(*words)
        assert done.exit_code == 2
        (line,) = done.stderr.strip().splitlines()[-1:]
        assert line.startswith("torr: charts: no sandbox here (bwrap: not installed), ")
        assert "Traceback" not in done.stderr
    assert not list((tmp_path / "run").rglob("*.parquet"))
