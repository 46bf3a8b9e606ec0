"""Prompts with pictures: each in its place, none lost, keys that tell them apart."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from torr_plugin.catalog import Example
from torr_plugin.core.errors import InputError, RecipeError
from torr_plugin.prompts import IMAGE, Message, Prompt, PromptBuilder, designs, images_of, is_picture
from torr_plugin.prompts.design import Design, Shown
from torr_plugin.recipes import (
    Configuration,
    Recipe,
    plan,
    prompt_of_row,
    request_key,
    request_schema,
    write_prompts,
)
from torr_plugin.tables import SerializationError, Table, serializers

from .made import MadeCard, MadeTemplate, made_example

IMAGE_CONFIGURATION = Configuration("image", "none", "default")


def told(table: Table) -> bytes:
    return repr(table.rows).encode()


@pytest.fixture(autouse=True)
def draws(monkeypatch: pytest.MonkeyPatch) -> None:
    """``image`` gives a table's cells as bytes, so that a test sees which table a picture is of."""
    monkeypatch.setattr(type(serializers.get("image")), "draw", lambda _, table: told(table))


@pytest.mark.parametrize("design", ["default", "torr", "hctqa"])
@pytest.mark.parametrize("shots", [0, 2])
def test_every_design_shows_the_pictures_in_order(
    design: str, shots: int, card: MadeCard, pool: list[Example], examples: list[Example]
) -> None:
    builder = PromptBuilder(card, pool, shots=shots)
    for example in examples[:5]:
        prompt = builder.build(example, Configuration("image", "none", design))
        shown = [*builder.demonstrations(example), example]
        assert images_of(prompt) == tuple(told(each.table) for each in shown)
        assert prompt[-1].images == images_of(prompt)
        assert prompt[-1].content.count(IMAGE) == shots + 1
        assert example.table.rows[1][0].text not in prompt[-1].content.replace(example.fields["question"], "")


