"""Our formats and perturbations in recipes of unitxt's own; what unitxt has stays as it was."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from torr_plugin.catalog import load_card, read_examples
from torr_plugin.catalog.unitxt_examples import table_of
from torr_plugin.prompts.builder import perturb_example
from torr_plugin.tables import perturbations, serializers

TABLE = {"header": ["Boat", "Seats & crew"], "rows": [["Tern", "12"], ["Gull", "7"], ["Skua", "3"]]}
UNITXTS_SERIALIZERS = ("concat", "df", "html", "indexed_row_major", "json", "markdown")
UNITXTS_AUGMENTORS = ("shuffle_rows", "shuffle_cols", "transpose", "insert_empty_rows")


def fetched(name: str) -> Any:
    from unitxt.artifact import fetch_artifact

    return fetch_artifact(name)[0]


@pytest.mark.parametrize("name", serializers.text_names())
def test_every_format_is_there_and_writes_what_ours_writes(name: str) -> None:
    expected = serializers.get(name).serialize(table_of(TABLE))
    assert fetched(f"serializers.torr.{name}").serialize(TABLE, {}) == expected
    if name not in UNITXTS_SERIALIZERS:
        assert fetched(f"serializers.table.{name}").serialize(TABLE, {}) == expected


@pytest.mark.parametrize("name", UNITXTS_SERIALIZERS)
def test_unitxts_formats_stay_unitxts(name: str) -> None:
    assert type(fetched(f"serializers.table.{name}")).__module__.startswith("unitxt.")
    assert fetched(f"serializers.table.torr.{name}").serialize(TABLE, {}) == (
        serializers.get(f"torr.{name}").serialize(table_of(TABLE))
    )


@pytest.mark.parametrize("name", UNITXTS_AUGMENTORS)
def test_unitxts_augmentors_stay_unitxts(name: str) -> None:
    assert type(fetched(f"augmentors.table.{name}")).__module__.startswith("unitxt.")


def test_a_drawn_table_is_a_picture_of_the_instance() -> None:
    instance: dict[str, Any] = {}
    text = fetched("serializers.torr.image").serialize(TABLE, instance)
    assert text == '<unitxt-img src="media/images/0">'
    (picture,) = instance["media"]["images"]
    assert picture["format"] == "PNG"
    assert picture["image"].width > 20


def test_a_drawn_table_can_have_its_text_beside_it() -> None:
    instance: dict[str, Any] = {}
    text = fetched("serializers.table.image_and_csv").serialize(TABLE, instance)
    written = serializers.get("csv").serialize(table_of(TABLE))
    assert text == f'<unitxt-img src="media/images/0">\nThe same table as text:\n{written}'
    assert len(instance["media"]["images"]) == 1


@pytest.mark.parametrize("name", perturbations.names())
def test_perturbed_as_in_torr_run_where_data_set_and_example_are_known(name: str) -> None:
    (example, *_) = read_examples(load_card("bundled.fact_verification"), "test")
    augmentor = fetched(f"augmentors.torr.{name}[dataset=bundled.fact_verification,seed=3]")
    augmentor.set_fields(["table"])
    flat = table_of(example.table.to_unitxt())
    instance = {
        "input_fields": {"table": flat.to_unitxt(), **example.fields},
        "reference_fields": {"example": example.id, "references": list(example.references)},
    }
    made = augmentor.process(instance)
    expected = perturb_example(
        replace(example, table=flat), perturbations.get(name), 3, "bundled.fact_verification"
    )
    assert made["input_fields"] == {"table": expected.table.to_unitxt(), **expected.fields}
    assert made["reference_fields"]["references"] == list(expected.references)
    assert made["reference_fields"]["example"] == example.id


def test_words_are_renamed_in_question_and_references_too() -> None:
    augmentor = fetched("augmentors.table.nonsense")
    augmentor.set_fields(["table", "question"])

    def instance() -> dict[str, Any]:
        return {
            "input_fields": {"table": TABLE, "question": "Which boat has more seats, Tern or Gull?"},
            "reference_fields": {"answers": ["Tern"], "spans": {"cells": '["Tern", "a \\"quote\\""]'}},
        }

    made = augmentor.process(instance())
    new = made["input_fields"]["table"]["rows"][0][0]
    assert new != "Tern"
    assert new in made["input_fields"]["question"]
    assert "Gull" not in made["input_fields"]["question"]
    assert made["reference_fields"]["answers"] == [new]
    assert json.loads(made["reference_fields"]["spans"]["cells"]) == [new, 'a "quote"']
    assert augmentor.process(instance()) == made


def test_chance_is_of_the_table_and_the_seed_alone() -> None:
    orders = {
        json.dumps(fetched(f"augmentors.torr.shuffle_rows[seed={seed}]").process_value(TABLE))
        for seed in range(12)
    }
    assert len(orders) > 2
    twice = [fetched("augmentors.torr.shuffle_rows[seed=4]").process_value(TABLE) for _ in range(2)]
    assert twice[0] == twice[1]
    assert sorted(twice[0]["rows"]) == sorted(TABLE["rows"])


def test_in_a_recipe_of_unitxts_own() -> None:
    from unitxt import load_dataset

    found = load_dataset(
        card="cards.torr.bundled.fact_verification",
        template_card_index=0,
        serializer="serializers.table.latex",
        augmentor="augmentors.table.shuffle_row_groups",
        num_demos=0,
        split="test",
        max_test_instances=3,
        streaming=True,
    )
    for instance in found:
        data = json.loads(instance["task_data"])
        written = serializers.get("latex").serialize(table_of(data["table"]))
        assert written in instance["source"]
