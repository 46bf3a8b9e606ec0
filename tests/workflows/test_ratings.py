"""The ratings of a run, beside its analysis."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

from torr_plugin.analysis.ratings import RatingOptions
from torr_plugin.recipes import JudgeEntry, Recipe, plan
from torr_plugin.workflows import ask_judge, rate_run, with_contestants
from torr_plugin.workflows.study import run_study

FEW = RatingOptions(resamples=5)


def battles(*rows: tuple[str, str, str, str]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["question", "model_a", "model_b", "winner"])


def test_a_run_with_battles_gets_ratings(tmp_path: Path) -> None:
    said: list[str] = []
    assert rate_run(tmp_path, tmp_path, FEW, said.append) is None
    assert said == []
    read = battles(*((f"d/{at}", "x", "y", ["model_a", "model_b", "model_a"][at % 3]) for at in range(9)))
    read.to_parquet(tmp_path / "battles.parquet")
    out = tmp_path / "elsewhere"
    found = rate_run(tmp_path, out, FEW, said.append)
    assert found is not None
    written = json.loads((out / "ratings.json").read_text())
    assert written["bradley_terry"]["x"]["value"] == found.bradley_terry["x"].value
    assert "levels" in written
    assert said == [f"Ratings from 9 battles, x ahead: {out / 'ratings.json'}"]


def test_battles_that_cannot_be_rated_are_said(tmp_path: Path) -> None:
    battles(("d/0", "x", "y", "tie"), ("d/0", "v", "w", "tie")).to_parquet(tmp_path / "battles.parquet")
    said: list[str] = []
    assert rate_run(tmp_path, tmp_path, FEW, said.append) is None
    assert said[0].startswith("No ratings: ")
    assert "2 groups that never battled each other" in said[0]
    assert not (tmp_path / "ratings.json").exists()


@pytest.mark.full
def test_a_judge_that_is_a_model_of_the_run_is_known_by_what_it_is(tmp_path: Path) -> None:
    recipe = Recipe.model_validate(
        {
            "name": "judged",
            "cards": ["bundled.cell_lookup"],
            "configurations": "html/none/default",
            "examples": {"count": 2},
            "models": [{"model": "torr-judge", "name": "ours"}, "torr-lexical", "torr-majority"],
        }
    )
    run = tmp_path / "run"
    run_study(plan(recipe), recipe.models, run)
    for name, args in (("strict", {}), ("other", {"answer": "x"})):
        model = "torr-constant" if args else "torr-judge"
        ask_judge(run, JudgeEntry(model=model, name=name, args=args, kind="pair"))
    assert with_contestants(run, FEW).same == (("strict", "ours"),)
    found = rate_run(run, run, FEW)
    assert found is not None
    assert found.judges is not None
    preference = found.judges.by_judge["strict"].self_preference
    assert preference is not None
    assert preference.model == "ours"
    assert any(note.startswith("judge strict is a contestant: ") for note in found.judges.notes)
    said = RatingOptions(resamples=5, same=(("strict", "torr-lexical"),))
    assert with_contestants(run, said) == said
    alone = RatingOptions(resamples=5, judge="other")
    assert with_contestants(run, alone) == alone
    assert with_contestants(tmp_path, FEW) == FEW
