"""Means with intervals, and what scores are grouped by."""

from __future__ import annotations

import json
from math import sqrt
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.analysis.made import cube_frame
from torr_plugin.analysis import analyse
from torr_plugin.catalog import load_card, read_examples
from torr_plugin.core.errors import PredictionsError
from torr_plugin.scoring import ScoreReport, score_predictions
from torr_plugin.scoring.example_scores import card_metrics
from torr_plugin.scoring.metrics import metrics
from torr_plugin.scoring.metrics.base import counting
from torr_plugin.scoring.summaries import ScoreInterval, normal_interval, score_intervals

# questions of each source (appendix D.7 calls psa "qnpc"), and of the synthetic set (67,747 = 77,582 - 9,835)
N = {"ALL": 9835, "qnpc": 7128, "arxiv": 1341, "us census": 387, "pak": 979}

# HCT-QA, appendix D.7: model, data, complete containment as printed [low, high]
PRINTED = [
    ("Table 14", "Qwen2.5-72B-Instruct", "ALL", 0.490, 0.480, 0.500),
    ("Table 14", "Llama-3.1-70B-Instruct", "arxiv", 0.386, 0.359, 0.412),
    ("Table 14", "gemma-2-27b-it", "us census", 0.351, 0.304, 0.399),
    ("Table 14", "Llama-3.3-70B-Instruct", "pak", 0.475, 0.444, 0.506),
    ("Table 15", "gemma-2-9b-it", "ALL", 0.247, 0.239, 0.256),
    ("Table 15", "gemma-2-9b-it", "qnpc", 0.243, 0.233, 0.253),
    ("Table 15", "gemma-2-9b-it", "arxiv", 0.265, 0.241, 0.288),
    ("Table 15", "gemma-2-9b-it", "us census", 0.253, 0.210, 0.297),
    ("Table 15", "gemma-2-9b-it", "pak", 0.254, 0.227, 0.282),
    ("Table 15", "aya-23-8B", "qnpc", 0.069, 0.063, 0.074),
    ("Table 17", "gpt-4o", "us census", 0.328, 0.281, 0.375),
]

ROUNDED = 0.0011  # both the value and the bound are printed with three digits


@pytest.mark.parametrize(("table", "model", "data", "value", "low", "high"), PRINTED)
def test_the_papers_intervals_follow_from_value_and_number(
    table: str, model: str, data: str, value: float, low: float, high: float
) -> None:
    bounds = normal_interval(value, sqrt(value * (1 - value)), N[data])
    assert bounds["low"] == pytest.approx(low, abs=ROUNDED)
    assert bounds["high"] == pytest.approx(high, abs=ROUNDED)


def test_it_is_not_cut_at_zero() -> None:
    """As in Table 16, whose Phi-4-mini-reasoning has the bounds [-0.000, 0.000]."""
    assert normal_interval(0.0001, 0.01, 60_000)["low"] < 0.0001
    assert normal_interval(0.001, sqrt(0.001 * 0.999), 100)["low"] < 0


@settings(deadline=None)
@given(st.lists(st.floats(0, 1), min_size=2, max_size=40))
def test_it_is_scipys(scores: list[float]) -> None:
    from scipy import stats

    values = np.array(scores)
    ours = normal_interval(values.mean(), values.std(), len(values))
    theirs = stats.norm.interval(0.95, values.mean(), values.std() / sqrt(len(values)) or 1e-300)
    assert (ours["low"], ours["high"]) == pytest.approx(theirs, abs=1e-12)


def test_both_intervals_of_many_scores_are_nearly_one() -> None:
    values = np.random.default_rng(3).random((4000, 2)) ** 2
    found = score_intervals(["a", "b"], values, np.arange(4000))
    for figure in found.values():
        width = figure["high"] - figure["low"]
        assert figure["normal"]["low"] == pytest.approx(figure["low"], abs=0.1 * width)
        assert figure["normal"]["high"] == pytest.approx(figure["high"], abs=0.1 * width)


def figure_of(scores: list[float], **tables: Any) -> ScoreInterval:
    values, examples = np.array(scores)[:, None], np.arange(len(scores))
    return score_intervals(["a"], values, examples, **tables)["a"]


@pytest.mark.parametrize("scores", [[0.3], [1.0], [0.5] * 7, [1.0] * 20])
def test_without_spread_the_normal_interval_alone_has_no_width(scores: list[float]) -> None:
    figure = figure_of(scores)
    assert figure["low"] < figure["high"]
    assert figure["low"] <= scores[0] <= figure["high"]
    assert tuple(figure["normal"].values()) == pytest.approx((scores[0],) * 2)
    assert figure["n"] == len(scores)
    if len(scores) == 20:
        assert figure["low"] == pytest.approx(0.82, abs=0.005)


