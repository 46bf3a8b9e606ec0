"""The two accuracies of one answer, and facts on their way through scoring."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from torr_plugin.catalog import Example
from torr_plugin.core.errors import CardError, InputError
from torr_plugin.scoring import Metric, metrics, score_example, score_predictions, score_run
from torr_plugin.tables import Table

from ...scoring.made import FakeCard
from ...scoring.test_scoring_a_run import request, run_of

TABLE = [["", "2017", "2016"], ["boats", "$ 12", "8"]]
FACTS = {"answer": "0.5", "table": json.dumps(TABLE)}
GOLD = "subtract(12, 8), divide(#0, 8)"


def rated(answer: str, gold: str = GOLD, facts: dict[str, str] = FACTS) -> tuple[float, float]:
    scores = metrics.get("finqa").scores(answer, [gold], facts)  # type: ignore[call-arg]
    assert list(scores) == ["program_accuracy", "execution_accuracy"]
    return scores["program_accuracy"], scores["execution_accuracy"]


@pytest.mark.parametrize(
    ("answer", "scores"),
    [
        (GOLD, (1.0, 1.0)),
        ("divide(12, 8), divide(8, 8), subtract(#0, #1)", (1.0, 1.0)),
        ("divide(12, 8), subtract(#0, const_1)", (0.0, 1.0)),
        ("divide(4, 8)", (0.0, 1.0)),
        ("subtract(12, 8), divide(#0, 12)", (0.0, 0.0)),
        ("0.5", (0.0, 0.0)),
        ("(12 - 8) / 8", (0.0, 0.0)),
        ("__import__('os').system('true')", (0.0, 0.0)),
        ("", (0.0, 0.0)),
    ],
)
def test_accuracies(answer: str, scores: tuple[float, float]) -> None:
    assert rated(answer) == scores


def test_other_golds() -> None:
    assert rated("greater(12, 8)", "greater(12, 8)", {**FACTS, "answer": "yes"}) == (1.0, 1.0)
    assert rated("greater(8, 12)", "greater(12, 8)", {**FACTS, "answer": "yes"}) == (0.0, 0.0)
    assert rated("table-sum(boats, none)", "table_sum(boats, none)", {**FACTS, "answer": "20.0"}) == (
        1.0,
        1.0,
    )
    # a gold answer that its own program does not give: the symbols are right, the number is not
    assert rated(GOLD, facts={**FACTS, "answer": "0.51"}) == (1.0, 0.0)


def test_without_an_answer_the_gold_program_is_run() -> None:
    assert metrics.get("finqa").scores("divide(4, 8)", [GOLD]) == {
        "program_accuracy": 0.0,
        "execution_accuracy": 1.0,
    }
    assert metrics.get("finqa").scores("nothing", ["nothing"]) == {
        "program_accuracy": 0.0,
        "execution_accuracy": 0.0,
    }


@pytest.fixture
def finqa(card: FakeCard, monkeypatch: pytest.MonkeyPatch) -> FakeCard:
    """A card of programs with two questions that have one gold program, but other tables and answers."""
    made = replace(card, metrics=("finqa",), main_metric="program_accuracy")
    table = Table.flat(TABLE[0], TABLE[1:])
    golds = ["table_max(boats, none)", "table_max(boats, none)"]
    examples = [
        Example(name, table, {}, (gold,), gold, {}, {"answer": answer, "table": json.dumps(rows)})
        for name, gold, answer, rows in zip(
            ("q1", "q2"), golds, ("12.0", "9.0"), (TABLE, [TABLE[0], ["boats", "9", "8"]]), strict=True
        )
    ]
    monkeypatch.setattr("torr_plugin.scoring.predictions.read_examples", lambda card, split: list(examples))
    monkeypatch.setattr("torr_plugin.scoring.run_answers.load_card", lambda name: made)
    return made


def test_predictions_from_a_file_are_scored_with_facts(finqa: FakeCard, tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    rows = [{"example": name, "prediction": "add(12, 0)"} for name in ("q1", "q2")]
    pd.DataFrame(rows).to_json(path, orient="records", lines=True)
    report = score_predictions(finqa, path)  # type: ignore[arg-type]
    assert {name: figure["value"] for name, figure in report.metrics.items()} == {
        "program_accuracy": 0.0,
        "execution_accuracy": 0.5,
        "program_accuracy.lenient": 0.0,
    }


def test_a_run_is_scored_with_facts(finqa: FakeCard) -> None:
    def asked(key: str, example: str, answer: str) -> dict[str, Any]:
        facts = json.dumps({**FACTS, "answer": answer})
        return {**request(key, example), "references": ["table_max(boats, none)"], "facts": facts}

    rows = [asked("k1", "q1", "12.0"), asked("k2", "q2", "9.0")]
    frame = score_run(run_of(rows, m={"k1": "add(12, 0)", "k2": "add(12, 0)"}))
    executed = frame[frame["metric"] == "execution_accuracy"]
    assert dict(zip(executed["example"], executed["score"], strict=True)) == {"q1": 1.0, "q2": 0.0}
    assert frame["main"].sum() == 2


def test_a_run_without_facts_is_refused(finqa: FakeCard) -> None:
    with pytest.raises(CardError, match=r"^cards.fruit: metric 'finqa' needs the fact 'answer'; found: none"):
        score_run(run_of([request("k1", "q1")], m={"k1": "add(1, 2)"}))


def test_metrics_with_and_without_facts(card: FakeCard, monkeypatch: pytest.MonkeyPatch) -> None:
    class Plain(Metric):
        name, main = "plain", "plain"

        def scores(self, prediction: str, references: Any) -> dict[str, float]:
            return {"plain": 0.25}

    class Needing(Metric):
        name, main, needs = "needing", "seen", ("source",)

        def scores(self, prediction: str, references: Any, facts: Any = None) -> dict[str, float]:
            return {"seen": float(facts["source"] == "here")}

    for metric in (Plain(), Needing()):
        monkeypatch.setitem(metrics._values, metric.name, metric)
    both = replace(card, metrics=("plain", "needing"), main_metric="plain")
    plain = {"plain": 0.25, "plain.lenient": 0.25}
    assert score_example(both, "a", ["a"], {"source": "here"}) == {**plain, "seen": 1.0}
    assert score_example(replace(both, metrics=("plain",)), "a", ["a"]) == plain


def test_without_sympy_the_extra_is_named_before_anything_is_rated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("torr_plugin.papers.torr.finqa.metric._sympy_is_here", lambda: False)
    message = (
        "metric 'finqa' needs sympy, which is not installed: pip install '.[finqa]' in a checkout of torr-"
    )
    with pytest.raises(InputError, match=re.escape(message)):
        rated("")
