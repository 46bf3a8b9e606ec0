"""Scores of one example and of a run: which answers count, what rows they give, what is refused."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

from torr_plugin.catalog import Card
from torr_plugin.core.errors import CardError, InputError, RunError
from torr_plugin.scoring import metrics, score_example, score_run
from torr_plugin.scoring.example_scores import LONGEST
from torr_plugin.scoring.run_scores import COLUMNS

from ..catalog import tiny
from ..timing import quickly
from .made import FakeCard, FakeTemplate

SCHEMA = pa.schema(
    [
        (name, pa.string())
        for name in ("key", "model", "dataset", "example", "config", "serializer", "perturbation", "design")
    ]
    + [("stage", pa.int32()), ("prompt", pa.string()), ("references", pa.list_(pa.string()))]
    + [("facts", pa.string()), ("replicate", pa.int32())]
)


def request(
    key: str,
    example: str,
    serializer: str = "csv",
    stage: int = 0,
    model: str | None = None,
    design: str = "default",
) -> dict[str, Any]:
    return {
        "key": key,
        "model": model,
        "dataset": "fruit",
        "example": example,
        "config": f"{serializer}/none/{design}",
        "serializer": serializer,
        "perturbation": "none",
        "design": design,
        "stage": stage,
        "prompt": "never read",
        "references": ["apple"] if example == "q1" else ["two pears"],
    }


@dataclass
class FakeRun:
    """A run in memory; requests come in shards of two."""

    rows: list[dict[str, Any]]
    answers: dict[str, dict[str, str | None]]
    study: dict[str, Any]
    finish_reasons: dict[str, str] = field(default_factory=dict)

    def models(self) -> list[str]:
        return list(self.answers)

    def request_tables(self, columns: Sequence[str], *, replicates: bool = False) -> Iterator[pa.Table]:
        assert "prompt" not in columns
        for start in range(0, len(self.rows), 2):
            yield pa.Table.from_pylist(self.rows[start : start + 2], schema=SCHEMA).select(list(columns))

    def predictions(self, label: str, columns: Sequence[str], *, replicates: bool = False) -> pa.Table:
        answers = self.answers[label]
        rows = [
            {
                "key": key,
                "prediction": text,
                "error": None if text else "died",
                "finish_reason": self.finish_reasons.get(key),
            }
            for key, text in answers.items()
        ]
        schema = pa.schema([(name, pa.string()) for name in ("key", "prediction", "error", "finish_reason")])
        return pa.Table.from_pylist(rows, schema=schema).select(list(columns))


def run_of(rows: list[dict[str, Any]], **answers: dict[str, str | None]) -> FakeRun:
    return FakeRun(rows, answers, {"datasets": {"fruit": {"card": "cards.fruit"}}})


def main_scores(frame: pd.DataFrame) -> dict[tuple[str, str, str], float | None]:
    """The main score of each cell; None where there is a row without a score."""
    rows = frame[frame["main"]]
    return {
        (row.model, row.example, row.serializer): None if pd.isna(row.score) else row.score
        for row in rows.itertuples()
    }


def test_every_answer_has_a_row_a_score(card: FakeCard) -> None:
    run = run_of(
        [request("k1", "q1"), request("k2", "q2"), request("k3", "q1", "html")],
        m={"k1": "apple", "k2": "pears", "k3": "fig"},
    )
    frame = score_run(run)
    assert list(frame.columns) == COLUMNS
    assert len(frame) == 9
    assert main_scores(frame) == {("m", "q1", "csv"): 1.0, ("m", "q2", "csv"): 0.0, ("m", "q1", "html"): 0.0}
    assert frame.iloc[4].to_dict() == {
        "model": "m",
        "dataset": "fruit",
        "config": "csv/none/default",
        "serializer": "csv",
        "perturbation": "none",
        "design": "default",
        "example": "q2",
        "metric": "f1_strings",
        "score": pytest.approx(2 / 3),
        "main": False,
    }
    assert (frame["score"].dtype, frame["main"].dtype) == ("float64", "bool")


def test_cells_with_equal_prompts_share_an_answer(card: FakeCard) -> None:
    run = run_of([request("k1", "q1"), request("k1", "q1", "html")], m={"k1": "apple"}, n={"k1": "pear"})
    assert main_scores(score_run(run)) == {
        ("m", "q1", "csv"): 1.0,
        ("m", "q1", "html"): 1.0,
        ("n", "q1", "csv"): 0.0,
        ("n", "q1", "html"): 0.0,
    }


def test_a_failed_or_absent_answer_is_a_hole_and_an_empty_one_is_wrong(card: FakeCard) -> None:
    rows = [request("k1", "q1"), request("k2", "q2"), request("k3", "q1", "html")]
    assert main_scores(score_run(run_of(rows, m={"k1": None, "k2": ""}))) == {
        ("m", "q1", "csv"): None,
        ("m", "q2", "csv"): 0.0,
        ("m", "q1", "html"): None,
    }


def test_a_configuration_that_failed_for_every_model_is_still_there(card: FakeCard) -> None:
    rows = [request("k1", "q1"), request("k2", "q1", "html")]
    frame = score_run(run_of(rows, m={"k1": "apple", "k2": None}))
    hole = frame[frame["config"].str.startswith("html")]
    assert hole["score"].isna().all()
    assert hole[["metric", "main"]].to_numpy().tolist() == [[card.main_metric, True]]


def test_the_last_call_of_several_is_scored_and_only_for_its_model(card: FakeCard) -> None:
    rows = [
        request("k1", "q1", design="steps"),
        request("k4", "q2"),
        request("k2", "q1", design="steps", stage=1, model="m"),
        request("k3", "q1", design="steps", stage=1, model="n"),
    ]
    run = run_of(rows, m={"k1": "fig", "k2": "apple", "k4": "two pears"}, n={"k1": "apple", "k3": "fig"})
    assert main_scores(score_run(replace(run, study={**run.study, "stages": {"steps": 2}}))) == {
        ("m", "q1", "csv"): 1.0,
        ("m", "q2", "csv"): 1.0,
        ("n", "q1", "csv"): 0.0,
        ("n", "q2", "csv"): None,
    }


def test_a_cell_whose_earlier_step_failed_is_one_hole(card: FakeCard) -> None:
    rows = [
        *(request(f"k{example}", example, design="steps") for example in ("q1", "q2")),
        request("k3", "q1", design="steps", stage=1, model="m"),
        request("k4", "q1", design="steps", stage=2, model="m"),
    ]
    run = run_of(rows, m={"kq1": "fig", "k3": "so", "k4": "apple", "kq2": None}, n={"kq1": "fig", "kq2": "x"})
    frame = score_run(replace(run, study={**run.study, "stages": {"steps": 3}}))
    assert main_scores(frame) == {
        ("m", "q1", "csv"): 1.0,
        ("m", "q2", "csv"): None,
        ("n", "q1", "csv"): None,
        ("n", "q2", "csv"): None,
    }
    assert frame["main"].sum() == 4


@pytest.mark.parametrize("run", [run_of([], m={}), run_of([request("k1", "q1")])])
def test_a_run_without_requests_or_models_has_no_scores(run: FakeRun) -> None:
    frame = score_run(run)
    assert list(frame.columns) == COLUMNS
    assert len(frame) == 0
    assert (frame["score"].dtype, frame["main"].dtype) == ("float64", "bool")


def test_equal_answers_to_equal_references_are_scored_once(
    card: FakeCard, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []
    exact = metrics.get("exact_match")
    original = type(exact).scores
    monkeypatch.setattr(
        type(exact), "scores", lambda self, *pair: asked.append(pair) or original(self, *pair)
    )
    rows = [request(f"k{i}", "q1", f"s{i}") for i in range(50)]
    frame = score_run(run_of(rows, m={f"k{i}": "apple" for i in range(50)}))
    assert len(asked) == 1
    assert frame[frame["main"]]["score"].sum() == 50


def test_a_data_set_that_the_study_does_not_name_is_refused(card: FakeCard) -> None:
    run = replace(
        run_of([request("k1", "q1")], m={"k1": "a"}), study={"datasets": {"wikitq": {"card": "cards.wikitq"}}}
    )
    with pytest.raises(
        RunError, match=r"^study.yaml: no card for data set 'fruit'; expected it under datasets.fruit.card$"
    ):
        score_run(run)


def test_a_card_from_a_file_is_loaded_from_there(card: FakeCard, monkeypatch: pytest.MonkeyPatch) -> None:

    files = {
        "mine/fruit.json": card,
        "cards.fruit": replace(card, metrics=("accuracy",), main_metric="accuracy"),
    }
    monkeypatch.setattr("torr_plugin.scoring.run_answers.load_card", files.__getitem__)
    run = run_of([request("k1", "q1")], m={"k1": "apple"})
    assert set(score_run(run)["metric"]) == {"accuracy", "accuracy.lenient"}
    by_path = {**run.study, "recipe": {"cards": [{"card": "mine/fruit.json", "shots": None}]}}
    names = {"exact_match", "f1_strings", "exact_match.lenient"}
    assert set(score_run(replace(run, study=by_path))["metric"]) == names


@pytest.mark.full
def test_the_targets_of_every_shipped_card_are_right_answers(mirror: Path) -> None:
    from torr_plugin.catalog import card_names, load_card
    from torr_plugin.catalog.loading import available_splits

    shipped = [load_card(name) for name in card_names()]
    at_hand = [each for each in shipped if each.test_split in available_splits(each.loader)]
    assert len(at_hand) >= 8
    # subsets of a card have its templates and metrics
    for each in {each.path: each for each in reversed(at_hand)}.values():
        assert_targets_are_right(each)


def test_and_of_those_whose_data_is_not_at_hand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from torr_plugin.catalog import load_card

    monkeypatch.setenv("TORR_DATA", str(tiny.write(tmp_path)))
    for name in tiny.MADE:
        assert_targets_are_right(load_card(name))


def written(shipped: Card, target: str) -> str:
    """As the card asks for it: TableQuest's ask for JSON."""
    return json.dumps({"answer": target}) if any("tablequest" in each for each in shipped.metrics) else target


