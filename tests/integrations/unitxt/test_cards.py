"""The shipped cards as artifacts of unitxt; documents in its prompts."""

from __future__ import annotations

import json
from typing import Any

import pytest

from torr_plugin.catalog import card_names, load_card, read_examples
from torr_plugin.catalog.examples import instance_of


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.release] if place % 6 else [])
        for place, name in enumerate(card_names())
    ],
)
def test_a_card_is_an_artifact(name: str) -> None:
    from unitxt.artifact import fetch_artifact

    card, _ = fetch_artifact(name.replace("cards.", "cards.torr.", 1))
    assert type(card).__name__ == "TableCard"
    assert card.test_split == load_card(name).test_split


def test_a_document_is_an_input_of_unitxts_own_recipes() -> None:
    from unitxt import load_dataset

    found: Any = load_dataset(
        card="cards.torr.bundled.filings_extraction",
        template_card_index=0,
        serializer="serializers.table.markdown",
        split="test",
        max_test_instances=2,
    )
    examples = read_examples(load_card("bundled.filings_extraction"), "test")
    documents = {each.id: instance_of(each)["document"] for each in examples}
    for instance in found:
        document = documents[json.loads(instance["task_data"])["example"]]
        assert "<table" in document  # which unitxt's formats leave as it is: docs/unitxt.md
        assert document in instance["source"]
