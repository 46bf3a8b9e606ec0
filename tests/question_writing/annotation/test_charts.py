"""Questions for charts: programs are compared by what they draw, and the data hold the drawn values."""

from __future__ import annotations

import json
import math
from pathlib import Path
from unittest import mock

import pyarrow.parquet as pq
import pytest

from tests.question_writing.made import annotation, entry
from tests.question_writing.models import PROGRAM
from torr_plugin.catalog import load_card, read_examples
from torr_plugin.core.errors import DataError, SandboxError
from torr_plugin.question_writing import Rounds, accept_annotation, annotate
from torr_plugin.question_writing.annotation import voting
from torr_plugin.question_writing.annotation.question import read_annotated
from torr_plugin.scoring import score_example
from torr_plugin.scoring.sandbox import ChartRun

CHARTS = ("chart_generation",)


def review(place: Path, **said: str) -> list[Path]:
    """A verdict on the question about rivers."""
    (question,) = (each for each in read_annotated(place / "out").values() if each.table == "rivers")
    path = place / "verdicts.jsonl"
    path.write_text(json.dumps({"id": question.id, "verdict": "change" if said else "accept", **said}))
    return [path]


@pytest.mark.full
def test_programs_that_draw_the_same_are_one_answer(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    models = entry("a"), entry("b", kind="b"), entry("c", kind="c")
    assert annotate(annotation(place, *models, types=CHARTS), Rounds(place / "out"))["notes"] == []
    for question in read_annotated(place / "out").values():
        (answer,) = question.alternatives  # the third program draws nothing
        assert (answer.models, answer.values) == (("a", "b"), "[1205.0, 412.0]")
    made = accept_annotation(place / "out", "mine", place / "data", reviews=review(place))["made"][
        "chart_generation"
    ]
    assert (made.metric, made.asked, made.shown) == ("chart_pass", 1, 0)
    monkeypatch.setenv("TORR_DATA", str(place / "data"))
    card = load_card(made.card)
    (example,) = read_examples(card, "test")
    assert example.references == ("[1205.0, 412.0]",)
    right, wrong = (
        score_example(card, PROGRAM.format(otter=otter), example.references, example.facts)
        for otter in (412, 1)
    )
    assert (right["chart_pass"], wrong["chart_pass"], wrong["chart_ecr"]) == (1, 0, 1)
    program = PROGRAM.format(otter="400 + 13")
    again = accept_annotation(
        place / "out", "other", place / "data", reviews=review(place, corrected_answer=program)
    )
    (row,) = pq.read_table(again["made"]["chart_generation"].data[0]).to_pylist()
    assert row["answer"] == "[1205.0, 413.0]"
    with pytest.raises(DataError, match="no values of a chart; expected a corrected_answer that draws one"):
        accept_annotation(
            place / "out", "mine", place / "data", reviews=review(place, corrected_answer="print(1)")
        )


@pytest.mark.parametrize("values", [(math.inf, 2.0), (1 / 3,) * 20_000, ()])
def test_a_chart_whose_values_can_be_no_reference_is_no_answer(values: tuple[float, ...]) -> None:
    run = ChartRun(values={"line": values, "bar": (1.0, None)})
    with mock.patch.object(voting, "run_answer", return_value=run):
        assert voting.drawn_values("program", "LineChart Generation", b"") == ""
        assert voting.drawn_values("program", "BarChart Generation", b"") == "[1.0, None]"


def test_a_table_that_no_workbook_holds_costs_no_reply(place: Path) -> None:
    (place / "tables" / "rivers.csv").write_text(f"River,Note\nOtter,{'x' * 33_000}\n")
    with mock.patch.object(voting, "run_answer", side_effect=SandboxError("charts: no walls here")):
        report = annotate(annotation(place, entry("a"), types=CHARTS), Rounds(place / "out"))
    assert sum(report["questions"].values()) == 2
    assert any(note.endswith("at most 32767; so programs are compared as texts") for note in report["notes"])


def test_without_a_sandbox_programs_are_compared_as_texts(place: Path) -> None:
    refused = mock.patch.object(voting, "run_answer", side_effect=SandboxError("charts: no walls here"))
    models = entry("a"), entry("b", kind="b"), entry("c", kind="c")
    with refused:
        report = annotate(annotation(place, *models, types=CHARTS), Rounds(place / "out"))
    assert report["notes"] == ["charts: no walls here; so programs are compared as texts"]
    question = next(iter(read_annotated(place / "out").values()))
    # a program without matplotlib is none
    assert [each.models for each in question.alternatives] == [("a",), ("b",)]
    with pytest.raises(DataError, match="expected a corrected_answer, as no program was run"):
        accept_annotation(place / "out", "mine", place / "data", reviews=review(place))
    with refused, pytest.raises(SandboxError):  # an empty list is no chart, so that it is tried as a program
        accept_annotation(place / "out", "mine", place / "data", reviews=review(place, corrected_answer="[]"))
    made = accept_annotation(
        place / "out", "mine", place / "data", reviews=review(place, corrected_answer="[1, 2.5]")
    )
    (row,) = pq.read_table(made["made"]["chart_generation"].data[0]).to_pylist()
    assert (row["answer"], row["chart_type"]) == ("[1, 2.5]", "BarChart Generation")
