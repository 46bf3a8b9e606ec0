"""What scores are given by, and how many values answers hold."""

from __future__ import annotations

import json
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
import pandas as pd
import pytest

from torr_plugin.catalog import load_card, read_examples
from torr_plugin.core.errors import PredictionsError
from torr_plugin.scoring import score_predictions
from torr_plugin.scoring.lengths import counting
from torr_plugin.scoring.metrics import metrics

CARD = "hctqa.real.pak"


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory, shared_data: Path) -> Path:
    """An answer to every second question on Pakistan's tables: right to every third of them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TORR_DATA", str(shared_data))
        examples = read_examples(load_card(CARD), "test")
    rows = [
        {"example": example.id, "prediction": example.target if i % 3 else "nothing of the kind"}
        for i, example in enumerate(examples[::2])
    ]
    path = tmp_path_factory.mktemp("answers") / "answers.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_by_a_property_is_the_mean_over_its_examples(answers: Path, mirror: Path) -> None:
    card = load_card(CARD)
    report = score_predictions(card, answers, by="table:Row Nesting", resamples=50)
    examples = {example.id: example for example in read_examples(card, "test")}
    recall = report.frame[report.frame["metric"] == "recall"]
    for value in (True, False):
        scores = [
            row["score"]
            for row in recall.to_dict("records")
            if examples[row["example"]].properties["table"].get("Row Nesting") is value
        ]
        found = report.groups[str(value).lower()]["recall"]
        assert found["value"] == pytest.approx(fmean(scores))
        assert found["n"] == len(scores)
    assert set(report.groups) == {"true", "false"}


def test_by_all_properties_names_property_and_value(answers: Path, mirror: Path) -> None:
    card = load_card(CARD)
    every = score_predictions(card, answers, by="question:all", resamples=20).groups
    one = score_predictions(card, answers, by="question:Aggregation", resamples=20).groups
    assert every["Aggregation: true"]["recall"]["value"] == one["true"]["recall"]["value"]
    assert {"Rank Report Top: 2", "Yes/No: false"} <= set(every)


def test_intervals_by_property_draw_tables(answers: Path, mirror: Path) -> None:
    """With every table's answers alike the interval is that of so few tables, not of so many questions."""
    card = load_card(CARD)
    report = score_predictions(card, answers, by="table:Multi Level Column", resamples=400)
    example_of = {example.id: example for example in read_examples(card, "test")}
    recall = report.frame[report.frame["metric"] == "recall"]
    chosen = recall[
        [example_of[e].properties["table"]["Multi Level Column"] is True for e in recall["example"]]
    ]
    tables = chosen["example"].map(lambda e: example_of[e].groups["table"])
    sums, counts = chosen.groupby(tables)["score"].sum(), chosen.groupby(tables)["score"].size()
    mean = chosen["score"].mean()
    g = len(sums)
    error = np.sqrt(g / (g - 1) * ((sums - mean * counts) ** 2).sum()) / len(chosen)
    found = report.groups["true"]["recall"]
    assert found["high"] - found["low"] == pytest.approx(2 * 1.96 * error, rel=0.2)


def test_groups_that_are_numbers_stand_by_size(tmp_path: Path) -> None:
    card = load_card("cards.hctqa.synthetic")
    path = tmp_path / "answers.jsonl"
    rows = [{"example": e.id, "prediction": e.target} for e in read_examples(card, "test")[:60]]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    templates = list(score_predictions(card, path, by="template", resamples=5).groups)
    assert len(templates) > 12
    assert templates == sorted(templates, key=int)


@pytest.mark.parametrize(
    ("by", "message"),
    [
        ("sorce", "its examples have no group 'sorce'; did you mean 'source'?"),
        ("row nesting", "its examples have no group 'row nesting'; did you mean 'table:Row Nesting'?"),
        ("tabel:Row Nesting", "no properties of 'tabel'; did you mean 'table'?"),
        ("table:Row Nestings", "no property 'Row Nestings' of the table; did you mean 'Row Nesting'"),
        ("table:", "no property '' of the table"),
    ],
)
def test_what_is_not_known_is_one_clear_line(answers: Path, mirror: Path, by: str, message: str) -> None:
    with pytest.raises(PredictionsError) as raised:
        score_predictions(load_card(CARD), answers, by=by)
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("answer", "references", "expected"),
    [
        ("a || b || b", ["{x | y} || {z | w}"], (2, 4)),
        ("26.0 || 26", ["1"], (1, 1)),
        ("", ["{a}"], (1, 1)),
        ("1,234", ["{1,234 | 5}", "9"], (1, 2)),
    ],
)
def test_values_in_an_answer(answer: str, references: list[str], expected: tuple[int, int]) -> None:
    metric: Any = metrics.get("hctqa")
    assert metric.values_in(answer, references) == expected


def test_cards_whose_metric_reads_no_values_are_not_counted() -> None:
    assert counting(load_card("bundled.cell_lookup")) is None
    assert counting(load_card("hctqa.real")) is not None


def test_a_frame_of_answers_by_model(answers: Path, mirror: Path, tmp_path: Path) -> None:
    both = pd.read_json(answers, lines=True, dtype=str)
    path = tmp_path / "two.parquet"
    pd.concat([both.assign(model="a"), both.assign(model="b")]).to_parquet(path)
    report = score_predictions(load_card(CARD), path, by="table:Row Nesting", resamples=20)
    alone = score_predictions(load_card(CARD), answers, by="table:Row Nesting", resamples=20)
    assert report.groups["true"]["recall"]["value"] == alone.groups["true"]["recall"]["value"]
    assert report.groups["true"]["recall"]["low"] == pytest.approx(
        alone.groups["true"]["recall"]["low"], abs=0.05
    )
