"""Data sets of which no real data is at hand: from files of the hub's schema to prompts and scores."""

from __future__ import annotations

from pathlib import Path

import pytest

from torr_plugin.catalog import load_card, read_examples
from torr_plugin.prompts import PromptBuilder
from torr_plugin.recipes import Configuration
from torr_plugin.scoring import score_example

from . import tiny

MARKDOWN = Configuration("torr.markdown", "none", "default")


@pytest.mark.usefixtures("tiny_mirror")
@pytest.mark.parametrize("name", tiny.MADE)
def test_its_examples_are_asked_and_rated(name: str) -> None:
    card = load_card(name)
    shots = 2 if name in tiny.TABLEBENCH_CARDS else 0
    builder = PromptBuilder(card, read_examples(card, card.demo_split), shots=shots)
    for example in read_examples(card, card.test_split):
        text = "\n".join(message.content for message in builder.build(example, MARKDOWN))
        assert "{" not in card.template.instruction.format(**example.fields)
        assert text.count(card.template.target_prefix.strip()) == shots + 1
        assert text.count("|---") > shots
        right = score_example(card, example.target, example.references, example.facts)
        wrong = score_example(card, "nothing of it", example.references, example.facts)
        assert (right[card.main_metric], wrong[card.main_metric]) == (1, 0)


@pytest.mark.usefixtures("tiny_mirror")
def test_turl_asks_for_the_named_column_with_all_types() -> None:
    card = load_card("turl_col_type")
    boat, captain = read_examples(card, "test")
    prompt = PromptBuilder(card, (), shots=0).build(captain, MARKDOWN)
    text = "\n".join(message.content for message in prompt)
    assert text.endswith(
        "|Boat|Captain|\n|---|---|\n|Tern|Ada|\n||Cy|\n|Gull||\n\n"
        "Page: Boats of the bay\nSection: Crews\nCaption: \nColumn: Captain\nTypes: "
    )
    assert text.count("people.person, ") + text.count(", people.person\n") == 1
    assert (boat.target, captain.target) == ("boats.ship", "people.person, sports.pro_athlete")
    half = score_example(card, "people.person", captain.references)
    assert (half["exact_match"], half["f1_micro"]) == (0, pytest.approx(2 / 3))
    turned = score_example(card, "Sports.pro_athlete, people.person\nand more", captain.references)
    assert (turned["exact_match"], turned["set_match"], turned["f1_micro"]) == (0, 1, 1)


def test_tablebench_never_shows_the_table_it_asks_about(tiny_mirror: Path) -> None:
    card = load_card("tablebench_fact_checking")
    pool = [each for split in card.splits for each in read_examples(card, split)]
    assert len({each.groups["table"] for each in pool}) == len(pool) == 12
    builder = PromptBuilder(card, [*pool, *pool[:1]], shots=5)
    for example in pool:
        assert example.table not in [each.table for each in builder.demonstrations(example)]
