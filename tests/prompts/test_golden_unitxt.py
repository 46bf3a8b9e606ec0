"""Whole prompts, byte for byte as unitxt writes them for the same card, serializer and demonstrations."""

from __future__ import annotations

from dataclasses import replace

import pytest

from torr_plugin.catalog import load_card, read_examples
from torr_plugin.prompts import PromptBuilder
from torr_plugin.recipes import Configuration

from .unitxt_side import SERIALIZERS, unitxt_prompts

BUNDLED = ("cards.bundled.cell_lookup", "cards.bundled.fact_verification", "cards.bundled.aggregation")
REAL = ("cards.wikitq", "cards.tab_fact", "cards.scigen", "cards.numeric_nlg", "cards.hctqa.real")


def compare(name: str, serializer: str, count: int, shots: int) -> None:
    card = replace(load_card(name), unitxt=None)  # asked in its own words, here and there
    asked = {example.id: example for example in read_examples(card, card.test_split)}
    pool = read_examples(card, card.demo_split) if shots else []
    builder = PromptBuilder(card, pool, seed=3, shots=shots)
    theirs = unitxt_prompts(
        card, serializer, count, (lambda at: builder.demonstrations(asked[at])) if shots else None
    )
    configuration = Configuration(serializer, "none", "torr")
    assert len(theirs) == count
    for example, prompt in theirs.items():
        (message,) = builder.build(asked[example], configuration)
        assert message.content == prompt


@pytest.mark.parametrize(
    ("name", "serializer", "shots"),
    zip(BUNDLED, ("torr.csv", "torr.html", "torr.html"), (0, 3, 3), strict=True),
)
def test_bundled_cards(name: str, serializer: str, shots: int) -> None:
    compare(name, serializer, 10, shots)


@pytest.mark.full
@pytest.mark.usefixtures("mirror")
@pytest.mark.parametrize(
    ("name", "serializer", "shots"),
    [(name, *(("torr.csv", 4) if at % 2 else ("torr.json", 0))) for at, name in enumerate(REAL)],
)
def test_real_cards(name: str, serializer: str, shots: int) -> None:
    compare(name, serializer, 15, shots)


@pytest.mark.full
@pytest.mark.usefixtures("mirror")
@pytest.mark.parametrize("serializer", SERIALIZERS)
def test_every_serializer_on_a_real_card(serializer: str) -> None:
    compare("cards.wikitq", serializer, 15, 2)
