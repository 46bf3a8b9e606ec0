"""The cards bundled.filings_*: TableQuest's questions about reports that the package makes up."""

from __future__ import annotations

import json

import pytest

from torr_plugin.catalog import Example, load_card, read_examples
from torr_plugin.prompts import Configuration, PromptBuilder
from torr_plugin.running.baselines.answers import lexical_answer, random_cell_answer
from torr_plugin.scoring import score_example

LEVELS = ("extraction", "calculation", "analysis")


def examples(level: str) -> list[Example]:
    return read_examples(load_card(f"bundled.filings_{level}"), "test")


def test_the_levels_ask_about_the_same_reports() -> None:
    by_level = {level: examples(level) for level in LEVELS}
    assert {level: len(found) for level, found in by_level.items()} == dict.fromkeys(LEVELS, 60)
    reports = [{each.groups["table"]: each.document for each in found} for found in by_level.values()]
    assert reports[0] == reports[1] == reports[2]
    assert len(reports[0]) == 20
    for level, found in by_level.items():
        assert {each.groups["level"] for each in found} == {level}
        assert all(each.table == each.document.tables[each.evidence] for each in found if each.document)


def test_an_analysis_has_a_rubric_and_the_others_none() -> None:
    for each in examples("analysis"):
        rubric = json.loads(each.facts["rubric"])
        assert len(rubric) > 1
        assert all(isinstance(line, str) for line in rubric)
    assert "rubric" not in examples("extraction")[0].facts


@pytest.mark.parametrize("level", LEVELS)
def test_they_ask_as_the_cards_over_ones_own_documents_do(level: str) -> None:
    made, own = load_card(f"bundled.filings_{level}"), load_card(f"tablequest.{level}")
    assert (made.template, made.metrics, made.main_metric) == (own.template, own.metrics, own.main_metric)
    assert (made.skills, made.keeps_labels) == (own.skills, own.keeps_labels)


@pytest.mark.full
@pytest.mark.parametrize("format_name", ["html", "markdown", "csv", "json"])
def test_the_baselines_read_their_prompts(format_name: str) -> None:
    card = load_card("bundled.filings_extraction")
    builder, right = PromptBuilder(card, []), 0.0
    asked = examples("extraction")[:20]
    for each in asked:
        (message,) = builder.build(each, Configuration(format_name, "none", "default"))
        for answer in (random_cell_answer(message.content), lexical_answer(message.content)):
            scores = score_example(card, answer, each.references, each.facts)
            assert scores["answer_format"] == 1
        right += scores["accuracy"]
    assert right >= len(asked) / 2
