"""The embedded baseline on questions about structure: what it learns from a demonstration, and overlooks."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from torr_plugin.catalog import load_card, read_examples
from torr_plugin.prompts import PromptBuilder
from torr_plugin.recipes import Configuration
from torr_plugin.running.baselines.answers import lexical_answer
from torr_plugin.scoring import score_example

from ..conftest import ROOT, Torr

FORMATS = ("nl_sep", "markdown", "json", "xml", "html")
BARS = "Year | Town\n2019 | Oslo\n2020 | Lima\n2021 | Rome"
RULED = "| Year | Town |\n| --- | --- |\n| 2019 | Oslo |\n| 2020 | Lima |\n| 2021 | Rome |"
CELL = "What does the cell in row {}, column {} of the table say?"


def prompt(
    question: str, table: str = BARS, shots: tuple[tuple[str, str], ...] = (), before: str = ""
) -> str:
    shown = "".join(f"Question: {asked}\n\nTable:\n{table}\n\nAnswer: {said}\n\n" for asked, said in shots)
    return f"{before}Read the table.\n\n{shown}Question: {question}\n\nTable:\n{table}\n\nAnswer:"


@pytest.mark.parametrize(
    ("shots", "answer"),
    [
        ((), "2019"),  # from 1, below the header
        (((CELL.format(0, 1), "Oslo"),), "Lima"),  # from 0
        (((CELL.format(1, 2), "Town"),), "Year"),  # from 1, the header too
        (((CELL.format(0, 0), "Year"),), "Oslo"),  # from 0, the header too
    ],
)
def test_a_demonstration_shows_how_to_count(shots: tuple[tuple[str, str], ...], answer: str) -> None:
    assert lexical_answer(prompt(CELL.format(1, 1), shots=shots)) == answer


def test_a_demonstration_shows_the_separator() -> None:
    question = 'What do the cells of the column "Town" say, from the top down?'
    assert lexical_answer(prompt(question)) == "Oslo, Lima, Rome"
    shown = ('What do the cells of the column "Year" say, from the top down?', "2019 | 2020 | 2021")
    assert lexical_answer(prompt(question, shots=(shown,))) == "Oslo | Lima | Rome"


def test_a_line_of_hyphens_is_a_row_unless_the_prompt_explains_it() -> None:
    question = "How many rows has the table, and how many columns?"
    assert lexical_answer(prompt(question, RULED)) == "4, 2"
    explained = "How the table is written: bars between cells, and a line of hyphens below the header.\n\n"
    assert lexical_answer(prompt(question, RULED, before=explained)) == "3, 2"


def test_places_of_a_value_that_stands_nowhere() -> None:
    assert lexical_answer(prompt('Where in the table does a cell say "Lima"?')) == "(2, 2)"
    assert lexical_answer(prompt('Where in the table does a cell say "Paris"?')) == ""


def mean(card_name: str, serializer: str, design: str) -> float:
    card = load_card(f"suc.{card_name}")
    builder = PromptBuilder(card, read_examples(card, "train"), seed=1, shots=1)
    configuration = Configuration(serializer, "none", design)
    scores = [
        score_example(
            card,
            lexical_answer(builder.build(each, configuration)[0].content),
            each.references,
            each.facts,
        )[card.main_metric]
        for each in read_examples(card, "test")[:12]
    ]
    return sum(scores) / len(scores)


@pytest.mark.full
def test_it_has_a_profile() -> None:
    assert mean("cell_lookup", "xml", "suc") == 1
    assert mean("cell_lookup", "xml", "suc_no_demonstration") == 0
    assert mean("size_detection", "markdown", "suc") == 1
    assert mean("size_detection", "markdown", "suc_no_explanation") == 0
    # it counts cells in a line of HTML, and overlooks what rows above cover
    assert (
        0 < mean("merged_cell_detection", "html", "suc") < mean("merged_cell_detection", "nl_sep", "suc") < 1
    )


@pytest.mark.full
def test_the_documented_profile_is_that_of_a_run(torr: Torr, tmp_path: Path) -> None:
    ran = torr("run", "suc_designs", "--model", "torr-lexical", "--out", "run")
    assert ran.returncode == 0, ran.stderr
    found = json.loads((tmp_path / "run" / "analysis.json").read_text())
    scores, changes = found["serializers"]["scores"], found["designs"]["differences"]
    tasks = [place for place in scores if place != "overall"]
    merged = "suc.merged_cell_detection"
    others = {in_formats(scores[task]) for task in tasks if task != merged}
    assert len(others) == 1
    rows = [
        f"| merged cells | {in_formats(scores[merged])} |",
        f"| each of the other seven | {others.pop()} |",
    ]
    for name, places in (
        ("all eight", ["overall"]),
        ("cell lookup, row retrieval", ["suc.cell_lookup", "suc.row_retrieval"]),
        ("reverse lookup", ["suc.reverse_lookup"]),
        ("column retrieval", ["suc.column_retrieval"]),
        ("column values, size", ["suc.column_values", "suc.size_detection"]),
        ("merged cells", [merged]),
        ("table partition", ["suc.table_partition"]),
    ):
        digits = 3 if name == "all eight" else 2
        rows += {f"| {name} | {in_both(changes[place], digits)} |" for place in places}
    text = (ROOT / "docs" / "suc.md").read_text(encoding="utf-8")
    assert [row for row in rows if row not in text] == []
    for part in ("marks", "role"):
        assert {own["torr-lexical"][f"suc_no_{part}"]["value"] for own in changes.values()} == {0}
    assert {own["torr-lexical"]["suc_question_last"]["value"] for own in changes.values()} == {0}


def in_formats(scores: Mapping[str, Any]) -> str:
    return " | ".join(figure(scores[name]["torr-lexical"], 2) for name in FORMATS)


def in_both(changes: Mapping[str, Any], digits: int) -> str:
    own = changes["torr-lexical"]
    return " | ".join(figure(own[f"suc_no_{part}"], digits) for part in ("demonstration", "explanation"))


def figure(found: Mapping[str, Any], digits: int) -> str:
    """``-0.18 [-0.19, -0.17]``; ``0``; of examples that all agree no bounds."""
    value, low, high = (found[name] for name in ("value", "low", "high"))
    if value == low == high:
        return f"{value:.{digits}f}" if value else "0"
    return f"{value:.{digits}f} [{low:.{digits}f}, {high:.{digits}f}]"
