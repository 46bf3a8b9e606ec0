"""Judges of pairs in recipes: checked, planned, asked once the models are done."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest
from typer.testing import CliRunner

from torr_plugin.cli.app import app
from torr_plugin.core.errors import InputError, RecipeError
from torr_plugin.recipes import JudgeEntry, ModelEntry, load, model_entry, plan
from torr_plugin.scoring.judges import plan_judging
from torr_plugin.workflows.judging import check_judges, judge_costs
from torr_plugin.workflows.study import run_study

RECIPE = """
name: compared
cards: [bundled.cell_lookup, bundled.aggregation]
configurations: {serializers: [html, csv]}
examples: {count: 3}
models: [torr-lexical, torr-majority, torr-random-cell]
judges:
  - {model: torr-judge, kind: pair, baseline: torr-majority, scale: 5, table: true,
     price: {prompt: 2, completion: 8}}
  - {model: torr-judge, kind: pair, name: every, orders: one, cards: bundled.cell_lookup, max_tokens: 99}
  - torr-judge
  - {model: torr-judge, kind: score}
analysis: {resamples: 5}
"""


@pytest.fixture
def recipe(tmp_path: Path) -> Path:
    path = tmp_path / "compared.yaml"
    path.write_text(RECIPE)
    return path


def test_a_judge_without_a_name_has_its_kind_in_it(recipe: Path) -> None:
    judges = load(str(recipe)).judges
    assert [judge.label for judge in judges] == ["torr-judge-pair", "every", "torr-judge", "torr-judge-score"]
    assert [judge.longest_reply for judge in judges] == [2048, 99, 1024, 1024]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ("{model: m, baseline: x}", r"judges\[0\]: baseline: found with kind 'yes-no'; expected kind 'pair'"),
        ("{model: m, kind: score, table: true}", "table: found with kind 'score'; expected kind 'pair'"),
        ("{model: m, kind: pair, scale: 1}", r"judges\[0\].scale: found 1"),
        ("{model: m, kind: pair, orders: three}", r"orders: found 'three'; expected 'both' or 'one'"),
    ],
)
def test_what_is_wrong_with_a_judge_is_said(recipe: Path, wrong: str, message: str) -> None:
    recipe.write_text(RECIPE.partition("judges:")[0] + f"judges: [{wrong}]\n")
    with pytest.raises(RecipeError, match=message):
        load(str(recipe))


def test_a_judge_that_could_compare_nothing_is_said_before_models_are_asked(tmp_path: Path) -> None:
    pairs = JudgeEntry(model="torr-judge", kind="pair", baseline="small")
    with pytest.raises(
        InputError, match="the baseline 'small' is none of the models; did you mean 'smaller'"
    ):
        check_judges([pairs], [model_entry("torr-lexical"), ModelEntry(model="hf", name="smaller")], tmp_path)
    every, one = JudgeEntry(model="torr-judge", kind="pair"), model_entry("torr-lexical")
    assert check_judges([every], [one, model_entry("torr-majority")], tmp_path) == []
    assert check_judges([every, JudgeEntry(model="torr-judge")], [one], tmp_path) == [
        "judges: 'torr-judge-pair' compares models, and 'torr-lexical' is alone: it is asked once the run "
        "has a second one"
    ]


def test_a_plan_counts_judges_at_their_most(recipe: Path) -> None:
    loaded = load(str(recipe))
    rows = judge_costs(plan(loaded), loaded.judges, 3)
    assert [(row["judge"], row["kind"]) for row in rows][:2] == [
        ("torr-judge-pair", "pair"),
        ("every", "pair"),
    ]
    # examples x configurations x opponents, in both orders
    assert (rows[0]["battles"], rows[0]["requests"]) == (6 * 2 * 2, 6 * 2 * 2 * 2)
    assert (rows[1]["battles"], rows[1]["requests"]) == (3 * 2 * 3, 3 * 2 * 3)
    assert (rows[2]["answers"], rows[2]["requests"], rows[2]["battles"]) == (36, 36, None)
    assert [row["answer tokens"] for row in rows] == [48 * 2048, 18 * 99, 36 * 1024, 36 * 1024]
    tokens = rows[0]["prompt tokens"]
    assert rows[0]["cost"] == pytest.approx((2 * tokens + 8 * 48 * 2048) / 1e6)
    assert rows[1]["cost"] is None


@pytest.mark.full
def test_a_run_takes_no_more_than_the_plan_says(recipe: Path, tmp_path: Path) -> None:
    loaded = load(str(recipe))
    run_study(loaded.model_copy(update={"judges": ()}), loaded.models, tmp_path / "run")
    for judge, most in zip(loaded.judges, judge_costs(plan(loaded), loaded.judges, 3), strict=True):
        found = plan_judging(tmp_path / "run", judge, datasets=judge.cards)
        if judge.kind == "pair":
            assert found.answers == most["battles"]
        assert 0 < found.requests <= most["requests"]
        assert 0 < found.tokens <= most["prompt tokens"]


@pytest.mark.full
def test_the_judges_of_a_recipe_are_asked_pairs_last(recipe: Path, tmp_path: Path) -> None:
    planned = CliRunner().invoke(app, ["plan", str(recipe), "--json"])
    assert planned.exit_code == 0, planned.output
    rows = json.loads(next(line for line in planned.output.splitlines() if line.startswith("{")))["judges"]
    assert [row["kind"] for row in rows] == ["pair", "pair", "yes-no", "score"]
    shown = CliRunner().invoke(app, ["plan", str(recipe)])
    assert "24 battles" in shown.output
    command = ["run", str(recipe), "--out", str(tmp_path / "run"), "--json"]
    told = CliRunner().invoke(app, command)
    assert told.exit_code == 0, told.output
    result = json.loads(next(line for line in told.output.splitlines() if line.startswith("{")))
    assert list(result["judges"]) == [
        "judge.torr-judge",
        "judge.torr-judge-score",
        "torr-judge-pair",
        "every",
    ]
    assert result["judges"]["every"]["battles"] == 18
    battles = pd.read_parquet(tmp_path / "run" / "battles.parquet")
    assert dict(battles.groupby("judge").size()) == {"every": 18, "torr-judge-pair": 48}
    assert battles.loc[battles["judge"] == "torr-judge-pair", "score_a"].notna().any()
    rated = json.loads((tmp_path / "run" / "ratings.json").read_text())
    assert set(rated["bradley_terry"]) == {"torr-lexical", "torr-majority", "torr-random-cell"}
    assert CliRunner().invoke(app, command).exit_code == 0
    assert len(pd.read_parquet(tmp_path / "run" / "battles.parquet")) == len(battles)
    refused = CliRunner().invoke(
        app, ["run", str(recipe), "--out", str(tmp_path / "x"), "--model", "torr-lexical"]
    )
    assert refused.exit_code == 2
    assert "the baseline 'torr-majority' is none of the models" in refused.output
    assert not (tmp_path / "x").exists()


@pytest.mark.full
def test_a_judge_of_pairs_waits_for_a_second_model(recipe: Path, tmp_path: Path) -> None:
    recipe.write_text(RECIPE.partition("judges:")[0] + "judges: [{model: torr-judge, kind: pair}]\n")
    run = tmp_path / "run"
    for model, battles in (("torr-lexical", 0), ("torr-majority", 24)):
        told = CliRunner().invoke(app, ["run", str(recipe), "--out", str(run), "--model", model])
        assert told.exit_code == 0, told.output
        assert ("'torr-lexical' is alone" in " ".join(told.output.split())) == (not battles)
        found = run / "battles.parquet"
        assert (len(pd.read_parquet(found)) if found.exists() else 0) == battles