def assert_targets_are_right(shipped: Card) -> None:
    from torr_plugin.catalog import read_examples

    examples = read_examples(shipped, shipped.test_split)
    assert examples
    for example in examples[:: max(1, len(examples) // 20)]:
        scores = score_example(shipped, written(shipped, example.target), example.references, example.facts)
        assert scores[shipped.main_metric] == 1.0, (shipped.name, example.id, scores)


def test_an_example_is_postprocessed_and_rated_by_every_metric(card: FakeCard) -> None:
    assert score_example(card, " Apple.\nI am sure", ["apple"]) == {
        "exact_match": 1.0,
        "f1_strings": pytest.approx(2 / 3),
        "exact_match.lenient": 1.0,
    }


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"metrics": ()}, "cards.fruit: no metric; expected at least one under task.metrics"),
        ({"metrics": ("exact",)}, "cards.fruit: unknown metric 'exact'; did you mean 'exact_match'"),
        (
            {"metrics": ("f1_strings",)},
            "cards.fruit: no metric gives its main score 'exact_match'; found: f1_strings",
        ),
        (
            {"metrics": ("rouge", "unitxt:rouge1")},
            "cards.fruit: unknown metric 'unitxt:metrics.rouge1'; did you mean",
        ),
        (
            {"metrics": ("accuracy", "unitxt:accuracy")},
            "cards.fruit: two metrics give a score called 'accuracy'; name only",
        ),
        (
            {"template": FakeTemplate(("lower",))},
            "cards.fruit: postprocessors: unknown processor 'lower'; did you mean 'lower_case'",
        ),
    ],
)
def test_a_card_that_cannot_be_scored_is_refused(
    card: FakeCard, change: dict[str, Any], message: str
) -> None:
    with pytest.raises(CardError) as caught:
        score_example(replace(card, **change), "a", ["a"])
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


def test_an_example_without_references_is_refused(card: FakeCard) -> None:
    with pytest.raises(InputError, match=r"^cards.fruit: an example without references cannot be scored$"):
        score_example(card, "a", [])


@pytest.mark.full
@pytest.mark.parametrize(
    "raving", ["1", ".", "a.", "-", "1,", "1.0", "[", "|", "ab ", "http://", "\x00", "é", "'"]
)
def test_raving_text_is_scored_in_no_time(
    raving: str, card: FakeCard, monkeypatch: pytest.MonkeyPatch
) -> None:
    everything = replace(
        card, metrics=("exact_match", "f1_strings", "hctqa", "rouge"), template=FakeTemplate(())
    )
    score_example(everything, "warm", ["up"])
    said = raving * (10 * LONGEST // len(raving))
    quickly(lambda: score_example(everything, said, ["apple"]), within=60)
