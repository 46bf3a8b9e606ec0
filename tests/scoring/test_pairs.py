"""Scores that compare the two answers of a pair."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from torr_plugin.analysis import analyse
from torr_plugin.catalog.examples import Example
from torr_plugin.core.errors import CardError, InputError
from torr_plugin.recipes import ModelEntry, Recipe
from torr_plugin.running import Run
from torr_plugin.scoring import Metric, check_main_score, metrics, score_example, score_run
from torr_plugin.scoring.metrics.consistency import Consistency
from torr_plugin.scoring.run_scores import score_frame
from torr_plugin.tables import Table
from torr_plugin.workflows.study import run_study

from .made import FakeCard, FakeReading
from .test_scoring_a_run import FakeRun, request

STUDY = {"datasets": {"fruit": {"card": "cards.fruit"}}}
EXCHANGED = "exchange_row_groups"


def asked(
    key: str, example: str, perturbation: str = "none", serializer: str = "csv", replicate: int = 0
) -> dict[str, Any]:
    row = request(key, example, serializer)
    config = f"{serializer}/{perturbation}/default"
    return {**row, "perturbation": perturbation, "config": config, "replicate": replicate}


def of_pairs(frame: pd.DataFrame, *columns: str) -> dict[Any, Any]:
    """The scores of pairs by some columns and the metric; None where there is none."""
    rows = frame[frame["metric"].isin(["both_right", "consistency", "consistency_f1", "alike"])]
    keys = zip(*(rows[name].astype(str) for name in (*columns, "metric")), strict=True)
    found = [None if math.isnan(score) else round(score, 3) for score in rows["score"]]
    return dict(zip(keys, found, strict=True))


@pytest.mark.parametrize(
    ("answer", "other", "expected"),
    [
        ("Apple.", "apple", (1.0, 1.0, 1.0)),
        ("fig", "Fig", (0.0, 1.0, 1.0)),  # alike, and both wrong
        ("apple", "apple pie", (0.0, 0.0, 0.667)),
        ("", "", (0.0, 0.0, 0.0)),
    ],
)
def test_the_exchanged_cell_is_scored_with_the_original(
    card: FakeCard, answer: str, other: str, expected: Sequence[float]
) -> None:
    rows = [asked("k1", "q1"), asked("k2", "q1", EXCHANGED), asked("k3", "q1", "shuffle_rows")]
    frame = score_run(FakeRun(rows, {"m": {"k1": answer, "k2": other, "k3": answer}}, STUDY))
    names = ("both_right", "consistency", "consistency_f1")
    config = f"csv/{EXCHANGED}/default"
    assert of_pairs(frame, "config") == {
        (config, name): score for name, score in zip(names, expected, strict=True)
    }
    assert not frame.loc[frame["metric"].isin(names), "main"].any()


def test_a_missing_answer_on_either_side_is_a_hole(card: FakeCard) -> None:
    rows = [
        asked(f"{name}{at}", name, p)
        for name in ("q1", "q2", "q3")
        for at, p in ((1, "none"), (2, EXCHANGED))
    ]
    answers = {"q11": "apple", "q12": None, "q21": None, "q22": "two pears", "q31": None, "q32": None}
    found = of_pairs(score_run(FakeRun(rows, {"m": answers}, STUDY)), "example")
    assert found == {
        (name, metric): None for name in ("q1", "q2", "q3") for metric in ("both_right", "consistency")
    }


def test_without_the_original_there_are_no_pairs(card: FakeCard) -> None:
    rows = [asked("k1", "q1", EXCHANGED), asked("k2", "q1", serializer="html"), asked("k3", "q1", "gone")]
    frame = score_run(FakeRun(rows, {"m": dict.fromkeys(("k1", "k2", "k3"), "apple")}, STUDY))
    assert of_pairs(frame, "config") == {}
    assert set(frame["metric"]) == {"exact_match", "f1_strings", "exact_match.lenient"}


def test_answers_computed_again_are_consistent_where_they_are_as_right(card: FakeCard) -> None:
    rows = [
        asked("k1", "q1"),
        {**asked("k2", "q1", EXCHANGED), "references": ["plum"]},
        asked("k3", "q2"),
        {**asked("k4", "q2", EXCHANGED), "references": ["one pear"]},
    ]
    answers: dict[str, str | None] = {"k1": "apple", "k2": "plum", "k3": "two pears", "k4": "two pears"}
    assert of_pairs(score_run(FakeRun(rows, {"m": answers}, STUDY)), "example") == {
        ("q1", "both_right"): 1.0,
        ("q1", "consistency"): 1.0,  # two texts, both right
        ("q2", "both_right"): 0.0,
        ("q2", "consistency"): 0.0,  # one text, once right
    }


def test_refused_and_unfinished_answers_are_not_consistent(card: FakeCard) -> None:
    rows = [
        asked("k1", "q1"),
        asked("k2", "q1", EXCHANGED),
        asked("k3", "q2"),
        {**asked("k4", "q2", EXCHANGED), "references": ["one pear"]},
        asked("k5", "q1", serializer="html"),
        asked("k6", "q1", EXCHANGED, "html"),
    ]
    answers: dict[str, str | None] = dict.fromkeys(("k1", "k2", "k3", "k4", "k5", "k6"), "I cannot.")
    reasons = {**dict.fromkeys(("k1", "k2", "k3", "k4"), "content_filter"), "k6": "content_filter"}
    found = of_pairs(score_run(FakeRun(rows, {"m": answers}, STUDY, reasons)), "example", "serializer")
    assert set(found.values()) == {0.0}
    assert len(found) == 8


def test_a_prompt_asked_again_is_paired_with_its_like(card: FakeCard) -> None:
    rows = [
        asked("k1", "q1"),
        asked("k2", "q1", EXCHANGED),
        asked("k3", "q1", EXCHANGED, replicate=1),
        asked("k4", "q2"),
        asked("k5", "q2", EXCHANGED),
        asked("k6", "q2", replicate=1),
        asked("k7", "q2", EXCHANGED, replicate=1),
        asked("k8", "q2", replicate=2),
        asked("k9", "q2", EXCHANGED, replicate=2),
    ]
    texts = ["apple", "apple", "apple", "a", "a", "a", "b", "c", "c"]
    frame = score_run(FakeRun(rows, {"m": {f"k{at}": text for at, text in enumerate(texts, 1)}}, STUDY))
    rows_of = frame[frame["metric"] == "consistency"].astype({"example": str})
    found = dict(
        zip(zip(rows_of["example"], rows_of["replicate"], strict=True), rows_of["score"], strict=True)
    )
    assert found == {("q1", 0): 1.0, ("q2", 0): 1.0, ("q2", 1): 0.0, ("q2", 2): 1.0}


TEXTS = st.sampled_from(["apple", "two pears", "Two pears.", "fig", "pears", ""])


@pytest.mark.full
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=25, deadline=None)
@given(
    answers=st.dictionaries(
        st.tuples(
            st.sampled_from(["m", "n"]),
            st.sampled_from(["q1", "q2"]),
            st.sampled_from(["csv", "html"]),
            st.sampled_from(["none", EXCHANGED, "exchange_sub_tables"]),
        ),
        TEXTS,
    )
)
def test_pairs_one_after_the_other(card: FakeCard, answers: dict[tuple[str, ...], str]) -> None:
    cells = list(itertools.product(["q1", "q2"], ["csv", "html"], ["none", EXCHANGED, "exchange_sub_tables"]))
    rows = [asked("-".join(cell), cell[0], cell[2], cell[1]) for cell in cells]
    said: dict[str, dict[str, str | None]] = {
        model: {"-".join(cell): answers.get((model, *cell)) for cell in cells} for model in ("m", "n")
    }
    found = of_pairs(score_run(FakeRun(rows, said, STUDY)), "model", "example", "config")
    expected: dict[Any, Any] = {}
    for model, (example, serializer, changed) in itertools.product(("m", "n"), cells):
        if changed == "none":
            continue
        cell = (model, example, f"{serializer}/{changed}/default")
        mine = answers.get((model, example, serializer, changed))
        its = answers.get((model, example, serializer, "none"))
        if mine is None or its is None:
            expected |= {(*cell, name): None for name in ("both_right", "consistency")}
            continue
        right = ["apple"] if example == "q1" else ["two pears"]
        scores = [score_example(card, text, right)["exact_match"] for text in (mine, its)]  # type: ignore[arg-type]
        expected[(*cell, "both_right")] = min(scores)
        for name, score in Consistency().scores(mine, [its]).items():
            expected[(*cell, name)] = round(score, 3)
    assert found == expected


class Alike(Metric):
    """A metric of pairs of somebody else."""

    name = main = "alike"
    pairs = True

    def scores(self, prediction: str, references: Sequence[str]) -> dict[str, float]:
        (other,) = references
        return {"alike": float(prediction == other)}


@pytest.fixture
def published(card: FakeCard, monkeypatch: pytest.MonkeyPatch) -> FakeCard:
    """Examples in pairs, and a main score that compares them; q3's other side is not asked."""
    monkeypatch.setitem(metrics._values, "alike", Alike())
    published = replace(
        card, metrics=("exact_match", "alike"), main_metric="alike", reading=FakeReading(("pair", "table"))
    )
    table = Table.flat(header=["Fruit"], rows=[["apple"]])
    pairs = {"q1": "1", "q2": "1", "q3": "2", "q4": "2", "q5": "3"}
    examples = [Example(name, table, {}, ("a",), "a", {"pair": pair}) for name, pair in pairs.items()]
    monkeypatch.setattr("torr_plugin.scoring.run_answers.load_card", lambda name: published)
    monkeypatch.setattr(
        "torr_plugin.scoring.shown_examples.read_examples", lambda card, split: list(examples)
    )
    return published


