"""The metric and the reading that fit the right answers: chosen, said, and right on replies of models."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.catalog.own_tables.places import COMMAND
from tests.cli.in_process import here
from torr_plugin.catalog import load_card, read_examples
from torr_plugin.scoring import score_example


def made_of(
    place: Path, patch: pytest.MonkeyPatch, *lines: dict[str, Any], options: tuple[str, ...] = ()
) -> tuple[Any, Any, dict[str, Any]]:
    """The card, the first example and what the command said, of questions about the table of rivers."""
    records = [{"table": "rivers", "question": "?", "split": "test", **line} for line in lines]
    (place / "questions.jsonl").write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    done = here(*COMMAND[:-1], "questions.jsonl", *options, "--json")
    assert done.exit_code == 0, done.stderr
    patch.setenv("TORR_DATA", str(place / "data"))
    card = load_card("towns.json")
    return card, next(iter(read_examples(card, "test"))), json.loads(done.stdout)


TWO_LINES = "The Heron is long.\nThe Linden is not."


@pytest.mark.parametrize(
    ("line", "metric", "why", "right", "wrong"),
    [
        (  # TabMWP: $2 against 2
            {"answer": "$2"},
            "number_match",
            "1 of 1 right values are numbers, such as $2",
            ["2", r"\boxed{\$2}", "Answer: 2", "So 4 / 2.\n\nAnswer: $2.00", "2!", "**2**"],
            ["20", "€2", "3\n2"],
        ),
        (
            {"answer": "Heron"},
            "exact_match",
            "the right answers are short texts",
            ["Heron", "heron.", r"\boxed{Heron}", "It is long.\nFinal answer: Heron", "Heron\nas row 1 says"],
            ["Linden", "Heron Linden", "Linden\nHeron"],
        ),
        (
            {"all_of": ["Otter", "Heron"]},
            "value_set",
            "1 right answers have several values",
            [
                '["Otter", "Heron"]',
                "1. Heron\n2. Otter",
                "Heron & Otter",
                "- Heron\n- Otter",
                "* Heron\n* Otter\n\nThese are both.",
                "Heron\nOtter",
                '```json\n["Heron",\n "Otter"]\n```',
                "The rivers are:\n\n1. Otter\n2. Heron",
                "Answer:\n- Heron\n- Otter",
                "<think>Heron?</think>\nHeron and Otter",
                "Heron,Otter",
                "Otter → Heron",
                "| River |\n|---|\n| Otter |\n| Heron |\n\nThese are both.",
                r"\boxed{Otter, Heron}",
                "```csv\nOtter,Heron\n```",
            ],
            ["Heron", "1. Heron", '["Heron", "Linden"]', "Heron\nOtter\nLinden"],
        ),
        (
            {"answer": TWO_LINES},
            "rougeL",
            "1 of 1 right answers are sentences or have several lines",
            [TWO_LINES],
            [TWO_LINES.split("\n")[0]],
        ),
        (
            {"any_of": [TWO_LINES, "Both\nare rivers."]},
            "rougeL",
            "2 of 2 right answers are sentences or have several lines",
            [TWO_LINES, "Both\nare rivers."],
            ["Both"],
        ),
        (
            {"answer": "0.5"},
            "number_match",
            "1 of 1 right values are numbers, such as 0.5",
            ["1/2", r"$\frac{1}{2}$", r"\boxed{\frac{1}{2}}", "½", "Answer: 1/2", "50 %"],
            ["1/3", "2/1", "1/2/2020"],
        ),
        ({"any_of": ["98/99", "7/8", "Oslo"]}, "exact_match", "short texts", ["7/8", "oslo"], ["0.875"]),
        (
            {"any_of": ["2 1/2", "7/8"]},
            "number_match",
            "1 of 2 right values are numbers, such as 2 1/2",
            ["2.5", "7/8"],
            ["5/2"],
        ),
        (  # TAT-QA: the scale stands in a column of its own
            {"answer": "1344", "scale": "million"},
            "number_match",
            "1 of 1 questions have a tolerance or a scale",
            ["1344 million", "$1,344 million", "1.344 billion"],
            ["1344", "1344 thousand"],
        ),
        ({"answer": 1344, "scale": ""}, "number_match", "a scale", ["1344"], ["1344 million"]),
        ({"answer": "Cafe\u0301"}, "exact_match", "short texts", ["Caf\u00e9", "caf\u00e9\u200b"], ["Cafe"]),
    ],
    ids=lambda value: str(value)[:30],
)
def test_what_fits(
    place: Path,
    monkeypatch: pytest.MonkeyPatch,
    line: dict[str, Any],
    metric: str,
    why: str,
    right: list[str],
    wrong: list[str],
) -> None:
    card, example, said = made_of(place, monkeypatch, line)
    assert said["metric"] == card.main_metric == metric
    assert said["why"].startswith(f"metric {metric}: ")
    assert why in said["why"]

    def score(answer: str) -> float:
        return score_example(card, answer, example.references, example.facts)[metric]

    assert [answer for answer in right if score(answer) < 1] == []
    assert [answer for answer in wrong if score(answer) >= 1] == []


def test_a_text_of_several_lines_has_room_in_the_study(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made_of(place, monkeypatch, {"answer": TWO_LINES})
    assert "max_tokens: 1024" in (place / "towns.yaml").read_text()


def test_another_metric_may_be_named_and_what_would_fit_is_said(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    card, example, said = made_of(place, monkeypatch, {"answer": "$2"}, options=("--metric", "exact_match"))
    assert "--metric names it; number_match would fit: 1 of 1 right values are numbers" in said["why"]
    assert score_example(card, "2", example.references, example.facts)["exact_match"] == 0


def test_paragraphs_beside_a_table_are_in_the_prompt(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    beside = {"answer": "Heron", "texts": ["The first paragraph.", "The second."]}
    card, example, _ = made_of(place, monkeypatch, beside, {"answer": "Linden"})
    assert example.fields["texts"] == "The first paragraph.\n\nThe second."
    assert [each.fields["texts"] for each in read_examples(card, "test")][1] == "none"
    out = place / "prompts.jsonl"
    done = here("prompts", "towns.yaml", "--out", str(out))
    assert done.exit_code == 0, done.stderr
    assert "Texts:\\nThe first paragraph.\\n\\nThe second.\\n\\nTable:\\n" in out.read_text()


@pytest.mark.parametrize(("scale", "said"), [("dozen", "found 'dozen'"), ("km", "found 'km'")])
def test_a_scale_that_is_none(place: Path, scale: str, said: str) -> None:
    (place / "questions.csv").write_text(f"table,question,answer,scale\nrivers,?,5,{scale}\n")
    done = here(*COMMAND)
    assert (done.exit_code, done.stderr.count("\n")) == (2, 1)
    assert done.stderr.startswith(f"torr: questions.csv: question 1: scale: {said}; expected none, percent")


def test_a_ragged_table_is_read_with_a_note(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (place / "tables" / "rivers.csv").write_text("River,Country\nHeron\nLinden,Norland,long\nOtter,Norland\n")
    _, example, said = made_of(place, monkeypatch, {"answer": "Heron"})
    assert [[cell.text for cell in row] for row in example.table.rows] == [
        ["River", "Country", ""],
        ["Heron", "", ""],
        ["Linden", "Norland", "long"],
        ["Otter", "Norland", ""],
    ]
    assert said["notes"] == [
        "tables/rivers.csv: 2 of 4 lines have another number of cells than the 2 of the first; empty cells "
        "are added at their ends"
    ]
