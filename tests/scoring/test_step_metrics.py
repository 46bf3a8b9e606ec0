"""Metrics that rate the answer to a step before the last, and the table that a configuration shows."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from torr_plugin.core.errors import CardError
from torr_plugin.recipes import ModelEntry, Recipe, plan
from torr_plugin.running import Run
from torr_plugin.scoring import Metric, metrics, score_example, score_run
from torr_plugin.scoring.example_scores import check_card
from torr_plugin.tables import serializers
from torr_plugin.workflows.study import run_study

from ..catalog import tiny
from .made import FakeCard
from .test_scoring_a_run import FakeRun, request


class Notes(Metric):
    """How many of four letters the notes have, as the model wrote them."""

    name = main = "notes"
    score_names = ("notes", "long")
    step = "values"

    def scores(self, prediction: str, references: Sequence[str]) -> dict[str, float]:
        return {"notes": min(len(prediction), 4) / 4, "long": float("\n" in prediction)}


class Shown(Metric):
    """1 where the notes are the first cell below the header of the table shown."""

    name = main = "shown"
    needs = ("shown_table",)
    step = "values"

    def scores(
        self, prediction: str, references: Sequence[str], facts: Mapping[str, str] | None = None
    ) -> dict[str, float]:
        table = serializers.get("json").parse((facts or {})["shown_table"])
        return {"shown": float(prediction == table.body[0][0].text)}


@pytest.fixture(autouse=True)
def _metrics(monkeypatch: pytest.MonkeyPatch) -> None:
    for metric in (Notes(), Shown()):
        monkeypatch.setitem(metrics._values, metric.name, metric)


@pytest.fixture
def noted(card: FakeCard, monkeypatch: pytest.MonkeyPatch) -> FakeCard:
    noted = replace(card, metrics=("exact_match", "notes"))
    monkeypatch.setattr("torr_plugin.scoring.run_answers.load_card", lambda name: noted)
    return noted


def run_of(rows: list[dict[str, Any]], **answers: dict[str, str | None]) -> FakeRun:
    study = {"datasets": {"fruit": {"card": "cards.fruit"}}, "stages": {"self_augmented": 2}}
    return FakeRun(rows, answers, study)


def scores_by(frame: pd.DataFrame, *columns: str) -> dict[Any, float]:
    keys = zip(*(frame[column].astype(str) for column in columns), strict=True)
    return dict(zip(keys, frame["score"], strict=True))


ROWS = [
    request("n1", "q1", design="self_augmented"),
    request("n2", "q2", design="self_augmented"),
    request("d1", "q1"),
    request("a1", "q1", stage=1, model="m", design="self_augmented"),
]


def test_a_step_has_rows_of_its_own_and_other_designs_have_none(noted: FakeCard) -> None:
    frame = score_run(run_of(ROWS, m={"n1": "a\nb", "a1": "apple", "d1": "fig", "n2": None}))
    assert frame.loc[frame["main"], "metric"].tolist() == ["exact_match"] * 3
    found = scores_by(frame, "design", "example", "metric")
    assert math.isnan(found.pop(("self_augmented", "q2", "exact_match")))
    # a step that failed is a hole of the metric's main score
    assert math.isnan(found.pop(("self_augmented", "q2", "notes")))
    assert found == {
        ("default", "q1", "exact_match"): 0.0,
        ("default", "q1", "exact_match.lenient"): 0.0,
        ("self_augmented", "q1", "exact_match"): 1.0,
        ("self_augmented", "q1", "exact_match.lenient"): 1.0,
        ("self_augmented", "q1", "notes"): 0.75,  # the card's postprocessor would have taken a line
        ("self_augmented", "q1", "long"): 1.0,
    }


def test_each_model_has_its_own_notes(noted: FakeCard) -> None:
    frame = score_run(run_of(ROWS[:1], m={"n1": "a"}, n={"n1": "ab"}))
    assert scores_by(frame[frame["metric"] == "notes"], "model") == {("m",): 0.25, ("n",): 0.5}


def test_without_the_step_nothing_is_added(card: FakeCard, noted: FakeCard) -> None:
    rows = [request("d1", "q1"), request("d2", "q2", design="of_a_plugin_that_is_gone")]
    run = run_of(rows, m={"d1": "apple", "d2": "pears"})
    assert set(score_run(run)["metric"]) == {"exact_match", "exact_match.lenient"}
    found = score_example(noted, "apple", ["apple"])  # type: ignore[arg-type]
    assert found == {"exact_match": 1.0, "exact_match.lenient": 1.0}


def test_a_card_whose_main_score_is_of_a_step_is_refused(noted: FakeCard) -> None:
    with pytest.raises(CardError, match="no metric gives its main score 'notes'; found: exact_match"):
        score_example(replace(noted, main_metric="notes"), "a", ["a"])  # type: ignore[arg-type]
    with pytest.raises(CardError, match="no metric gives its main score 'exact_match'; found: none"):
        score_example(replace(noted, metrics=("notes",)), "a", ["a"])  # type: ignore[arg-type]


def test_two_steps_with_one_score_are_refused(noted: FakeCard, monkeypatch: pytest.MonkeyPatch) -> None:
    class Same(Notes):
        def scores(self, prediction: str, references: Sequence[str]) -> dict[str, float]:
            return {"exact_match": 1.0}

    monkeypatch.setitem(metrics._values, "notes", Same())
    example = plan(study()).examples["hctqa.real"][0]
    with pytest.raises(CardError, match="two metrics give a score called 'exact_match'; name only one"):
        check_card(noted, example)  # type: ignore[arg-type]


def study(**more: Any) -> Recipe:
    configurations = {
        "serializers": ["html", "csv"],
        "perturbations": ["none", "shuffle_rows"],
        "designs": ["self_augmented", "default"],
    }
    return Recipe.model_validate(
        {
            "name": "noted",
            "cards": [{"card": "hctqa.real", "metrics": ["hctqa", "notes", "shown"]}],
            "configurations": configurations,
            "analysis": {"resamples": 5},
            **more,
        }
    )


@pytest.fixture(autouse=True)
def _data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TORR_DATA", str(tiny.write(tmp_path / "mirror")))


@pytest.mark.full
def test_the_table_is_that_of_the_prompt(tmp_path: Path) -> None:
    """The model says the first cell of some order of the rows: right where the prompt has this order."""
    planned = plan(study())
    example = planned.examples["hctqa.real"][0]
    first = example.table.body[0][0].text
    run_study(study(), [ModelEntry(model="torr-constant", args={"answer": first})], tmp_path / "run")
    opened = Run.open(tmp_path / "run")
    rows = opened.scores()
    shown = scores_by(rows[rows["metric"] == "shown"], "config")
    assert {config.split("/")[2] for (config,) in shown} == {"self_augmented"}
    prompts = {
        row["config"]: json.loads(row["messages"])[-1]["content"] if row["messages"] else row["prompt"]
        for row in opened.requests().to_pylist()
        if row["stage"] == 0
    }
    for (config,), score in shown.items():
        firsts = {row[0].text for row in example.table.body}
        assert score == float(min(firsts, key=prompts[config].index) == first)
    assert len(shown) == 4


def test_a_step_that_no_design_has_is_said(tmp_path: Path) -> None:
    said: list[str] = []
    recipe = study(configurations={"serializers": ["html"]})
    run_study(recipe, [ModelEntry(model="torr-constant")], tmp_path / "run", tell=said.append)
    assert "cards.hctqa.real: no design of the study has a step 'values', which a metric is to rate" in said