def test_intervals_are_those_of_an_analysis_and_end_at_1() -> None:
    scores, tables = [1.0, 1.0, 0.0], [0, 1, 2]
    assert figure_of(scores)["normal"] == pytest.approx({"low": 0.1332, "high": 1.2001}, abs=1e-4)
    for values, clusters in ((scores, tables), ([1.0, 1.0, 0.9, 0.4, 0.0, 0.2], [0, 0, 1, 1, 2, 3])):
        figure = figure_of(values, tables=np.array(clusters))
        rows = cube_frame([[values]]).assign(cluster=list(map(str, clusters)))
        found = analyse(rows, resamples=5)["performance"]["m0"]["overall"]
        assert {key: figure[key] for key in ("value", "low", "high")} == pytest.approx(found)
        assert 0 <= figure["low"] < figure["high"] <= 1


def test_repeated_answers_widen_the_clustered_interval_alone() -> None:
    """Four answers to each example are no four examples; the normal interval takes them for such."""
    scores = np.repeat(np.random.default_rng(1).random(100), 4)[:, None]
    examples = np.repeat(np.arange(100), 4)
    figure = score_intervals(["a"], scores, examples)["a"]
    ratio = (figure["high"] - figure["low"]) / (figure["normal"]["high"] - figure["normal"]["low"])
    assert ratio == pytest.approx(2, abs=0.2)


@pytest.mark.full
def test_both_intervals_of_gemmas_real_answers(gemma: ScoreReport) -> None:
    """Table 15 prints 0.247 for the complete containment of gemma-2-9b-it; its published answers, read by the
    published scorer, give 0.290. Why they differ is not known here. Its widths follow from value and number;
    the bootstrap's are wider by the root of the design effect."""
    report = gemma
    sources = {"psa": "qnpc", "arxiv": "arxiv", "census": "us census", "pak": "pak"}
    assert set(report.groups) == set(sources)
    parts = {"ALL": report.metrics, **{sources[name]: part for name, part in report.groups.items()}}
    for data, found in parts.items():
        for figure in found.values():
            low, high, normal = figure["low"], figure["high"], figure["normal"]
            assert figure["n"] == N[data]
            effect = figure["design_effect"]
            assert effect is not None
            wider = (high - low) / (normal["high"] - normal["low"])
            assert wider == pytest.approx(sqrt(effect), rel=0.09)
        contained = found["complete_containment"]
        half = 1.96 * sqrt(contained["value"] * (1 - contained["value"]) / N[data])
        assert contained["normal"]["high"] == pytest.approx(contained["value"] + half, abs=1e-5)
    assert report.metrics["complete_containment"]["value"] == pytest.approx(0.2905, abs=5e-5)
    assert report.metrics["recall"]["tables"] == 1_880
    assert report.metrics["recall"]["design_effect"] == pytest.approx(1.38, abs=0.005)


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
    report = score_predictions(card, answers, by="table:Row Nesting")
    examples = {example.id: example for example in read_examples(card, "test")}
    recall = report.frame[report.frame["metric"] == "recall"]
    for value in (True, False):
        rows = [
            row
            for row in recall.to_dict("records")
            if examples[row["example"]].properties["table"].get("Row Nesting") is value
        ]
        scores = [row["score"] for row in rows]
        found = report.groups[str(value).lower()]["recall"]
        assert found["value"] == pytest.approx(fmean(scores))
        assert found["n"] == len(scores)
        assert found["tables"] == len({examples[row["example"]].groups["table"] for row in rows})
    assert set(report.groups) == {"true", "false"}


@pytest.mark.full
def test_by_all_properties_names_property_and_value(answers: Path, mirror: Path) -> None:
    card = load_card(CARD)
    every = score_predictions(card, answers, by="question:all").groups
    one = score_predictions(card, answers, by="question:Aggregation").groups
    assert every["Aggregation: true"]["recall"]["value"] == one["true"]["recall"]["value"]
    assert {"Rank Report Top: 2", "Yes/No: false"} <= set(every)


@pytest.mark.full
def test_groups_that_are_numbers_stand_by_size(tmp_path: Path) -> None:
    card = load_card("cards.hctqa.synthetic")
    path = tmp_path / "answers.jsonl"
    rows = [{"example": e.id, "prediction": e.target} for e in read_examples(card, "test")[:60]]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    templates = list(score_predictions(card, path, by="template").groups)
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
    assert counting(card_metrics(load_card("bundled.cell_lookup"))) is None
    assert counting(card_metrics(load_card("hctqa.real"))) is not None
