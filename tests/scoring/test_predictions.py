"""A file of predictions: every kind gives the same scores; what is wrong with one is said in a line."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from torr_plugin.catalog import Example
from torr_plugin.core.errors import PredictionsError
from torr_plugin.scoring import ScoreReport, score_predictions
from torr_plugin.scoring.predictions import _booleans
from torr_plugin.scoring.predictions_file import read_predictions
from torr_plugin.scoring.run_scores import COLUMNS
from torr_plugin.scoring.summaries import score_intervals
from torr_plugin.tables import Table

from .made import FakeCard

ROWS = [  # right, half right, right, wrong
    {"example": "q1", "prediction": "Apple."},
    {"example": "q2", "prediction": 'two "big"\nplums, and figs'},
    {"example": "q3", "prediction": "1200"},
    {"example": "q4", "prediction": "fig"},
]

WRITERS: dict[str, Callable[[pd.DataFrame, Path], None]] = {
    "p.parquet": lambda frame, path: frame.to_parquet(path, index=False),
    "p.csv": lambda frame, path: frame.to_csv(path, index=False),
    "p.csv.gz": lambda frame, path: frame.to_csv(path, index=False),
    "p.jsonl": lambda frame, path: frame.to_json(path, orient="records", lines=True),
    "p.jsonl.gz": lambda frame, path: frame.to_json(path, orient="records", lines=True),
    "p.json": lambda frame, path: frame.to_json(path, orient="records"),
    "p.JSON.GZ": lambda frame, path: path.write_bytes(
        gzip.compress(frame.to_json(orient="records").encode())
    ),
}


def write(tmp_path: Path, rows: list[dict[str, Any]], name: str = "p.jsonl") -> Path:
    path = tmp_path / name
    WRITERS[name](pd.DataFrame(rows), path)
    return path


def all_of(value: float) -> dict[str, Any]:
    """The figure of a single score, which says nothing of the others."""
    return {"value": value, "low": 0.0, "high": 1.0, "n": 1, "normal": {"low": value, "high": value}}


def values(report: ScoreReport) -> dict[str, float]:
    return {name: figure["value"] for name, figure in report.metrics.items()}


@pytest.mark.parametrize("name", WRITERS)
def test_every_kind_of_file_gives_the_same_scores(name: str, card: FakeCard, tmp_path: Path) -> None:
    report = score_predictions(card, write(tmp_path, [{**row, "more": 1} for row in ROWS], name))
    # tokens of the second: "two", '"', "big", '"' against "two", "pears": one shared of four and of two
    assert values(report) == pytest.approx(
        {"exact_match": 0.5, "f1_strings": (2 / 3 + 1 / 3 + 0 + 0) / 4, "exact_match.lenient": 0.5}
    )
    assert report.metrics["exact_match"]["n"] == 4
    assert report.missing == 0
    assert report.notes == ()
    assert list(report.frame.columns) == COLUMNS
    assert len(report.frame) == 12
    assert set(report.frame["model"]) == {"predictions"}
    assert set(report.frame["config"]) == {"given/none/given"}
    assert report.frame["main"].sum() == 4


def test_several_models_and_configurations(card: FakeCard, tmp_path: Path) -> None:
    rows = [
        {"example": example, "prediction": answer, "model": model, "config": config}
        for model, answer in (("good", "apple"), ("bad", "fig"))
        for config in ("html/none/default", "mine")
        for example in ("q1", "q2")
    ]
    report = score_predictions(card, write(tmp_path, rows), by="source")
    by_model = {cell: scores["exact_match"]["value"] for cell, scores in report.by_model.items()}
    assert by_model == {
        ("good", "html/none/default"): 0.5,
        ("good", "mine"): 0.5,
        ("bad", "html/none/default"): 0.0,
        ("bad", "mine"): 0.0,
    }
    assert values(report)["exact_match"] == 0.25
    assert report.missing == 8
    parts = report.frame.drop_duplicates("config").set_index("config")[
        ["serializer", "perturbation", "design"]
    ]
    assert list(parts.loc["html/none/default"]) == ["html", "none", "default"]
    assert parts.loc["mine"].isna().all()
    assert list(report.groups) == ["market"]


def test_groups_of_examples(card: FakeCard, tmp_path: Path) -> None:
    report = score_predictions(card, write(tmp_path, ROWS), by="source")
    assert {group: scores["exact_match"]["value"] for group, scores in report.groups.items()} == {
        "garden": 0.5,
        "market": 0.5,
    }
    assert report.groups["garden"]["exact_match"]["n"] == 2
    with pytest.raises(
        PredictionsError, match=r"^cards.fruit: its examples have no group 'sauce'; did you mean 'source'\?$"
    ):
        score_predictions(card, write(tmp_path, ROWS), by="sauce")


def test_holes_are_counted_and_not_wrong(card: FakeCard, tmp_path: Path) -> None:
    rows = [{"example": "q1", "prediction": "apple"}, {"example": "q2", "prediction": None}]
    for name in ("p.parquet", "p.jsonl", "p.json"):
        report = score_predictions(card, write(tmp_path, rows, name))
        assert report.metrics["exact_match"] == all_of(1.0)
        assert report.missing == 3
        assert report.notes == (
            "1 of 2 predictions are null: they are left out, not counted as wrong",
            "2 of the 4 examples of cards.fruit have no prediction: the figures are those of the rest",
        )


def test_an_empty_answer_is_wrong_in_csv_too(card: FakeCard, tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_text('\ufeffexample,prediction\nq1,apple\nq2,\nq3,""\nq4,NULL\n', encoding="utf-8")
    report = score_predictions(card, path)
    assert report.metrics["exact_match"]["value"] == 0.25
    assert report.notes == (
        "p.csv: 2 empty predictions count as empty answers; CSV cannot mark one as missing",
    )


def test_one_synonym_is_taken_and_said(card: FakeCard, tmp_path: Path) -> None:
    rows = [{"qap_id": row["example"], "response": row["prediction"], "answer": "?"} for row in ROWS]
    report = score_predictions(card, write(tmp_path, rows))
    assert values(report)["exact_match"] == 0.5
    assert report.notes == (
        "p.jsonl: column 'qap_id' is taken as 'example'",
        "p.jsonl: column 'response' is taken as 'prediction'",
    )


def test_numbers_are_text(card: FakeCard, tmp_path: Path) -> None:
    for name in ("p.parquet", "p.json"):
        report = score_predictions(card, write(tmp_path, [{"example": "q3", "prediction": 1200}], name))
        assert report.metrics["exact_match"]["value"] == 1.0


def test_numbers_of_json_are_read_as_written(card: FakeCard, tmp_path: Path) -> None:
    (tmp_path / "p.jsonl").write_text(
        '{"example": "a", "prediction": 0.00001}\n{"example": 7, "prediction": 1.50}\n'
        '{"example": "b", "prediction": true}\n{"example": "c", "prediction": 12345678901234567890.0}\n'
    )
    frame, _ = read_predictions(tmp_path / "p.jsonl")
    assert list(frame["prediction"]) == ["0.00001", "1.50", "yes", "12345678901234567890.0"]
    assert list(frame["example"]) == ["a", "7", "b", "c"]


@pytest.mark.parametrize(("reference", "word"), [("Yes", "yes"), ("no", "yes"), ("True", "true")])
def test_a_boolean_answers_yes_or_no_as_the_references_do(reference: str, word: str) -> None:
    asked = Example("q", Table.flat(["a"], [["b"]]), {}, (reference,), reference)
    assert _booleans({"q": asked})[0] == word


def test_broken_characters_do_not_stop_it(card: FakeCard, tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    path.write_text('{"example": "q1", "prediction": "apple \\ud83d"}\n\n{"example": "q2"}\n')
    report = score_predictions(card, path)
    assert report.metrics["exact_match"] == all_of(0.0)
    report.frame.to_parquet(tmp_path / "scores.parquet")


WRONG: dict[str, tuple[str, bytes | None, str]] = {
    "no file": ("absent.csv", None, "cannot be read: No such file or directory"),
    "unknown kind": (
        "p.xlsx",
        b"x",
        "unknown kind of file; expected .parquet, .csv, .jsonl, .ndjson, .json (each also with .gz)",
    ),
    "no kind": ("p.gz", b"x", "unknown kind of file; expected"),
    "no parquet": ("p.parquet", b"nothing", "cannot be read: "),
    "no gzip": ("p.csv.gz", b"example,prediction\n", "cannot be read: Not a gzipped file"),
    "half a gzip": ("p.jsonl.gz", gzip.compress(b'{"example": "q1"}\n' * 9)[:30], "cannot be read: "),
    "no UTF-8": (
        "p.csv",
        b"example,prediction\nq1,\xff\xfe\n",
        "cannot be read: not UTF-8; save it as UTF-8",
    ),
    "no UTF-8 late": (
        "p.csv",
        b"example,prediction\n" + b"q1,x\n" * 9000 + b"q2,\xff\n",
        "cannot be read: not UTF-8; save it as UTF-8",
    ),
    "no UTF-8 in a line": ("p.jsonl", b'{"example": "\xff"}\n', "line 1: not UTF-8; save it as UTF-8"),
    "ragged": (
        "p.csv",
        b"example,prediction\nq1,a,b\n",
        "cannot be read: CSV parse error: Expected 2 columns, got 3",
    ),
    "empty": ("p.csv", b"", "no column 'example'; found none"),
    "no rows": ("p.csv", b"example,prediction\n", "no rows; expected one a prediction"),
    "no lines": ("p.jsonl", b"\n", "no rows; expected one a prediction"),
    "no items": ("p.json", b"[]", "no rows; expected one a prediction"),
    "no JSON": ("p.jsonl", b'{"example": "q1", "prediction": ""}\n{x}\n', "line 2: not JSON: "),
    "no object": ("p.jsonl", b'["q1", "a"]\n', "line 1: list; expected an object"),
    "no list": ("p.json", b'{"example": "q1"}', "holds one object; expected a list of objects"),
    "item": ("p.json", b'[{"example": "q1", "prediction": "a"}, 3]', "item 2: number; expected an object"),
    "nested": ("p.json", b"[" * 100_000, "cannot be read: "),
    "a column twice": (
        "p.csv",
        b"example,prediction,prediction\na,b,c\n",
        "has several columns called 'prediction'; expected one",
    ),
    "no column": (
        "p.csv",
        b"examples,prediction\nq1,a\n",
        "no column 'example'; found 'examples', 'prediction'",
    ),
    "two synonyms": (
        "p.csv",
        b"id,example_id,prediction\nq1,1,a\n",
        "no column 'example'; found 'id', 'example_id', 'prediction'",
    ),
    "list": (
        "p.jsonl",
        b'{"example": "q1", "prediction": ["a"]}\n',
        "row 1: 'prediction' is a list; expected text",
    ),
    "object": (
        "p.jsonl",
        b'{"example": "q1", "prediction": {"a": 1}}\n',
        "row 1: 'prediction' is an object; expected text",
    ),
    "no example": (
        "p.jsonl",
        b'{"example": "q1", "prediction": "a"}\n{"prediction": "b"}\n',
        "row 2 has no 'example' (1 such rows)",
    ),
    "unknown": (
        "p.csv",
        b"example,prediction\nq1,a\nq9,a\nx,a\ny,a\nz,a\n",
        "4 of 5 examples are not in cards.fruit (split 'test'): 'q9', 'x', 'y', ...; did you mean 'q",
    ),
    "twice": (
        "p.csv",
        b"example,prediction\nq1,a\nq1,b\nq2,a\n",
        "1 examples occur more than once for one model and configuration: 'q1'; expected one row each",
    ),
    "all null": (
        "p.jsonl",
        b'{"example": "q1", "prediction": null}\n',
        "all 1 predictions are null; nothing to score",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_file_is_refused_in_one_line(case: str, card: FakeCard, tmp_path: Path) -> None:
    name, content, message = WRONG[case]
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(PredictionsError) as caught:
        score_predictions(card, path)
    assert str(caught.value).startswith(f"{path}: {message}")
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 500


def test_a_directory_is_no_file(card: FakeCard, tmp_path: Path) -> None:
    (tmp_path / "d.csv").mkdir()
    with pytest.raises(PredictionsError, match=r"d.csv: cannot be read: Is a directory$"):
        score_predictions(card, tmp_path / "d.csv")


def test_the_same_example_of_two_models_is_no_duplicate(card: FakeCard, tmp_path: Path) -> None:
    rows = [{"example": "q1", "prediction": "apple", "model": model} for model in ("m", "n")]
    assert score_predictions(card, write(tmp_path, rows)).metrics["exact_match"]["n"] == 2


@pytest.mark.parametrize("name", ["p.jsonl", "p.csv", "p.parquet"])
def test_second_answers_to_a_prompt_are_left_out(name: str, card: FakeCard, tmp_path: Path) -> None:
    first = score_predictions(card, write(tmp_path, ROWS, name))
    rows = [{**row, "replicate": 0} for row in ROWS] + [{**row, "replicate": 1} for row in ROWS[:2]]
    both = score_predictions(card, write(tmp_path, rows, name))
    assert both.frame.equals(first.frame)
    assert f"{name}: 2 answers to prompts asked again (column 'replicate') are left out" in both.notes


def test_the_design_effect_by_hand() -> None:
    """Two tables, scores 1 1 and 0 0, mean 1/2: deviations sum to 1 and -1 by table.

    2 / 1 * (1 + 1) = 4, over 4 / 3 * 4 / 4 = 4 / 3.
    """
    values, examples = np.array([[1.0], [1.0], [0.0], [0.0]]), np.arange(4)
    tables = np.array(["a", "a", "b", "b"])
    assert score_intervals(["a"], values, examples, tables)["a"]["design_effect"] == pytest.approx(3.0)
    twice = [np.concatenate([each, each]) for each in (values, examples, tables)]  # as two models give them
    assert score_intervals(["a"], *twice)["a"]["design_effect"] == pytest.approx(3.0)
    assert score_intervals(["a"], np.ones((4, 1)), examples, tables)["a"]["design_effect"] is None
    mean = score_intervals(["a"], values, examples, np.zeros(4))["a"]
    assert (mean["tables"], mean["design_effect"], mean["low"], mean["high"]) == (1, None, 0.0, 1.0)


@pytest.mark.full
def test_real_answers_to_hctqa(gemma: ScoreReport) -> None:
    report = gemma
    expected = {"precision": 0.3687, "recall": 0.3953, "f1": 0.3616, "complete_containment": 0.2905}
    assert {name: report.metrics[name]["value"] for name in expected} == pytest.approx(expected, abs=5e-5)
    assert {figure["n"] for figure in report.metrics.values()} == {9_835}
    assert report.missing == 0
    assert {source: scores["recall"]["n"] for source, scores in report.groups.items()} == {
        "arxiv": 1_341,
        "census": 387,
        "pak": 979,
        "psa": 7_128,
    }
    for figure in report.metrics.values():
        # the standard error of a mean of 9,835 scores is below 0.005
        assert (
            figure["value"] - 0.015
            < figure["low"]
            < figure["value"]
            < figure["high"]
            < figure["value"] + 0.015
        )
    assert json.dumps(report.metrics)


@pytest.mark.full
def test_a_subset_scores_its_part_of_the_whole_cards_answers(mirror: Path, tmp_path: Path) -> None:
    from torr_plugin.catalog import load_card

    answers = mirror / "hctqa" / "responses_gemma-2-9b-it.jsonl.gz"
    census = load_card("cards.hctqa.real.census")
    report = score_predictions(census, answers)
    assert (report.metrics["recall"]["n"], report.missing) == (387, 0)
    assert report.metrics["recall"]["value"] == pytest.approx(0.3029, abs=5e-5)
    assert report.notes[-2] == (
        "9448 of 9835 predictions are left out: they are on examples of the whole card that "
        "cards.hctqa.real.census lacks"
    )
    # what no part of the card has is refused as ever, and so is a file on another part alone
    rows = pd.read_json(answers, lines=True)[["qap_id", "response"]]
    rows.columns = pd.Index(["example", "prediction"])
    census_rows, others = (rows[rows["example"].str.startswith(name)] for name in ("census", "arxiv"))
    typo = census_rows.iloc[:1].assign(example="census--typo")
    for given, count in ((pd.concat([census_rows, others, typo]), "1 of 388"), (others, "1341 of 1341")):
        path = write(tmp_path, given.to_dict("records"))
        with pytest.raises(PredictionsError, match=f"{count} examples are not in cards.hctqa.real.census"):
            score_predictions(census, path)
