from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from torr_plugin.catalog import Card, Example, load_card, read_examples
from torr_plugin.core.errors import UnknownNameError
from torr_plugin.integrations.unitxt import register
from torr_plugin.scoring import metrics
from torr_plugin.scoring.metrics import Metric
from torr_plugin.tables import serializers

from . import tiny
from .conftest import Changed

HOW_MANY = 12


@pytest.fixture(autouse=True)
def in_unitxt() -> None:
    """Our catalog is in unitxt's."""
    register()


def instances(card: Card, named: str = "", **options: Any) -> list[dict[str, Any]]:
    from unitxt import load_dataset

    stream = load_dataset(
        card=named or card.name.replace("cards.", "cards.torr.", 1),
        template_card_index=0,
        split=card.test_split,
        max_test_instances=HOW_MANY,
        streaming=True,
        **{"num_demos": 0, "serializer": "serializers.table.html", **options},
    )
    return [dict(each) for each in stream]


def prompt(card: Card, example: Example, serializer: str) -> str:
    """The prompt by hand, for examples whose parts end in nothing that unitxt's layout takes away."""
    table = serializers.get(f"torr.{serializer}").serialize(example.table)
    source = card.template.input_format.format(table=table, **example.fields)
    instruction = card.template.instruction.format(**example.fields)
    return "\n".join([instruction, source, card.template.target_prefix])


def assert_same(card: Card, found: list[dict[str, Any]], expected: list[Example]) -> None:
    assert len(found) == len(expected) > 0
    compared = 0
    for instance, example in zip(found, expected, strict=True):
        data = json.loads(instance["task_data"])
        assert data["example"] == example.id
        assert data["table"] == example.table.to_unitxt()
        assert {field: data[field] for field in example.fields} == example.fields
        assert instance["target"] == example.target
        assert tuple(instance["references"]) == example.references
        assert instance["postprocessors"] == list(card.template.postprocessors)
        wanted = prompt(card, example, "html")
        if not any(text.rstrip("\n").endswith((")", "(", "\\", "N")) for text in example.fields.values()):
            assert instance["source"] == wanted
            compared += 1
    assert compared


@pytest.mark.full
@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[pytest.mark.full] * name.startswith("hctqa")) for name in tiny.BUNDLED],
)
def test_bundled_cards_give_the_same_examples_in_unitxt(name: str) -> None:
    card = load_card(name)
    assert_same(card, instances(card), read_examples(card, "test")[:HOW_MANY])


@pytest.mark.full
@pytest.mark.usefixtures("tiny_mirror")
@pytest.mark.parametrize("name", [*tiny.REAL, *tiny.MADE])
def test_cards_give_the_same_examples_in_unitxt_from_a_tiny_mirror(name: str) -> None:
    card = load_card(name)
    assert_same(card, instances(card), read_examples(card, "test"))


@pytest.mark.usefixtures("tiny_mirror")
def test_a_card_of_ones_own_with_several_references(changed_card: Changed) -> None:
    template = {
        "__type__": "multi_reference_template",
        "instruction": "Answer.",
        "input_format": "{table}\n{question}",
        "target_prefix": "Answer: ",
        "references_field": "references",
        "postprocessors": ["processors.lower_case"],
    }
    path = changed_card("wikitq", {"preprocess_steps.0.references": ["answers"], "templates": [template]})
    card = load_card(path)
    examples = read_examples(card, "test")
    assert (examples[1].references, examples[1].target) == (("Tern", "Gull"), "Tern")
    assert_same(card, instances(card, named=str(path)), examples)


@pytest.mark.full
@pytest.mark.usefixtures("mirror")
@pytest.mark.parametrize("name", ["scigen", "hctqa.real.census"])
def test_cards_give_the_same_examples_in_unitxt_from_the_real_mirror(name: str) -> None:
    card = load_card(name)
    assert_same(card, instances(card), read_examples(card, "test")[:HOW_MANY])


def test_demonstrations_work_in_unitxt() -> None:
    card = load_card("bundled.aggregation")
    (first, *_) = instances(card, num_demos=2, demos_pool_size=10)
    train = {each.fields["question"] for each in read_examples(card, "train")}
    asked = [
        line.removeprefix("Question: ")
        for line in first["source"].split("\n")
        if line.startswith("Question: ")
    ]
    assert len(asked) == 3
    assert set(asked[:2]) <= train
    assert first["source"].endswith("\nAnswer: ")


@pytest.mark.parametrize("name", ["bundled.cell_lookup", "bundled.fact_verification"])
def test_unitxt_rates_answers_by_the_projects_metrics(name: str) -> None:
    from unitxt import evaluate

    card = load_card(name)
    found = instances(card)
    answers = [each["target"] if number % 3 else "nothing of the kind" for number, each in enumerate(found)]
    result = evaluate(predictions=answers, data=found)
    scores = [each["score"]["instance"][card.main_metric] for each in result]
    expected = [float(bool(number % 3)) for number in range(len(found))]
    assert scores == expected
    assert result.global_scores[card.main_metric] == pytest.approx(sum(expected) / len(expected))


@pytest.mark.usefixtures("tiny_mirror")
def test_unitxt_gives_all_scores_of_a_metric() -> None:
    from unitxt import evaluate

    card = load_card("hctqa.real")
    (instance,) = instances(card)
    (scored,) = evaluate(predictions=["1 || 3"], data=[instance])
    rated = scored["score"]["instance"]
    assert {name: rated[name] for name in ("precision", "recall", "f1", "complete_containment")} == {
        "precision": 0.5,
        "recall": 0.5,
        "f1": 0.5,
        "complete_containment": 0.0,
    }
    assert (rated["score_name"], rated["score"]) == ("recall", 0.5)


def test_a_plugins_metric_is_an_artifact_too(monkeypatch: pytest.MonkeyPatch) -> None:
    from unitxt.artifact import fetch_artifact

    class Always(Metric):
        name = "always_b"
        main = "half"

        def scores(self, prediction: str, references: Any) -> dict[str, float]:
            return {"half": 0.5}

    values, origins = dict(metrics._values), dict(metrics._origins)
    monkeypatch.setattr(metrics, "_values", values)
    monkeypatch.setattr(metrics, "_origins", origins)
    metrics.register("always_b", Always(), origin="a-plugin")
    artifact, _ = fetch_artifact("metrics.torr.always_b")
    assert artifact.main_score == "half"
    assert artifact.map("x", ["y"], {}) == {"half": 0.5}
    with pytest.raises(
        UnknownNameError, match=r"unknown artifact .metrics.torr.never.+metrics.torr.rouge|always"
    ):
        fetch_artifact("metrics.torr.never")


def test_registering_twice_registers_once() -> None:
    from unitxt.artifact import Catalogs

    register()
    register()
    assert sum(type(each).__name__ == "TorrCatalog" for each in Catalogs().catalogs) == 1


def test_a_split_that_the_mirror_lacks_is_no_stream(tiny_mirror: Path) -> None:
    from unitxt.artifact import fetch_artifact

    card, _ = fetch_artifact("cards.torr.wikitq")
    assert card.loader.get_splits() == ["train", "test"]
    assert (tiny_mirror / "wikitq" / "test.parquet").is_file()
