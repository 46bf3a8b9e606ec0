"""Studies whose main score is the lenient one: no prompt changes, and no model is asked again."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from torr_plugin.core.errors import RecipeError
from torr_plugin.integrations.lm_eval.task import figure_names
from torr_plugin.integrations.studies import dataset_entry
from torr_plugin.integrations.unitxt.recipes import metric_names
from torr_plugin.recipes import ModelEntry, Recipe, load, plan
from torr_plugin.running import Run
from torr_plugin.scoring import join_scored_runs
from torr_plugin.workflows.study import run_study

MODELS = [ModelEntry(model="torr-constant", args={"answer": "The statement is not true."})]
RECIPE = """\
name: said
cards: [cards.bundled.fact_verification, cards.bundled.cell_lookup]
configurations: {serializers: [html, csv]}
examples: {count: 8}
analysis: {resamples: 20}
"""


def recipe(tmp_path: Path, scoring: str = "") -> Recipe:
    path = tmp_path / "said.yaml"
    path.write_text(RECIPE + (f"scoring: {scoring}\n" if scoring else ""), encoding="utf-8")
    return load(path)


def main_scores(run: Path) -> pd.DataFrame:
    scores = Run.open(run).scores()
    return scores[scores["main"]].reset_index(drop=True)


def test_the_plan_and_its_record_stay_the_same(tmp_path: Path) -> None:
    one, faithful, lenient = (plan(recipe(tmp_path, name)) for name in ("", "faithful", "lenient"))
    assert one.fingerprint == faithful.fingerprint == lenient.fingerprint
    assert [each.key for each in one.requests()] == [each.key for each in lenient.requests()]
    assert "scoring" not in one.record()["recipe"]
    assert one.record() == faithful.record()
    assert lenient.record()["recipe"]["scoring"] == "lenient"


@pytest.mark.full
def test_another_scoring_asks_no_model_again(tmp_path: Path) -> None:
    out = tmp_path / "run"
    run_study(recipe(tmp_path), MODELS, out)
    before, keys = main_scores(out), Run.open(out).predictions("torr-constant", ("key", "seconds"))
    run_study(recipe(tmp_path, "lenient"), MODELS, out)
    after = main_scores(out)
    assert Run.open(out).predictions("torr-constant", ("key", "seconds")).equals(keys)
    assert set(before["metric"]) == {"accuracy", "exact_match"}
    assert set(after["metric"]) == {"accuracy.lenient", "exact_match.lenient"}
    assert len(before) == len(after)
    assert before["score"].max() == 0
    of_facts = after[after["dataset"] == "bundled.fact_verification"]
    assert 0 < of_facts["score"].mean() < 1
    every = Run.open(out).scores()
    assert set(every.loc[~every["main"], "metric"]) == {"accuracy", "exact_match"}
    run_study(recipe(tmp_path), MODELS, out)
    pd.testing.assert_frame_equal(main_scores(out), before, check_categorical=False)


@pytest.mark.full
def test_runs_with_different_scorings_are_scored_as_the_first_one(tmp_path: Path) -> None:
    other = [ModelEntry(model="torr-constant", name="other", args={"answer": "refuted"})]
    run_study(recipe(tmp_path, "lenient"), MODELS, tmp_path / "a")
    run_study(recipe(tmp_path), other, tmp_path / "b")
    join_scored_runs([tmp_path / "a", tmp_path / "b"], tmp_path / "both")
    joined = main_scores(tmp_path / "both")
    assert set(joined["metric"]) == {"accuracy.lenient", "exact_match.lenient"}
    assert set(joined["model"]) == {"torr-constant", "other"}


def test_other_harnesses_have_the_same_main_score(tmp_path: Path) -> None:
    recipe(tmp_path, "lenient")
    card = dataset_entry(str(tmp_path / "said.yaml"), "bundled.fact_verification").card
    assert figure_names(card, single=True) == ["accuracy.lenient", "accuracy"]
    assert metric_names(card) == ["metrics.torr.accuracy"]
    recipe(tmp_path)
    card = dataset_entry(str(tmp_path / "said.yaml"), "bundled.fact_verification").card
    assert figure_names(card, single=True) == ["accuracy", "accuracy.lenient"]


def test_there_are_two_scorings(tmp_path: Path) -> None:
    with pytest.raises(RecipeError, match=r"said\.yaml:6: scoring: .*'strict'.*faithful.*lenient"):
        recipe(tmp_path, "strict")
