"""The shipped cards as artifacts of unitxt; documents in its prompts."""

from __future__ import annotations

import json
from pathlib import Path
from string import Formatter
from typing import Any

import pytest

from torr_plugin.catalog import card_names, load_card, read_examples
from torr_plugin.catalog.examples import instance_of
from torr_plugin.catalog.folders import unitxt_artifact, unitxt_names


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
        assert "<table" in document  # which unitxt's formats leave as it is: docs/harnesses.md
        assert document in instance["source"]


STANDARD = {
    "bundled.cell_lookup": "qa.with_context",
    "bundled.fact_verification": "classification.multi_class.relation",
    "numeric_nlg": "generation.from_pair",
    "bundled.filings_extraction": "qa.with_context",
}


@pytest.mark.full
@pytest.mark.parametrize("card", STANDARD)
def test_a_card_takes_the_templates_of_unitxts_task(card: str, mirror: Path) -> None:
    from unitxt import load_dataset

    task = unitxt_artifact(f"tasks.{STANDARD[card]}")
    assert task is not None
    fields = {*task["input_fields"], *task["reference_fields"]}
    templates = [
        name
        for name in unitxt_names("templates")
        if name.startswith(f"templates.{STANDARD[card]}.") and _fields(name) <= fields
    ]
    for template in templates:
        found: Any = load_dataset(
            card=f"cards.torr.{card}",
            template=template,
            serializer="serializers.table.html",
            split="test",
            max_test_instances=1,
            loader_limit=5,
        )
        assert "<table" in found[0]["source"], template
        assert found[0]["references"], template
    assert templates


def _fields(template: str) -> set[str]:
    """The fields of a template with texts of one form; of others none that a task has."""
    written = unitxt_artifact(template) or {}
    texts = [written.get(key) for key in ("instruction", "input_format", "target_prefix")]
    if written.get("__type__") not in ("input_output_template", "multi_reference_template"):
        return {"?"}
    return {name for text in texts if text for _, name, _, _ in Formatter().parse(text) if name is not None}