def test_published_pairs_have_rows_on_both_sides(published: FakeCard) -> None:
    rows = [
        {**asked(f"{name}-{kind}", name, serializer=kind), "references": ["apple"]}
        for kind in ("csv", "html")
        for name in ("q1", "q2", "q3", "q5")
    ]
    answers = {row["key"]: "apple\nas it says" for row in rows}
    answers |= {"q2-csv": "apple\nis what I think", "q2-html": None}
    frame = score_run(FakeRun(rows, {"m": answers}, STUDY))
    assert of_pairs(frame, "example", "serializer") == {
        ("q1", "csv", "alike"): 1.0,
        ("q2", "csv", "alike"): 1.0,
        ("q1", "csv", "both_right"): 1.0,
        ("q2", "csv", "both_right"): 1.0,
        ("q1", "html", "alike"): None,
        ("q2", "html", "alike"): None,
        ("q1", "html", "both_right"): None,
        ("q2", "html", "both_right"): None,
    }
    assert set(frame.loc[frame["main"], "metric"]) == {"alike"}
    assert not frame.duplicated(["model", "config", "example", "metric"]).any()


def test_a_main_score_of_pairs_has_a_row_wherever_a_pair_is(published: FakeCard) -> None:
    """Also where the references differ, and where one side has no answer."""
    rows = [
        {**asked("k1", "q1"), "references": ["apple"]},
        {**asked("k2", "q2"), "references": ["plum"]},
        asked("k3", "q3"),
        asked("k4", "q4"),
    ]
    answers: dict[str, str | None] = {"k1": "apple", "k2": "apple", "k3": "a", "k4": None}
    frame = score_run(FakeRun(rows, {"m": answers}, STUDY))
    main = frame[frame["main"]]
    found = dict(zip(main["example"].astype(str), main["score"].fillna(-1), strict=True))
    assert found == {"q1": 1.0, "q2": 1.0, "q3": -1, "q4": -1}
    assert not frame.duplicated(["model", "config", "example", "metric"]).any()