def test_a_table_that_many_ask_about_is_drawn_once(card: MadeCard, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[Table] = []
    monkeypatch.setattr(
        type(serializers.get("image")), "draw", lambda _, table: drawn.append(table) or told(table)
    )
    builder = PromptBuilder(card, [])
    asked = [made_example(number, table=number // 3) for number in range(9)]
    for perturbation in ("none", "transpose"):
        for example in asked:
            (message,) = builder.build(example, Configuration("image", perturbation, "default"))
            assert message.images == (told(drawn[-1]),)
    assert len(drawn) == 6
    builder.forget()
    builder.build(asked[0], IMAGE_CONFIGURATION)
    assert len(drawn) == 7


def test_pictures_are_perturbed_too(card: MadeCard) -> None:
    example = made_example(0)
    (message,) = PromptBuilder(card, []).build(example, Configuration("image", "transpose", "default"))
    assert message.images != (told(example.table),)
    assert b"size" in message.images[0]


def test_a_place_in_the_data_is_no_place(card: MadeCard) -> None:
    example = made_example(0)
    sly = replace(example, fields={"question": f"Is {IMAGE} here?"}, target=f"{IMAGE}")
    (message,) = PromptBuilder(card, []).build(sly, IMAGE_CONFIGURATION)
    assert message.content.count(IMAGE) == 1
    assert "Is <image > here?" in message.content
    (text,) = PromptBuilder(card, []).build(sly, Configuration("markdown", "none", "default"))
    assert f"Is {IMAGE} here?" in text.content


class Loses(Design):
    """As a design of a third party that knows of no pictures."""

    name = "loses"

    def compose(self, asked: Shown, demonstrations: Sequence[Shown]) -> Prompt:
        return (Message("user", asked.source),)


def test_a_design_that_loses_pictures_is_said(card: MadeCard, monkeypatch: pytest.MonkeyPatch) -> None:
    get = designs.get
    monkeypatch.setattr(designs, "get", lambda name: Loses() if name == "loses" else get(name))
    with pytest.raises(
        RecipeError, match=r"image/none/loses: the design 'loses' gives 0 pictures and 1 place"
    ):
        PromptBuilder(card, []).build(made_example(0), Configuration("image", "none", "loses"))


def test_words_that_show_no_table_are_said() -> None:
    card = MadeCard(template=MadeTemplate(input_format="{question}"))
    with pytest.raises(RecipeError, match="gives 1 pictures and 0 places"):
        PromptBuilder(card, []).build(made_example(0), IMAGE_CONFIGURATION)


def test_a_table_that_cannot_be_drawn_is_said(card: MadeCard, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuses(self: object, table: Table) -> bytes:
        raise InputError("too large to draw")

    monkeypatch.setattr(type(serializers.get("image")), "draw", refuses)
    with pytest.raises(
        RecipeError, match=r"^cards.made: example 'q0' in configuration image/none/default: too large"
    ):
        PromptBuilder(card, []).build(made_example(0), IMAGE_CONFIGURATION)


def test_a_picture_is_no_text() -> None:
    assert is_picture("image")
    assert not is_picture("html")
    assert "image" not in serializers.text_names()
    with pytest.raises(SerializationError, match="'image' draws the table: it is a picture and has no text"):
        serializers.get("image").serialize(made_example(0).table)


def test_keys_tell_pictures_apart_and_texts_keep_theirs() -> None:
    generation = {"max_tokens": 5}
    plain, one, other = (Message("user", "x", images) for images in ((), (b"1",), (b"2",)))
    keys = [
        request_key(prompt, generation)
        for prompt in [
            (plain,),
            (one,),
            (other,),
            (one, other),
            (other, one),
            (Message("user", "x", (b"1", b"2")),),
        ]
    ]
    assert len(set(keys)) == len(keys)
    # of a run of an earlier version
    canonical = json.dumps([[["user", "x"]], generation], separators=(",", ":"))
    assert keys[0] == hashlib.sha256(canonical.encode()).hexdigest()[:32]
    digest = hashlib.sha256(b"1").hexdigest()
    canonical = json.dumps([[["user", "x", [digest]]], generation], separators=(",", ":"))
    assert keys[1] == hashlib.sha256(canonical.encode()).hexdigest()[:32]


def test_files_of_earlier_versions_have_no_pictures(tmp_path: Path) -> None:
    import pyarrow as pa

    from torr_plugin.running.store.shard_reading import read_shard
    from torr_plugin.running.store.shards import write_shard

    schema = request_schema()
    row = {name: None if schema.field(name).nullable else "x" for name in schema.names}
    old = pa.schema([field for field in schema if field.name != "images"])
    table = pa.Table.from_pylist([{**row, "stage": 0, "references": ["a"]}], schema=old)
    write_shard(tmp_path, 0, table)
    (read,) = read_shard(tmp_path / "part-000000.parquet", schema).to_pylist()
    assert read["images"] is None
    assert prompt_of_row(read) == (Message("user", "x"),)


def test_exported_prompts_hold_the_pictures(tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    asked = Recipe.model_validate(
        {
            "name": "x",
            "cards": ["cards.bundled.cell_lookup"],
            "configurations": ["image/none/hctqa", "html/none/default"],
            "examples": {"count": 2},
        }
    )
    planned = plan(asked)
    write_prompts(planned, tmp_path / "p.parquet")
    write_prompts(planned, tmp_path / "p.jsonl")
    rows = pq.read_table(tmp_path / "p.parquet").to_pylist()
    assert [prompt_of_row(row) for row in rows] == [request.prompt for request in planned.requests()]
    lines = [json.loads(line) for line in (tmp_path / "p.jsonl").read_text(encoding="utf-8").splitlines()]
    for row, line in zip(rows, lines, strict=True):
        decoded = line["images"] and [base64.b64decode(image) for image in line["images"]]
        assert {**line, "images": decoded} == row
    assert [bool(line["images"]) for line in lines] == [True, True, False, False]
