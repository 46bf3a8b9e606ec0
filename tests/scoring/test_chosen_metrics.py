"""Answers rated by other metrics than the card's, in a study and of a file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from torr_plugin.catalog import load_card, with_metrics
from torr_plugin.core.errors import CardError, RecipeError
from torr_plugin.recipes import ModelEntry, Recipe, load, plan
from torr_plugin.running import Run
from torr_plugin.scoring import check_main_score, score_example, score_predictions
from torr_plugin.workflows.study import run_study

from ..catalog import tiny

MODELS = [ModelEntry(model="torr-constant", args={"answer": "the values are all of them"})]


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tiny.write(tmp_path / "mirror")
    monkeypatch.setenv("TORR_DATA", str(folder))
    return folder


def recipe(**card: object) -> Recipe:
    return Recipe.model_validate(
        {
            "name": "seen",
            "cards": [{"card": "hctqa.real", **card}],
            "configurations": "html/none/default",
            "examples": {"count": 5},
            "analysis": {"resamples": 20},
        }
    )


@pytest.mark.full
def test_a_study_rated_by_the_vision_metric(data: Path, tmp_path: Path) -> None:
    for name, chosen in (("text", None), ("vision", ["hctqa_vision"])):
        run_study(recipe(metrics=chosen), MODELS, tmp_path / name)
        opened = Run.open(tmp_path / name)
        scores = opened.scores()
        expected = {"recall", "complete_containment", "recall.lenient"} | (
            {"precision", "f1"} if chosen is None else set()
        )
        assert set(scores["metric"]) == expected
        assert set(scores.loc[scores["main"], "metric"]) == {"recall"}
        assert opened.study["datasets"]["hctqa.real"]["metrics"] == (chosen or ["hctqa"])


def test_the_choice_is_part_of_the_study(data: Path) -> None:
    own, chosen = plan(recipe()), plan(recipe(metrics="hctqa_vision"))
    assert own.fingerprint != chosen.fingerprint
    assert own.fingerprint == plan(recipe(metrics=None)).fingerprint
    assert [request.key for request in own.requests()] == [request.key for request in chosen.requests()]


def test_an_unknown_metric_stops_the_study_before_it_asks(data: Path, tmp_path: Path) -> None:
    with pytest.raises(CardError, match=r"^cards.hctqa.real: unknown metric 'hctqa_vison'; did you mean"):
        run_study(recipe(metrics=["hctqa_vison"]), MODELS, tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_a_main_score_that_no_metric_gives_is_found_by_the_plan() -> None:
    card = load_card("hctqa.real")
    check_main_score(card)
    check_main_score(with_metrics(card, ["unitxt:metrics.squad"]))  # which is not loaded to look
    with pytest.raises(CardError, match="no metric gives its main score 'recall'; expected one of: accuracy"):
        check_main_score(replace(card, metrics=("accuracy",)))


def test_a_metric_named_alone_gives_the_main_score() -> None:
    card = with_metrics(load_card("hctqa.real"), ["accuracy"])
    check_main_score(card)
    assert card.main_metric == "accuracy"
    assert score_example(card, "a", ["a"])["accuracy"] == 1
    assert with_metrics(card, ["exact_match", "accuracy"]).main_metric == "accuracy"
    assert with_metrics(load_card("hctqa.real"), ["rouge"]).main_metric == "rougeL"


def test_bad_lists_are_said(tmp_path: Path) -> None:
    path = tmp_path / "x.yaml"
    path.write_text(
        "name: x\ncards:\n  - card: hctqa.real\n    metrics: []\nconfigurations: html/none/default\n"
    )
    with pytest.raises(RecipeError, match=r"x\.yaml:4: cards\[0\]\.metrics: the list is empty"):
        load(path)


def test_a_card_with_other_metrics() -> None:
    card = load_card("hctqa.real")
    other = with_metrics(card, ["metrics.torr.hctqa_vision"])
    assert with_metrics(card, None) is card
    assert other.metrics == ("hctqa_vision",)
    assert other.fingerprint != card.fingerprint
    assert score_example(other, "It is 5 of them", ["{5} || {6}"]) == {
        "recall": 0.5,
        "complete_containment": 0.0,
        "recall.lenient": 0.5,
    }


def test_a_file_rated_by_the_vision_metric(data: Path, tmp_path: Path) -> None:
    rows = [
        {"example": row["question_id"], "prediction": f"I see {row['answer'].strip('{}')} there"}
        for row in tiny.FILES["hctqa/real"]
        if row["dataset_type"] == "realWorldHCTs"
    ]
    path = tmp_path / "p.jsonl"
    pd.DataFrame(rows).to_json(path, orient="records", lines=True)
    card = load_card("hctqa.real")
    text, vision = (
        score_predictions(with_metrics(card, chosen), path) for chosen in (None, ["hctqa_vision"])
    )
    assert list(vision.metrics) == ["recall", "complete_containment", "recall.lenient"]
    assert vision.metrics["recall"]["value"] > text.metrics["recall"]["value"]
    (said,) = [note for note in text.notes if "also fits" in note]
    assert said.startswith(
        "the metric hctqa_vision also fits these references, and gives 1.000 where recall is 0."
    )
    assert not any("also fits" in note for note in vision.notes)