def test_a_main_score_of_pairs_needs_a_run(published: FakeCard) -> None:
    check_main_score(published)  # type: ignore[arg-type]
    message = r"^cards.fruit: its main score 'alike' compares the two answers of a pair, so that single ans"
    with pytest.raises(CardError, match=message):
        score_example(published, "a", ["a"])  # type: ignore[arg-type]
    with pytest.raises(CardError, match=message):
        score_frame(published, pd.DataFrame())  # type: ignore[arg-type]


def test_a_card_may_name_the_metric_beside_its_own(card: FakeCard) -> None:
    both = replace(card, metrics=("exact_match", "consistency"))
    found = score_example(both, "apple", ["apple"])  # type: ignore[arg-type]
    assert found == {"exact_match": 1.0, "exact_match.lenient": 1.0}


@pytest.mark.full
def test_a_study_of_pairs_is_analysed_by_them(tmp_path: Path) -> None:
    recipe = Recipe.model_validate(
        {
            "name": "pairs",
            "cards": ["bundled.structure_comprehending"],
            "configurations": {"serializers": ["html"], "perturbations": ["none", EXCHANGED]},
            "examples": {"count": 4},
            "analysis": {"resamples": 5},
        }
    )
    models = [ModelEntry(model="torr-constant", args={"answer": "5"}), ModelEntry(model="torr-lexical")]
    run_study(recipe, models, tmp_path / "run")
    scores = Run.open(tmp_path / "run").scores()
    found = analyse(scores, metric="consistency", resamples=5)
    constant = next(label for label in Run.open(tmp_path / "run").models() if "constant" in label)
    assert found["performance"][constant]["overall"]["value"] == 1.0
    assert set(scores.loc[scores["metric"] == "both_right", "perturbation"]) == {EXCHANGED}
    with pytest.raises(InputError, match="no score called 'consistent'"):
        analyse(scores, metric="consistent", resamples=5)
