"""Scores of a run beside the plainest way to get them: a request after the other, every answer by itself."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from torr_plugin.scoring import score_example, score_run
from torr_plugin.scoring.metrics import metrics
from torr_plugin.scoring.metrics.exact_match import ExactMatch
from torr_plugin.scoring.run_scores import COLUMNS, answered_by_card

from .made import FakeCard
from .test_scoring_a_run import FakeRun, request

STEPS = {"default": 1, "two": 2, "three": 3}
TEXTS = ("apple", "two pears", "fig\nmore", "", "é\ud7ff")

ROWS = st.lists(
    st.builds(
        lambda key, example, serializer, design, model: (key, example, serializer, design, model),
        st.sampled_from(["k1", "k2", "k3", "a" * 32, "0" * 32]),
        st.sampled_from(["q1", "q2"]),
        st.sampled_from(["csv", "html"]),
        st.sampled_from(list(STEPS)),
        st.sampled_from(["m", "n"]),
    ),
    max_size=12,
    unique_by=lambda row: row[1:4],
)
ANSWERS = st.dictionaries(
    st.sampled_from(["k1", "k2", "k3", "a" * 32, "0" * 32, "other"]), st.none() | st.sampled_from(TEXTS)
)


class WithFacts(ExactMatch):
    optional = ("a",)

    def scores(
        self, prediction: str, references: Sequence[str], facts: Mapping[str, str] | None = None
    ) -> dict[str, float]:
        return super().scores(prediction, references)


@pytest.fixture
def quick(card: FakeCard, monkeypatch: pytest.MonkeyPatch) -> FakeCard:
    """The card with metrics that load nothing."""

    quick = replace(card, metrics=("exact_match", "accuracy"))
    monkeypatch.setattr("torr_plugin.scoring.run_answers.load_card", lambda name: quick)
    return quick


def run_of(rows: list[tuple[str, ...]], later: list[bool], m: Any, n: Any) -> FakeRun:
    """First steps of all cells, and of some of them later ones, for the model that the row names."""
    asked = [request(key, example, kind, design=design) for key, example, kind, design, _ in rows]
    for (key, example, kind, design, model), goes_on in zip(rows, later, strict=False):
        for stage in range(1, STEPS[design] if goes_on else 1):
            asked.append(request(key, example, kind, stage, model, design))
    study = {"datasets": {"fruit": {"card": "cards.fruit"}}, "stages": {"two": 2, "three": 3}}
    return FakeRun(asked, {"m": m, "n": n}, study)


def plainly(run: FakeRun, card: FakeCard) -> list[tuple[Any, ...]]:
    """The rows of the frame."""
    found: list[tuple[Any, ...]] = []
    for model, answers in run.answers.items():
        cells, holes = [], {}
        for row in run.rows:
            if row["model"] not in (None, model):
                continue
            cell = tuple(row[name] for name in COLUMNS[1:7])
            text = answers.get(row["key"]) if row["stage"] == STEPS[row["design"]] - 1 else None
            if text is None:
                holes[cell] = (model, *cell, card.main_metric, None, True)
                continue
            cells.append(cell)
            for name, score in score_example(card, text, row["references"]).items():  # type: ignore[arg-type]
                found.append((model, *cell, name, score, name == card.main_metric))
        found += [hole for cell, hole in holes.items() if cell not in cells]
    return found


@pytest.mark.full
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30, deadline=None)
@given(rows=ROWS, later=st.lists(st.booleans(), min_size=12, max_size=12), m=ANSWERS, n=ANSWERS)
def test_a_request_after_the_other(
    quick: FakeCard, rows: list[tuple[str, ...]], later: list[bool], m: Any, n: Any
) -> None:
    run = run_of(rows, later, m, n)
    frame = score_run(run)
    ours = [
        tuple(None if isinstance(value, float) and math.isnan(value) else value for value in row)
        for row in frame.astype(object).itertuples(index=False)
    ]
    assert sorted(ours, key=str) == sorted(plainly(run, quick), key=str)
    answered = [row[:7] for row in ours if row[9] and row[8] is not None]
    given_back = [
        tuple(row) for _, part in answered_by_card(run) for row in part[COLUMNS[:7]].itertuples(index=False)
    ]
    assert given_back == answered


def test_rows_stand_by_model_then_as_the_requests(quick: FakeCard) -> None:
    rows = [
        request(f"k{at}", example, kind)
        for at, (example, kind) in enumerate(
            [
                ("q2", "html"),
                ("q1", "csv"),
                ("q1", "html"),
                ("q2", "csv"),
            ]
        )
    ]
    answers: dict[str, str | None] = {"k0": "fig", "k1": None, "k2": "apple", "k3": "fig"}
    frame = score_run(
        FakeRun(rows, {"m": answers, "n": answers}, {"datasets": {"fruit": {"card": "cards.fruit"}}})
    )
    main = frame[frame["main"]]
    one = [("q2", "html"), ("q1", "html"), ("q2", "csv"), ("q1", "csv")]
    assert list(zip(main["example"], main["serializer"], strict=True)) == one + one
    assert main["model"].tolist() == ["m"] * 4 + ["n"] * 4


@pytest.mark.full
def test_a_row_costs_little(quick: FakeCard) -> None:
    rows = [request(f"k{at}", f"q{at % 40 + 1}", f"s{at // 40}") for at in range(800)]
    frame = score_run(
        FakeRun(
            rows,
            {"m": {f"k{at}": "fig" for at in range(800)}},
            {"datasets": {"fruit": {"card": "cards.fruit"}}},
        )
    )
    assert len(frame) == 2_400
    assert frame.memory_usage(deep=True).sum() < 2_400 * 30
    assert all(isinstance(frame[name].dtype, pd.CategoricalDtype) for name in (*COLUMNS[:7], "metric"))


def test_facts_tell_answers_apart_only_where_a_metric_needs_them(
    quick: FakeCard, monkeypatch: pytest.MonkeyPatch
) -> None:
    import torr_plugin.scoring.run_scores as scoring
    from torr_plugin.scoring.run_scores import score_matrix

    handed: list[list[str | None]] = []

    def noted(card: Any, texts: Any, right: Any, facts: Any, step: str) -> Any:
        handed.append([None] if facts is None else list(facts))
        return score_matrix(card, texts, right, None)

    rows = [
        {**request(f"k{at}", "q1", f"s{at}"), "facts": fact}
        for at, fact in enumerate(["{}", None, '{"a": 1}'])
    ]
    run = FakeRun(
        rows,
        {"m": dict.fromkeys(("k0", "k1", "k2"), "fig")},
        {"datasets": {"fruit": {"card": "cards.fruit"}}},
    )
    monkeypatch.setattr(scoring, "score_matrix", noted)
    score_run(run)
    monkeypatch.setitem(metrics._values, "exact_match", WithFacts())
    score_run(run)
    assert [sorted(map(str, facts)) for facts in handed] == [["None"], ["None", '{"a": 1}', "{}"]]
