"""README's numbers are those of its studies, of its quickstart and of what it installs."""

from __future__ import annotations

import importlib.util
import os
import re
from importlib import metadata
from pathlib import Path
from types import ModuleType
from typing import Any

import pandas as pd
import pytest
from packaging.requirements import Requirement

from tests.cli.in_process import here
from tests.conftest import missing
from torr_plugin.analysis import analyse
from torr_plugin.recipes import load, plan

from .blocks import ROOT, blocks_in

TEXT = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())


def script(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / "leaderboard" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def analysis() -> dict[str, Any]:
    """Of the answers that TOON's benchmark published."""
    answers = Path(os.environ.get("TORR_DATA", ""), "toon", "answers.parquet")
    if not answers.is_file():
        missing("TORR_DATA names no folder with toon/answers.parquet")
    study = script("format_study")
    return analyse(study.scores(study.read_answers(answers)), resamples=20)


def test_the_result_is_what_the_study_found(analysis: dict[str, Any]) -> None:
    best, *others = analysis["serializers"]["choice"]["average"]["overall"]
    (worse,) = (each for each in others if each["behind"].get("differs"))
    (models,) = (each for each in analysis["findings"] if each["question"] == "models")
    ((_, ahead),) = models["verdicts"].items()
    right = analysis["performance"]["grok-4.5"]["overall"]["value"]
    tokens = {row["format"]: row["tokens"] for row in script("format_picture").rows(analysis)}
    assert (best["name"], worse["name"]) == ("toon", "json-compact")
    for claim in (
        f"`toon` takes {100 * tokens['toon'] / tokens['xml']:.0f}% of the tokens of `xml`",
        f"`json-compact` costs {points(worse['behind'], 1)} of right answers.",
        f"grok-4.5 gets {100 * right:.0f}% right, {points(ahead, 0)} ahead of the next model.",
    ):
        assert claim in TEXT


def points(verdict: dict[str, float], digits: int) -> str:
    """A difference in points of percent, with its interval."""
    value, low, high = (f"{100 * verdict[name]:.{digits}f}" for name in ("value", "low", "high"))
    return f"{value} points [{low} to {high}]"


def test_the_study_is_as_large_as_said(analysis: dict[str, Any]) -> None:
    found = script("format_picture").rows(analysis)
    assert len(analysis["performance"]) == 4
    assert [row["format"] for row in found] == ["toon", "json-pretty", "xml", "yaml", "json-compact"]
    assert {own["shared"] for own in analysis["serializers"]["examples"]["toon"].values()} == {244}
    assert "Four models answered the 244 questions" in TEXT
    assert "in the five formats that can write all of its data" in TEXT


def test_the_picture_is_drawn_of_any_scores_with_formats_and_tokens() -> None:
    rows = [
        (model, "d", f"{name}/none/default", name, number, "m", float(number % 3 > 0), 10 * tokens)
        for model in ("ash", "birch")
        for tokens, name in enumerate(("csv", "html"), start=1)
        for number in range(12)
    ]
    columns = ["model", "dataset", "config", "serializer", "example", "metric", "score", "prompt_tokens"]
    scores = pd.DataFrame(rows, columns=columns).assign(perturbation="none", design="default")
    drawn = script("format_picture").picture(analyse(scores, resamples=5))
    assert [row["tokens"] for row in drawn["datasets"]["rows"]] == [10, 20]
    assert "2 models, 12 questions" in str(drawn["title"])


def test_the_quickstart_asks_as_much_as_said() -> None:
    study = plan(load("quickstart"))
    cells = len(list(study.requests()))
    assert "60 questions in 35 ways each, 6,300 answers in all" in TEXT
    assert (cells, len(study.recipe.models)) == (60 * 35, 3)


def test_what_it_installs_is_as_large_as_said() -> None:
    said = re.search(r"installs ([\d.]+) GB of packages", TEXT)
    assert said is not None
    assert installed_bytes("torr-plugin") / 1e9 == pytest.approx(float(said[1]), abs=0.15)


def installed_bytes(package: str) -> int:
    """Of a package and all that it needs, without bytecode, as their records say."""
    waiting, seen, found = [(package, "")], set(), 0
    while waiting:
        name, extra = waiting.pop()
        key = (name.lower().replace("_", "-"), extra)
        if key in seen:
            continue
        seen.add(key)
        try:
            own = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            continue  # of another build of the same library
        if not extra:
            found += sum(file.size or 0 for file in own.files or ())
        for needed in map(Requirement, own.requires or ()):
            if needed.marker is None or needed.marker.evaluate({"extra": extra}):
                waiting += [(needed.name, each) for each in ("", *needed.extras)]
    return found


def test_torr_has_ten_data_sets_in_35_configurations() -> None:
    recipe = load("torr")
    assert (len(recipe.cards), len(recipe.expanded())) == (10, 35)
    assert "ten data sets in 35 configurations" in TEXT


def test_the_audit_says_what_the_readme_says(tmp_path: Path) -> None:
    (block,) = (each for each in blocks_in(ROOT / "README.md") if each.file == "board.csv")
    (tmp_path / "board.csv").write_text(block.text + "\n", encoding="utf-8")
    done = here("audit", str(tmp_path / "board.csv"), "--n", "gsm8k=1319")
    assert "# ash and birch tie; cedar is behind both" in TEXT
    groups = {line.split()[1]: line.split()[-1] for line in done.stdout.splitlines() if " 0." in line}
    assert groups == {"ash": "1", "birch": "1", "cedar": "2"}
